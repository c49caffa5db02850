"""Recollection: a question becomes evidence, and evidence an answer."""
