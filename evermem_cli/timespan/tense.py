"""Whether a time phrase of a message means the past or what was to come: "he booked it for 24 November".

A linear model over the words around the phrase, what their verb forms tell, and how far away the two days are that it
may mean.
`python -m tests.training.tense` makes the weights.
"""

import json
import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from math import log1p, sqrt
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from evermem_cli.timespan import verbs
from evermem_cli.whole_files import of_package

WEIGHTS = Path(__file__).with_name("tense.json")
BUCKETS = 4096  # that words are hashed to
CERTAIN = 5.0  # log odds of a sentence whose particles tell its tense
_BESIDE = 3  # words that count by their place beside the phrase
_AROUND = 8  # words on either side that count
_LONG = 4  # letters of a word whose ending counts; shorter ones are no inflected verbs
_SENTENCE = 1_000  # characters on either side of a phrase in which its sentence is looked for
_FAR = 200  # days
_UNIT = 5  # brings the logarithm of days to the size of the other features
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+|[?!]")
_SENTENCE_END = re.compile(r"[.!?;\n]+(?:\s|$)")
_CHINESE_PAST = re.compile(r"了|过|曾|刚才|刚刚|已经")
_CHINESE_COMING = re.compile(r"将|会|要|打算|计划|准备|想")


class TenseModel(NamedTuple):
    """Weights of the words, by bucket, of a past and of a coming verb form, and of `distances`."""

    words: list[float]
    verbs: list[float]
    distances: list[float]


def leaning(text: str, start: int, end: int) -> float:
    """The log odds that `text[start:end]` is ahead of its message, by the words around it alone."""
    model, words = _model(), buckets(text, start, end)
    by_verbs = sum(weight * value for weight, value in zip(model.verbs, verb_forms(text, start, end), strict=True))
    return by_verbs + sum(model.words[bucket] for bucket in words) / sqrt(max(len(words), 1))


def nearness(at: datetime, past: datetime, ahead: datetime) -> float:
    """The log odds that of two times that a phrase may mean the one ahead is meant, by how far away they are."""
    return sum(weight * value for weight, value in zip(_model().distances, distances(at, past, ahead), strict=True))


def chinese_leaning(text: str, start: int, end: int) -> float:
    """Like `leaning`, for Chinese, by particles and auxiliaries."""
    before, after = _beside(text, start, end)
    sentence = re.split(r"[，。！？；\n]", before)[-1] + "\0" + re.split(r"[，。！？；\n]", after)[0]
    if _CHINESE_COMING.search(sentence):
        return CERTAIN
    return -CERTAIN if _CHINESE_PAST.search(sentence) else 0.0


def buckets(text: str, start: int, end: int) -> list[int]:
    """The hashed words and word pairs of the sentence around a phrase."""
    before, after = sentence_of(text, start, end)
    sides = {"before": list(reversed(_words(before))), "after": _words(after)}
    names = {name for side, words in sides.items() for name in _features(side, words)}
    return sorted({crc32(name.encode()) % BUCKETS for name in names})


def verb_forms(text: str, start: int, end: int) -> list[float]:
    """Whether the verbs of the sentence around a phrase tell the past, and whether they tell what is to come."""
    direction = verbs.direction(*sentence_of(text, start, end))
    return [float(direction < 0), float(direction > 0)]


def distances(at: datetime, past: datetime, ahead: datetime) -> list[float]:
    """How far away the two times are that a phrase may mean."""
    ago, to_come = max((at.date() - past.date()).days, 0), max((ahead.date() - at.date()).days, 0)
    nearer = log1p(ago) - log1p(to_come)
    near = [float(ago <= 1), float(to_come <= 1)]
    far = [float(to_come > _FAR), float(ago > _FAR)]
    return [nearer, *near, log1p(ago) / _UNIT, log1p(to_come) / _UNIT, *far, 1.0]


def sentence_of(text: str, start: int, end: int) -> tuple[str, str]:
    """The text before and after a phrase within its sentence.

    If no verb of the sentence tells a tense, with the sentences beside it: "Passed! Thursday, at the first try."
    """
    before, after = _beside(text, start, end)
    [own_before, *earlier] = reversed(_SENTENCE_END.split(before))
    [own_after, *later] = _SENTENCE_END.split(after)
    if verbs.direction(own_before, own_after):
        return own_before, own_after
    return " ".join([*earlier[:1], own_before]), " ".join([own_after, *later[:1]])


def _beside(text: str, start: int, end: int) -> tuple[str, str]:
    return text[max(0, start - _SENTENCE) : start], text[end : end + _SENTENCE]


def _words(text: str) -> list[str]:
    return [word.casefold().replace("’", "'") for word in _WORD.findall(text)]


def _features(side: str, words: list[str]) -> Iterator[str]:
    """The names of the features of the words on one side of a phrase, the nearest first."""
    near = words[:_AROUND]
    pairs = [f"{word} {following}" for word, following in zip(near, words[1:], strict=False)]
    yield from (f"{side} {place} {word}" for place, word in enumerate(near[:_BESIDE]))
    yield from (f"{side} {place} {pair}" for place, pair in enumerate(pairs[: _BESIDE - 1]))
    yield from (f"{side} {word}" for word in (*near, *pairs))
    yield from (f"{side} ~{word[-2:]}" for word in near if len(word) > _LONG)


@cache
def _model() -> TenseModel:
    with of_package(WEIGHTS) as stream:
        return TenseModel(**json.load(stream))
