"""The memory file as rows that are carried elsewhere, taken in, or saved from a damaged file."""
