"""Measured work: each module prints a table and a JSON line."""
