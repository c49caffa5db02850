"""Whether a question asks for advice: "Is a bus tour a good idea for me?", and not "Which tour did Ana recommend?".

A linear model over the words of the question and, where the embedder is the one that it learned with, its meaning.
`python -m tests.training.advice` makes the weights.
"""

from evermem_cli.engines import Embedder
from evermem_cli.reading.shipped import WEIGHTS
from evermem_cli.reading.word_runs import RunModels

FILE = WEIGHTS / "advice.npz"
_MODELS = RunModels(FILE)


def asks_for_advice(question: str, embedder: Embedder) -> bool:
    """Whether the question asks what to do, and not what was said or done. Raises ModelError."""
    no, yes = _MODELS.odds(question, embedder.name, lambda: embedder.embed([question])[0])
    return bool(yes > no)
