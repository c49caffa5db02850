"""Reads what a message says, and of whom: the tagger labels its tokens, and `decode` makes statements of them."""
