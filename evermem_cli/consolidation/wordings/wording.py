"""Which words assert what about whoever says them, and which show that they do not: read from wordings/*.toml."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from evermem_cli.memory import Stance

_PART = re.compile(r"(?:(?<=\\s)|\b)[A-Z][A-Z_]+\b|<[\u4e00-\u9fff]>")
# What is named in lower case by those who write no capitals; elsewhere the next word may be any.
SPELT_LOWER = frozenset({"location", "employer"})


@dataclass(frozen=True, slots=True)
class Wording:
    """Words that assert a value of `attribute`.

    `value` is a template for `re.Match.expand`, so that "\\g<v>" is what the group matched. `planned` is what has been
    settled but not begun: "I accepted the job". `unsure` wordings may mean something else: "I left Vienna".
    """

    attribute: str
    pattern: re.Pattern[str]
    value: str = r"\g<v>"
    stance: Stance = Stance.HOLDS
    planned: bool = False
    unsure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wordings:
    """A language's wordings and guards.

    `answers` are questions, and what an answer of a few words means in the template's place. `hedge` and `negation`
    make a clause no assertion, `clause` ends one, `past` tells of what has happened; `others` and `self` tell whose it
    is. In `own_words` the group a names an attribute of its own and v its value. `money` is any amount.
    """

    wordings: tuple[Wording, ...]
    answers: tuple[tuple[re.Pattern[str], str], ...]
    hedge: re.Pattern[str]
    negation: re.Pattern[str]
    others: re.Pattern[str]
    self: re.Pattern[str]
    clause: re.Pattern[str]
    own_words: re.Pattern[str]
    past: re.Pattern[str]
    money: re.Pattern[str]


@cache
def wordings(language: str, *, lower: bool = False) -> Wordings:
    """The wordings of a language, "en" or "zh"; `lower` for texts without capitals, in which names have none either."""
    read = dict(_file(language))
    for apart in ("questions", "labels", "english"):
        read.pop(apart, None)
    parts: dict[str, str] = read.pop("parts")
    named = parts | {"NAME": parts["NAME_LOWER"]} if lower else parts
    guards: dict[str, str] = read.pop("guards")
    answers: list[dict[str, str]] = read.pop("answers")
    return Wordings(
        wordings=tuple(
            _wording(attribute, each, named if attribute in SPELT_LOWER and "stance" not in each else parts)
            for attribute, several in read.items()
            for each in several
        ),
        answers=tuple((_compile(answer["asks"], parts), answer["told"]) for answer in answers),
        **{name: _compile(pattern, parts) for name, pattern in guards.items()},
    )


@cache
def questions(language: str) -> dict[str, re.Pattern[str]]:
    """What shows, by attribute, that a question asks for it; apart, for a question needs nothing else."""
    read = _file(language)
    return {attribute: _compile(pattern, read["parts"]) for attribute, pattern in read["questions"].items()}


def label_of(attribute: str, language: str) -> str:
    """What an attribute is called in a language; its own name where it has no other."""
    labels: dict[str, str] = _file(language).get("labels", {})
    return labels.get(attribute, attribute.replace("_", " "))


@cache
def in_english() -> dict[str, str]:
    """What values that are told in Chinese are in English, apart from the names that naming/words.toml translates."""
    pairs: str = _file("zh")["english"]["values"]
    return dict(pair.strip().split("=") for pair in pairs.split(";"))


@cache
def _file(language: str) -> dict[str, Any]:
    file = resources.files(__package__) / f"{language}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


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
    filled = _PART.sub(lambda part: parts.get(part[0].strip("<>"), part[0]), pattern)
    return re.compile(filled, re.IGNORECASE | re.VERBOSE)
