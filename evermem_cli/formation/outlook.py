"""Whether a sentence tells what is to come ("train's at six on saturday") or what goes on ("on crutches till easter").

A linear model over the words of the sentence and over signs: the statements that the tagger reads in it, and where its
period lies. `python -m tests.training.outlook` makes the weights.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from evermem_cli.memory import Statement
from evermem_cli.reading.word_runs import Odds, RunModels, softmax
from evermem_cli.timespan import Interval

FILE = Path(__file__).with_name("outlook.npz")
# The probability from which on a sentence counts. It was chosen by the figures of all hands, each left out in turn.
LEAST = 0.3
_MODELS = RunModels(FILE)


class Outlook(StrEnum):
    """What a sentence tells of the time after it was said."""

    NOTHING = "nothing"
    AHEAD = "ahead"  # arranged, intended or hoped for
    LASTING = "lasting"  # a state that goes on


OUTLOOKS = tuple(Outlook)  # in the order of the model's kinds


def read_outlook(sentence: str, tongue: str, signs: Iterable[str]) -> Outlook:
    """What the sentence tells of the time to come. Raises ModelError."""
    return likeliest(_MODELS.model(tongue).odds(sentence, signs=signs))


def likeliest(odds: Odds) -> Outlook:
    """The outlook of log odds of the shape (OUTLOOKS,)."""
    shares = softmax(odds)
    if 1 - shares[0] < LEAST:
        return Outlook.NOTHING
    return OUTLOOKS[1 + int(shares[1:].argmax())]


def signs_of(statements: Iterable[Statement], period: Interval | None, at: datetime) -> Iterator[str]:
    """The signs of a sentence: of the statements that it has, and of its period, seen from when it was said."""
    for statement in statements:
        yield from (statement.kind, statement.stance, statement.whose, f"{statement.kind} {statement.stance}")
    if period:
        start, end = _side(period.start, at), _side(period.end, at)
        yield from (period.grain, f"from {start}", f"until {end}", f"from {start} until {end}")


def _side(edge: datetime | None, at: datetime) -> str:
    if edge is None:
        return "open"
    return "before" if edge < at else "after" if edge > at else "now"
