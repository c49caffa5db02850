"""Reading from the memory file."""
