"""Whether a question asks for advice: "Is a bus tour a good idea for me?", and not "Which tour did Ana recommend?".

A linear model over the words of the question in their order and, where the embedder is the one that it learned with,
its meaning. `python -m tests.training.advice` makes the weights.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from evermem_cli.engines import Embedder
from evermem_cli.languages.language import language
from evermem_cli.reading.shipped import WEIGHTS
from evermem_cli.reading.word_runs import by_words

FILE = WEIGHTS / "advice.json"
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


@cache
def _models() -> Mapping[str, Any]:
    models: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return models
