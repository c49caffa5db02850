"""Whether the words around a quality are for it or against it: "not too long", "the cheap headphones broke".

A linear model tells, of these words, the user's reaction and the quality. `python -m tests.training.wishes` makes it.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from evermem_cli.experience.speech_acts import asks_for
from evermem_cli.languages.english import FUNCTION_WORDS
from evermem_cli.languages.language import language
from evermem_cli.languages.words import words_of
from evermem_cli.memory import Attitude
from evermem_cli.reading.reactions import Reaction
from evermem_cli.reading.word_runs import Odds, RunModels, softmax

FILE = Path(__file__).with_name("wishes.npz")
ATTITUDES = (None, Attitude.AVOID, Attitude.PREFER)
_MODELS = RunModels(FILE)
_MOST_NEITHER = 0.6  # the share of neither up to which one of both is told: a rule needs three that agree
_WORDS_BEFORE, _WORDS_AFTER = 4, 3
_CHARACTERS_BEFORE, _CHARACTERS_AFTER = 5, 4
_PLACE = "*"  # of the quality among the words around it


class Named(NamedTuple):
    """A quality named in a sentence from `start` to `stop`; `name` is the form of it that qualities.toml lists."""

    sentence: str
    start: int
    stop: int
    quality: str
    name: str


def _tables() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("qualities.toml").read_text(encoding="utf-8"))


def _forms(name: str) -> set[str]:
    """The name and its comparatives, beside some forms that no one writes."""
    if not name.isascii():
        return {name}
    endings = ("er", "est", "r", "st", f"{name[-1]}er", f"{name[-1]}est")
    return {name, *(name + ending for ending in endings), f"{name[:-1]}ier", f"{name[:-1]}iest"}


QUALITIES: Mapping[str, Mapping[str, Any]] = _tables()
_LISTED = {
    form: (quality, name)
    for quality, of in QUALITIES.items()
    for name in (of.get("en", "") + " " + of.get("zh", "")).split()
    for form in _forms(name)
}
_ENGLISH = re.compile(rf"(?<![\w-])(?:{'|'.join(form for form in _LISTED if form.isascii())})(?![\w-])")
_CHINESE = re.compile("|".join(form for form in _LISTED if not form.isascii()))


def qualities_in(sentence: str) -> Iterator[Named]:
    """The qualities that a sentence names, in order."""
    names = _CHINESE if language(sentence) == "zh" else _ENGLISH
    for match in names.finditer(_lowered(sentence)):
        yield Named(sentence, match.start(), match.end(), *_LISTED[match.group()])


def _lowered(sentence: str) -> str:
    """The sentence with small letters for A to Z, each character in its place."""
    return "".join(character.lower() if character.isascii() else character for character in sentence)


def attitude(named: Named, reaction: Reaction | None) -> Attitude | None:
    """Whether the sentence, which is that reaction to a result, is for the quality or against it; None for neither."""
    odds = _MODELS.model(language(named.sentence)).odds(around(named), signs=signs(named, reaction))
    return likeliest(odds)


def likeliest(odds: Odds) -> Attitude | None:
    """The attitude by odds of the shape (ATTITUDES,)."""
    neither, against, in_favour = softmax(odds)
    if neither > _MOST_NEITHER:
        return None
    return Attitude.AVOID if against > in_favour else Attitude.PREFER


def around(named: Named) -> str:
    """The words around the quality, which a mark stands for."""
    before, after = named.sentence[: named.start], named.sentence[named.stop :]
    if language(named.sentence) == "zh":
        return f"{before[-_CHARACTERS_BEFORE:]}{_PLACE}{after[:_CHARACTERS_AFTER]}"
    return " ".join([*before.split()[-_WORDS_BEFORE:], _PLACE, *after.split()[:_WORDS_AFTER]])


def signs(named: Named, reaction: Reaction | None) -> tuple[str, ...]:
    """What else is known: the reaction, the quality, whether something is asked for, whether a noun follows."""
    after = named.sentence[named.stop :]
    noun = after.startswith(" ") and FUNCTION_WORDS.isdisjoint(words_of(after)[:1])
    return (
        f"{reaction}",
        named.quality,
        f"{named.quality}: {reaction}",
        f"asks: {asks_for(named.sentence)}",
        f"{named.name} before a noun: {noun}",
        f"{reaction} before a noun: {noun}",
    )
