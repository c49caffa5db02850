"""How a name is written, and when two names are the same."""

import re
import unicodedata

from evermem_cli.languages.language import CAPITALS, LETTERS
from evermem_cli.languages.words import WORD

_ADDRESSES = "mr mrs ms miss dr prof professor".split()  # before the name of a person, some with a full stop
TITLES = frozenset([*_ADDRESSES, *"the lake mount mt".split()])
# One or several words with capitals, as a name may be written.
_TITLED = rf"(?:{'|'.join(map(str.capitalize, _ADDRESSES))})\.(?=[^\S\n][{CAPITALS}])"
_CAPITAL = rf"(?:{_TITLED}|[{CAPITALS}][{LETTERS}0-9&'-]*)"
NAME = re.compile(
    rf"(?<![\w'])(?:i(?=[{CAPITALS}]))?{_CAPITAL}(?:[^\S\n](?:(?:of|de|van|von|der|la|the|&)[^\S\n]){{0,2}}{_CAPITAL})*"
)


def key(name: str) -> tuple[str, ...]:
    """The words that identify a name: "Mrs Adeyemi" and "Adeyemi" share them."""
    parts = [word.casefold() for word in WORD.findall(unicodedata.normalize("NFC", name))]
    untitled = [word for word in parts if word not in TITLES]
    return tuple(untitled or parts)


def begins_with(name: str, beginning: str) -> bool:
    """Whether a name, or an address, begins with these words: "Nora Lindqvist" and nora@example.org with "Nora"."""
    words = key(beginning)
    return bool(words) and key(name)[: len(words)] == words
