"""The theme of a scene in one word.

A linear model over the words of its summary and, where the embedder is the one that it learned with, its meaning.
`python -m tests.training.kinds` makes the weights.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evermem_cli.reading.domain import GENERAL
from evermem_cli.reading.word_runs import Odds, RunModels

THEMES = (
    "health",
    "sport",
    "food",
    "work",
    "finance",
    "home",
    "relationships",
    "family",
    "pets",
    "travel",
    "learning",
    "technology",
    "arts",
    "shopping",
    GENERAL,
)
FILE = Path(__file__).with_suffix(".npz")
_MODELS = RunModels(FILE)


def theme(summary: str, vector: NDArray[np.float32], embedder: str) -> str:
    """One of `THEMES`, from a scene's summary and its vector by the embedder of this name."""
    length = float(np.linalg.norm(vector)) or 1.0
    return likeliest(_MODELS.odds(summary, embedder, lambda: vector / length))


def likeliest(odds: Odds) -> str:
    """The theme with the most of odds of the shape (THEMES,)."""
    return THEMES[int(odds.argmax())]
