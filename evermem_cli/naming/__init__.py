"""Recognises names in messages and their types by learned weights. No language model is used."""

from evermem_cli.naming.mentions import find_mentions
from evermem_cli.naming.names import NAME, key

__all__ = ["NAME", "find_mentions", "key"]
