"""The indexes of the memory file: words, vectors, and the names that stand in messages."""
