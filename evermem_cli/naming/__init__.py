"""Names in messages, and what the words around them show them to be: by code, without a model."""

from evermem_cli.naming.mentions import find_mentions
from evermem_cli.naming.names import bare, key

__all__ = ["bare", "find_mentions", "key"]
