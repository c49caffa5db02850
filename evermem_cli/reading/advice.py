"""Whether a question asks for advice: "Is a bus tour a good idea for me?", and not "Which tour did Ana recommend?".

A linear model over the words of the question and, where the embedder is the one that it learned with, its meaning.
`python -m tests.training.advice` makes the weights.
"""

import numpy as np
from numpy.typing import NDArray

from evermem_cli.engines import Embedder
from evermem_cli.reading.shipped import WEIGHTS
from evermem_cli.reading.word_runs import RunModels

FILE = WEIGHTS / "advice.npz"
_MODELS = RunModels(FILE)


def asks_for_advice(question: str, embedder: Embedder | None = None) -> bool:
    """Whether the question asks what to do, and not what was said or done; without an embedder by its words alone.

    Raises ModelError.
    """

    def meaning() -> NDArray[np.float32]:
        return embedder.embed([question])[0] if embedder else np.empty(0, dtype=np.float32)

    no, yes = _MODELS.odds(question, embedder.name if embedder else "", meaning)
    return bool(yes > no)
