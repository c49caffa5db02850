"""When two names are the same."""

import re

from evermem_cli.naming.places import in_english

_TITLES = frozenset("mr mrs ms miss dr prof professor the lake mount mt".split())
_WORD = re.compile(r"[^\W_]+")


def key(name: str) -> tuple[str, ...]:
    """The words that identify a name: "Mrs Adeyemi" and "Adeyemi" share them, as do 伦敦 and "London"."""
    parts = [word.casefold() for word in _WORD.findall(in_english().get(name, name))]
    untitled = [word for word in parts if word not in _TITLES]
    return tuple(untitled or parts)
