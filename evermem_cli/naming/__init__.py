"""Recognises names in messages and their types by the words around them. No model is used."""

from evermem_cli.naming.mentions import find_mentions
from evermem_cli.naming.names import NAME, bare, key

__all__ = ["NAME", "bare", "find_mentions", "key"]
