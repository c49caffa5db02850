"""Writing to the memory file."""
