"""Commands that look after the memory file."""
