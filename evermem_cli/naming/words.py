"""Clues to what a name names, and capitalised words that name nothing; read from words.toml."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources

from evermem_cli.memory import EntityType

_PART = re.compile(r"(?:(?<=\\s)|(?<=\\b)|\b)[A-Z]{2,}\b")


@dataclass(frozen=True, slots=True)
class Clue:
    """A pattern around a name, the group v, that shows the name's type. `value` is a template for `re.Match.expand`."""

    type: EntityType
    pattern: re.Pattern[str]
    value: str


@dataclass(frozen=True)
class Words:
    """All clues. `not_names` are casefolded words that name nothing, `known` the types of well-known names.

    `translated` gives the English form of names in scripts without spaces.
    """

    clues: tuple[Clue, ...]
    not_names: frozenset[str]
    known: dict[str, EntityType]
    translated: dict[str, str]

    @cached_property
    def unspaced(self) -> re.Pattern[str]:
        """The well-known names of scripts without spaces, as a pattern."""
        return re.compile("|".join(self.translated))


@cache
def words() -> Words:
    """The content of words.toml."""
    read = tomllib.loads((resources.files(__package__) / "words.toml").read_text(encoding="utf-8"))
    parts: dict[str, str] = read["parts"]
    translated = {kind: dict(pair.split("=") for pair in pairs.split()) for kind, pairs in read["translated"].items()}
    known = {kind: [name.strip() for name in names.split(";")] for kind, names in read["known"].items()}
    return Words(
        clues=tuple(
            Clue(kind, _compile(clue["says"], parts), clue.get("value", r"\g<v>"))
            for kind in EntityType
            for clue in read.get(kind.value, ())
        ),
        not_names=frozenset(word for several in read["not_names"].values() for word in several.split()),
        known={name: EntityType(kind) for named in (known, translated) for kind in named for name in named[kind]},
        translated={name: its.replace("_", " ") for pairs in translated.values() for name, its in pairs.items()},
    )


def _compile(pattern: str, parts: dict[str, str]) -> re.Pattern[str]:
    filled = pattern
    while (deeper := _PART.sub(lambda part: parts.get(part[0], part[0]), filled)) != filled:
        filled = deeper
    return re.compile(filled, re.IGNORECASE | re.VERBOSE)
