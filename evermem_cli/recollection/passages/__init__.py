"""Passages: short coherent parts of conversations, selected from search results, for the model to read."""
