"""Runs of words as features of linear models."""

from collections.abc import Iterator
from math import sqrt
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from evermem_cli.languages.language import language

BUCKETS = 4096  # that runs of words are hashed to
LONGEST = 3  # words, or Chinese characters, of a run


def by_words(text: str) -> NDArray[np.float64]:
    """Shape (BUCKETS,), of length 1: which runs of words the text has."""
    places = sorted({crc32(run.encode()) % BUCKETS for run in _runs(text)})
    features = np.zeros(BUCKETS)
    features[places] = 1 / sqrt(len(places))
    return features


def _runs(text: str) -> Iterator[str]:
    folded = text.casefold().strip()
    if language(text) == "zh":
        words, joint = ["^", *folded, "$"], ""
    else:
        parted = folded.replace("’", "'").replace("?", " ?").replace(",", " ").replace(".", " ")
        words, joint = ["^", *parted.split(), "$"], " "
    for length in range(1, LONGEST + 1):
        yield from (joint.join(words[at : at + length]) for at in range(len(words) - length + 1))
