"""The tables of the memory file, migrations of older files, and the conversion of rows into nouns."""
