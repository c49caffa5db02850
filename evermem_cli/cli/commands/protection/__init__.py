"""Commands that decide who may see memory, and what is forgotten."""
