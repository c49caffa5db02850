"""Commands that put memory right."""
