"""The tables of the memory file, how older files become newer ones, and how rows become nouns."""
