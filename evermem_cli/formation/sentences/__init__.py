"""Reads the sentences of a chat by code: what they state, about whom, and how clearly."""
