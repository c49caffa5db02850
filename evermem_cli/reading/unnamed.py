"""Whether the words of a job name one, or tell only that it begins, ends or was got: "handed in my notice".

A linear model over the words. `python -m tests.training.unnamed` makes the weights. Chinese words always name one.
"""

from evermem_cli.languages.language import language
from evermem_cli.reading.shipped import WEIGHTS
from evermem_cli.reading.word_runs import RunModels, softmax

FILE = WEIGHTS / "unnamed.npz"
LEAST = 0.5  # the probability from which on words name nothing
_MODELS = RunModels(FILE)


def names_job(words: str) -> bool:
    """Whether the words say which job it is, or what status. Raises ModelError."""
    return language(words) != "en" or float(softmax(_MODELS.model("en").odds(words))[1]) < LEAST
