"""What a message tells of an arrangement: that it is on another day ("tuesday it is"), or off ("no wedding then").

Two linear models over the words of the message and, where the embedder is the one that they learned with, its meaning.
`python -m tests.training.outcomes` makes the weights. Chinese moves are read by a pattern.
"""

import re
from collections.abc import Iterable
from enum import StrEnum

from evermem_cli.engines import Embedder
from evermem_cli.languages.language import language
from evermem_cli.memory import Message
from evermem_cli.reading.shipped import WEIGHTS
from evermem_cli.reading.word_runs import Odds, RunModels

BY_WORDS = -2.0  # the log odds by the words alone from which on the meaning is looked at, too
_CHINESE = re.compile(r"改(?:到|成|为|在|了|签|期)|推迟|推到|延期|延到|提前到|不是.{1,12}是")


class PlanOutcome(StrEnum):
    """What becomes of an arrangement."""

    MOVED = "moved"
    OFF = "off"


# The log odds from which on a message counts; what fits no plan is dropped later.
LEAST = {PlanOutcome.MOVED: -0.5, PlanOutcome.OFF: -1.0}
FILES = {outcome: WEIGHTS / f"{outcome}.npz" for outcome in PlanOutcome}
_MODELS = {outcome: RunModels(file) for outcome, file in FILES.items()}


def outcomes(messages: Iterable[Message], embedder: Embedder) -> dict[str, frozenset[PlanOutcome]]:
    """Which of the messages, by id, seem to change an arrangement, and how they may do so. Raises ModelError."""
    read = ((message.id, _outcomes(message.text, embedder)) for message in messages)
    return {message_id: may_be for message_id, may_be in read if may_be}


def _outcomes(text: str, embedder: Embedder) -> frozenset[PlanOutcome]:
    if language(text) != "en":
        return frozenset({PlanOutcome.MOVED} if _CHINESE.search(text) else ())

    def is_read(outcome: PlanOutcome, models: RunModels) -> bool:
        if log_odds(models.model("en").odds(text)) <= BY_WORDS:
            return False
        odds = models.odds(text, embedder.name, lambda: embedder.embed([text])[0])
        return log_odds(odds) > LEAST[outcome]

    return frozenset(outcome for outcome, models in _MODELS.items() if is_read(outcome, models))


def log_odds(odds: Odds) -> float:
    """The log odds of a change, from those of no change and of one."""
    nothing, change = odds
    return float(change - nothing)
