"""Whether a short form that may name a day does: "the 27th suits me", but "the 27th floor".

A linear model over the words around the form. `python -m tests.training.bare_days` makes the weights.
"""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, pairwise
from math import sqrt
from pathlib import Path
from zlib import crc32

from evermem_cli.timespan.grammar import Token
from evermem_cli.whole_files import of_package

WEIGHTS = Path(__file__).with_name("bare_days.json")
BUCKETS = 4096  # that features are hashed to
_AROUND = 3  # words on either side that count
_FEW = 3  # ranks are mostly low numbers


def odds(tokens: Sequence[Token], begin: int, end: int) -> float:
    """The log odds that the tokens from `begin` to before `end` name a day; 0 without figures ("the first")."""
    if not any(token.word[0].isdigit() for token in tokens[begin:end]):
        return 0.0
    places, weights = features(tokens, begin, end), _weights()
    return sum(weights[place] for place in places) / sqrt(len(places))


def features(tokens: Sequence[Token], begin: int, end: int) -> list[int]:
    """The hashed features of a form: its look, and the words on either side."""
    return sorted({crc32(name.encode()) % BUCKETS for name in _names(tokens, begin, end)})


def _names(tokens: Sequence[Token], begin: int, end: int) -> Iterator[str]:
    before = [*islice((token.word for token in reversed(tokens[:begin])), _AROUND), *["^"] * _AROUND][:_AROUND]
    after = [*(token.word for token in tokens[end : end + _AROUND]), *["$"] * _AROUND][:_AROUND]
    form = "".join("#" if letter.isdigit() else letter for token in tokens[begin:end] for letter in token.word)
    number = next((int(value) for token in tokens[begin:end] if isinstance(value := token.labels.get("ORD"), int)), 0)
    yield from (f"form {form}", f"few {0 < number <= _FEW}")
    yield from (f"between {before[0]} {after[0]}", f"all {form} {before[0]}")
    for side, words in (("before", before), ("after", after)):
        yield from (f"{side} {place} {word}" for place, word in enumerate(words))
        yield from (f"{side} {word}" for word in words)
        yield from (f"{side} {place} {first} {then}" for place, (first, then) in enumerate(pairwise(words)))


@cache
def _weights() -> list[float]:
    with of_package(WEIGHTS) as stream:
        weights: list[float] = json.load(stream)
    return weights
