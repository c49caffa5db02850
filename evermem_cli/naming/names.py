"""The core of a name, and when two names are the same."""

import re

from evermem_cli.languages.words import WORD
from evermem_cli.naming.words import words

NAME = re.compile(
    r"(?<![\w'])(?:i(?=[A-Z]))?[A-ZÀ-Þ][A-Za-z0-9À-ÿ&'-]*(?:\s(?:(?:of|de|van|von|der|la|the|&)\s){0,2}[A-ZÀ-Þ][A-Za-z0-9À-ÿ&'-]*)*"
)
_OWNED = re.compile(r"'s?$|'(?:ll|d|re|ve|m)$", re.IGNORECASE)
_TITLES = frozenset("mr mrs ms miss dr prof professor the lake mount mt".split())


def bare(name: str) -> str:
    """The name without leading words that name nothing and without "'s"; "" where nothing is left."""
    parts = _OWNED.sub("", name.strip(" .,!?-")).split()
    while parts and _is_empty(parts[0]):
        parts.pop(0)
    return _OWNED.sub("", " ".join(parts))


def key(name: str) -> tuple[str, ...]:
    """The words that identify a name: "Mrs Adeyemi" and "Adeyemi" share them, as do 伦敦 and "London"."""
    parts = [word.casefold() for word in WORD.findall(words().translated.get(name, name))]
    untitled = [word for word in parts if word not in _TITLES]
    return tuple(untitled or parts)


def _is_empty(word: str) -> bool:
    """Whether a word names nothing: a common word, a word in capitals, an initial."""
    folded = word.casefold().strip(".,!?'-")
    return (
        len(folded) < 2
        or folded in words().not_names
        or _OWNED.sub("", folded) in words().not_names
        or (word.isupper() and word not in words().known)
    )
