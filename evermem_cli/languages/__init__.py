"""What depends on the language of a text."""
