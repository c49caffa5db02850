"""The area of life that a text is about, which privacy depends on.

A linear model for each language, over the words of a text and their parts, has learned it from labelled messages. The
pieces of English words count by their vectors, which the encoders share, so that words like those of a message count.
`python -m tests.training.domains` makes the weights.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from math import log, sqrt
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from evermem_cli.languages.language import language
from evermem_cli.reading.shipped import WEIGHTS, tokenizer_in
from evermem_cli.whole_files import of_package

# The most private one of a text counts, so they are in order.
DOMAINS = ("health", "finance", "relationships", "work", "travel", "general")
SPECIAL = DOMAINS[:-1]
GENERAL = DOMAINS[-1]
# What each attribute of people tells, whatever its value; all others are general.
ATTRIBUTES = {
    "health": "health",
    "restrictions": "health",
    "allergies": "health",
    "medication": "health",
    "money": "finance",
    "salary": "finance",
    "partner": "relationships",
    "relationship": "relationships",
    "job": "work",
    "employer": "work",
    "visited": "travel",
}
FILE = WEIGHTS / "domain.npz"
BUCKETS = 2**16  # that words, their parts and pairs are hashed to; the pieces of the encoders' words follow them
WINDOW = 60  # words that are judged together; of a long sentence each part is
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\d_\u3400-\u9fff]+(?:['’][^\W\d_]+)*|\d+|[£$€¥]")
_SENTENCE_END = re.compile(r"(?<=[.!?;:])\s+|[。！？；\n]+")
_SIGNIFICANT = 40  # letters of a word; pasted code may be one word
_BEGINNING = 5  # letters by which forms of a word are the same
_PIECE = 4  # letters of the pieces of a word
_CHARACTERS = 3  # Chinese characters of the longest run

Scores = NDArray[np.float32]


class DomainModel(NamedTuple):
    """Weights and a bias of shape (len(SPECIAL),): above 0 is of the domain.

    The weights have a row for each bucket, in English also for each piece of words.
    """

    weights: Scores
    bias: Scores


def domain(text: str) -> str:
    """One of `DOMAINS`, the most private one that any part of the text is about."""
    spoken, parts = language(text), list(windows(text))
    least = least_odds(len(parts))
    return DOMAINS[min((_place(part, spoken, least) for part in parts), default=DOMAINS.index(GENERAL))]


def attribute_domain(attribute: str) -> str:
    """The domain of an attribute of people."""
    return ATTRIBUTES.get(attribute, GENERAL)


def windows(text: str) -> Iterator[list[str]]:
    """The words of each sentence, so many of them at a time.

    Sentences are judged alone, since harmless words beside an area's would hide it.
    """
    for sentence in _SENTENCE_END.split(text):
        words = words_of(sentence)
        yield from (words[start : start + WINDOW] for start in range(0, len(words), WINDOW))


def words_of(text: str) -> list[str]:
    """The words of a text in small letters; a Chinese character is a word."""
    return [match[0][:_SIGNIFICANT] for match in _WORD.finditer(text.lower())]


def least_odds(parts: int) -> float:
    """The log odds above which one of so many parts of a text is of an area.

    Of many parts, one is more likely to look like an area by chance. The whole logarithm would leave one line about a
    diagnosis in a long letter open to everybody.
    """
    return log(max(parts, 1)) / 2


def places(words: list[str], spoken: str) -> list[int]:
    """The rows of different words' parts and pieces, and of pairs of words; in Chinese of the runs of characters."""
    if spoken == "zh":
        runs = ("".join(words[at : at + n]) for n in range(1, _CHARACTERS + 1) for at in range(len(words) - n + 1))
        return [crc32(run.encode()) % BUCKETS for run in dict.fromkeys(runs)]
    pairs = dict.fromkeys(f"{first} {second}" for first, second in pairwise(words))
    parts = [place for word in dict.fromkeys(words) for place in _places_of(word)]
    return parts + [crc32(pair.encode()) % BUCKETS for pair in pairs]


@lru_cache(maxsize=20_000)  # chats use the same words again and again
def _places_of(word: str) -> tuple[int, ...]:
    whole = f"<{word}>"
    pieces = (f"#{whole[at : at + _PIECE]}" for at in range(len(whole) - _PIECE + 1))
    hashed = {crc32(part.encode()) % BUCKETS for part in (word, f"^{word[:_BEGINNING]}", *pieces)}
    return (*hashed, *(BUCKETS + piece for piece in tokenizer_in().encode(word, add_special_tokens=False).ids))


def _place(words: list[str], spoken: str, least: float) -> int:
    """The place in `DOMAINS` of the first area of which the log odds are more than `least`."""
    model, rows = _model(spoken), places(words, spoken)
    is_touched = model.weights[rows].sum(axis=0) / sqrt(len(rows)) + model.bias > least
    return int(np.argmax(is_touched)) if is_touched.any() else DOMAINS.index(GENERAL)


@cache
def _model(spoken: str) -> DomainModel:
    with of_package(FILE) as stream, np.load(stream) as stored:
        return DomainModel(*(stored[f"{spoken}_{name}"].astype(np.float32) for name in DomainModel._fields))
