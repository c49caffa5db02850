"""Tries a language model on a few shipped items. The results decide which tasks it does and which code does."""
