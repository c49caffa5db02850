"""Commands that maintain the memory file."""
