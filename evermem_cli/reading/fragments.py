"""Whether a value that was cut out of a message says something by itself: "hairline fracture" does, "six weeks" not.

A linear model over the words of a value and its kind. `python -m tests.training.fragments` makes the weights.
"""

from collections.abc import Iterator

from evermem_cli.languages.language import language
from evermem_cli.reading.shipped import WEIGHTS
from evermem_cli.reading.word_runs import RunModels, softmax

FILE = WEIGHTS / "fragments.npz"
# The probability from which on a value is taken for a fragment: below, "flu" would be told as "I have the flu".
LEAST = 0.4
_MOST_COUNTED = 6  # words of a value, more of which are no other sign
_MODELS = RunModels(FILE)


def is_fragment(kind: str, value: str) -> bool:
    """Whether a profile's reader would not understand the value of this kind alone; no Chinese one is judged.

    Raises ModelError.
    """
    return language(value) == "en" and fragmentary(kind, value) >= LEAST


def fragmentary(kind: str, value: str) -> float:
    """The probability that an English value of this kind is a fragment. Raises ModelError."""
    return float(softmax(_MODELS.model("en").odds(value, signs=signs(kind, value)))[1])


def signs(kind: str, value: str) -> Iterator[str]:
    """What is known of a value beside its words: its kind, length, ends and form, alone and with the kind."""
    words = value.casefold().split() or [""]
    yield kind
    for sign in (
        f"n{min(len(words), _MOST_COUNTED)}",
        f"first {words[0]}",
        f"last {words[-1]}",
        *(["digit"] if any(map(str.isdigit, value)) else []),
        *(["upper"] if value[:1].isupper() else []),
    ):
        yield sign
        yield f"{kind} {sign}"
