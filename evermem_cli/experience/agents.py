"""The type of assistant that a request is for.

A linear model over the words of the request and, where the embedder is the one that it learned with, its meaning.
`python -m tests.training.kinds` makes the weights.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evermem_cli.memory import AgentType
from evermem_cli.reading.word_runs import Odds, RunModels

FILE = Path(__file__).with_name("agent_types.npz")
TYPES = tuple(AgentType)
_MODELS = RunModels(FILE)


def agent_type(request: str, vector: NDArray[np.float32], embedder: str) -> AgentType:
    """The type of a request, given with its vector and the name of the embedder that it is by."""
    return likeliest(_MODELS.odds(request, embedder, lambda: vector))


def likeliest(odds: Odds) -> AgentType:
    """The type with the most of odds of the shape (TYPES,)."""
    return TYPES[int(odds.argmax())]
