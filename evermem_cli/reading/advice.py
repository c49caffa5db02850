"""Whether a question asks for advice: "Is a bus tour a good idea for me?", and not "Which tour did Ana recommend?".

A linear model over the words of the question and, where the embedder is the one that it learned with, its meaning.
`python -m tests.training.advice` makes the weights.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evermem_cli.reading.shipped import WEIGHTS
from evermem_cli.reading.word_runs import RunModels

FILE = WEIGHTS / "advice.npz"
_MODELS = RunModels(FILE)


def asks_for_advice(question: str, embedder: str, meaning: Callable[[], NDArray[np.float32]]) -> bool:
    """Whether the question asks what to do, and not what was said or done.

    `meaning` is the vector of the question by the embedder of this name. Raises ModelError.
    """
    no, yes = _MODELS.odds(question, embedder, meaning)
    return bool(yes > no)
