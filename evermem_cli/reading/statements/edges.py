"""Where the words of a statement begin and end, by the words on both sides of a gap: no value ends in "is"."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from zlib import crc32

import numpy as np

from evermem_cli.languages.language import HAN
from evermem_cli.reading.statements.outputs import Floats
from evermem_cli.whole_files import of_package

BUCKETS = 2**13  # that words beside a gap are hashed to
_NEITHER = (0.0, -np.inf)  # log probabilities of going on and of an edge within a word


@dataclass(frozen=True, slots=True)
class Edges:
    """Logistic regressions on the words beside a gap; of each the weights of the `BUCKETS` and then the constant.

    `begins` tells where a statement begins that begins no later, `ends` where one ends that ends no earlier.
    """

    begins: Floats
    ends: Floats

    @classmethod
    def load(cls, file: Path) -> "Edges":
        """The weights of a file. Raises ModelError where the file is missing or damaged."""
        with of_package(file) as stream, np.load(stream) as stored:
            return cls(*(stored[name].astype(np.float32) for name in ("begins", "ends")))

    def beginning(self, text: str, offsets: Sequence[tuple[int, int]]) -> Floats:
        """Shape (tokens + 1, 2): for each gap the log probabilities that a statement goes on there, and begins."""
        return _log_probabilities(self.begins, text, offsets)

    def ending(self, text: str, offsets: Sequence[tuple[int, int]]) -> Floats:
        """Shape (tokens + 1, 2): for each gap the log probabilities that a statement goes on there, and ends."""
        return _log_probabilities(self.ends, text, offsets)


def places(text: str, offsets: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The buckets of each gap: before the first token, between each two, and after the last. None within a word."""
    words = [_word(text, start, end) for start, end in offsets]
    lefts, rights = ["^", *words], [*words, "$"]
    buckets = [[*_hashed(left, right)] for left, right in zip(lefts, rights, strict=True)]
    for gap in range(1, len(offsets)):
        (_, end), (start, _) = offsets[gap - 1 : gap + 1]
        if end == start and is_within_word(text, start):
            buckets[gap] = []
    return buckets


def is_within_word(text: str, gap: int) -> bool:
    """Whether the characters before and after the gap are of one word. Chinese characters belong to no longer word."""
    before, after = text[gap - 1 : gap], text[gap : gap + 1]
    return before.isalnum() and after.isalnum() and not (HAN.match(before) or HAN.match(after))


def whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The span, extended to whole words at both ends."""
    while 0 < start < end and is_within_word(text, start):
        start -= 1
    while start < end < len(text) and is_within_word(text, end):
        end += 1
    return start, end


def with_whole_brackets(text: str, start: int, end: int) -> tuple[int, int]:
    """The span with the bracket after it that closes one within, else without what opens: "Skoda (2013)", "Mum"."""
    for opening, closing in ("()", "（）"):
        opened: list[int] = []
        for place in range(start, end):
            if text[place] == opening:
                opened.append(place)
            elif text[place] == closing and opened:
                opened.pop()
        if len(opened) == 1 and text[end : end + 1] == closing:
            end += 1
        elif opened:
            end = start + len(text[start : opened[0]].rstrip())
    return start, end


def _word(text: str, start: int, end: int) -> str:
    """The whole word that the token is a part of, in small letters; a mark is its own word."""
    if text[start:end].isalnum():
        start, end = whole_words(text, start, end)
    return text[start:end].casefold()


@lru_cache(maxsize=20_000)  # chats use the same words again and again
def _hashed(left: str, right: str) -> tuple[int, ...]:
    return tuple(crc32(words.encode()) % BUCKETS for words in (f"l {left}", f"r {right}", f"lr {left} {right}"))


def _log_probabilities(weights: Floats, text: str, offsets: Sequence[tuple[int, int]]) -> Floats:
    gaps = places(text, offsets)
    odds = np.array([weights[buckets].sum() + weights[BUCKETS] for buckets in gaps])
    logs: Floats = -np.logaddexp(0, np.stack([odds, -odds], axis=1)).astype(np.float32)
    logs[[not buckets for buckets in gaps]] = _NEITHER
    return logs
