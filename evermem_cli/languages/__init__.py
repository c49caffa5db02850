"""What depends on the language of a text, and what is told from its words alone."""
