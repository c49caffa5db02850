"""Passages: the short coherent pieces of conversation that are chosen from what a search found, and read."""
