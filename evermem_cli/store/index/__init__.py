"""The indexes of the memory file: words, vectors, and names mentioned in messages."""
