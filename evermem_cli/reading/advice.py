"""Whether a question asks for advice: "Is a bus tour a good idea for me?", and not "Which tour did Ana recommend?".

A linear model over the words of the question in their order and, where the embedder is the one that it learned with,
its meaning. `python -m tests.training.advice` makes the weights.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from math import sqrt
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from evermem_cli.engines import Embedder
from evermem_cli.languages.language import language
from evermem_cli.reading.shipped import WEIGHTS

FILE = WEIGHTS / "advice.json"
BUCKETS = 4096  # that runs of words are hashed to
LONGEST = 3  # words, or Chinese characters, of a run
MEANING = 1.5  # the length of the vector of the meaning; that of the words is 1


def asks_for_advice(question: str, embedder: Embedder) -> bool:
    """Whether the question asks what to do, and not what was said or done. Raises ModelError."""
    models = _models()
    tongue = language(question)
    knows_meaning = tongue == "en" and embedder.name == models["embedder"]
    chosen = models["en, with meaning" if knows_meaning else tongue]
    features = by_words(question)
    if knows_meaning:
        features = np.concatenate([features, MEANING * embedder.embed([question])[0]])
    return float(features @ np.asarray(chosen["weights"]) + chosen["constant"]) > 0


def by_words(question: str) -> NDArray[np.float64]:
    """Shape (BUCKETS,), of length 1: which runs of words the question has."""
    places = sorted({crc32(run.encode()) % BUCKETS for run in _runs(question)})
    features = np.zeros(BUCKETS)
    features[places] = 1 / sqrt(len(places))
    return features


def _runs(question: str) -> Iterator[str]:
    text = question.casefold().strip()
    if language(question) == "zh":
        words, joint = ["^", *text, "$"], ""
    else:
        parted = text.replace("’", "'").replace("?", " ?").replace(",", " ").replace(".", " ")
        words, joint = ["^", *parted.split(), "$"], " "
    for length in range(1, LONGEST + 1):
        yield from (joint.join(words[at : at + length]) for at in range(len(words) - length + 1))


@cache
def _models() -> Mapping[str, Any]:
    models: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return models
