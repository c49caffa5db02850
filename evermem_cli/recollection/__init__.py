"""Recollection: a question becomes evidence, and evidence becomes an answer."""
