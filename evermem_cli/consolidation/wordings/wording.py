"""The wordings that assert something of the speaker, and the guards that prevent it; read from TOML files."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from evermem_cli.memory import Stance

_PART = re.compile(r"(?:(?<=\\s)|\b)[A-Z][A-Z_]+\b")
# A name in lower case, for writers who use no capitals. Elsewhere the next word could be anything.
SPELT_LOWER = frozenset({"location", "employer"})


@dataclass(frozen=True, slots=True)
class Wording:
    r"""A wording that asserts a value of `attribute`.

    `value` is a template for `re.Match.expand`, so "\g<v>" is the text of group v. `planned` wordings state something
    settled that has not begun: "I accepted the job". `unsure` wordings may mean something else: "I left Vienna".
    """

    attribute: str
    pattern: re.Pattern[str]
    value: str = r"\g<v>"
    stance: Stance = Stance.HOLDS
    planned: bool = False
    unsure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wordings:
    """The wordings and guards.

    `hedge` and `negation` prevent an assertion, `clause` ends a clause, `past` marks past events; `others` and `self`
    tell whom a clause is about. In `own_words` the group a names the attribute and v its value. `money` matches any
    amount.
    """

    wordings: tuple[Wording, ...]
    hedge: re.Pattern[str]
    negation: re.Pattern[str]
    others: re.Pattern[str]
    self: re.Pattern[str]
    clause: re.Pattern[str]
    own_words: re.Pattern[str]
    past: re.Pattern[str]
    money: re.Pattern[str]


@cache
def wordings_of(*, lower: bool = False) -> Wordings:
    """The English wordings; `lower` for texts without capitals, whose names have none either."""
    read: dict[str, Any] = {}
    for file in sorted((resources.files(__package__) / "en").iterdir(), key=lambda file: file.name):
        read |= tomllib.loads(file.read_text(encoding="utf-8"))
    parts: dict[str, str] = read.pop("parts")
    named = parts | {"NAME": parts["NAME_LOWER"]} if lower else parts
    guards: dict[str, str] = read.pop("guards")
    return Wordings(
        wordings=tuple(
            _wording(attribute, entry, named if attribute in SPELT_LOWER and "stance" not in entry else parts)
            for attribute, several in read.items()
            for entry in several
        ),
        **{name: _compile(pattern, parts) for name, pattern in guards.items()},
    )


def _wording(attribute: str, entry: dict[str, Any], parts: dict[str, str]) -> Wording:
    return Wording(
        attribute=attribute,
        pattern=_compile(entry["says"], parts),
        value=entry.get("value", r"\g<v>"),
        stance=Stance(entry.get("stance", Stance.HOLDS)),
        planned=entry.get("planned", False),
        unsure=entry.get("unsure", False),
    )


def _compile(pattern: str, parts: dict[str, str]) -> re.Pattern[str]:
    filled = _PART.sub(lambda part: parts.get(part[0], part[0]), pattern)
    return re.compile(filled, re.IGNORECASE | re.VERBOSE)
