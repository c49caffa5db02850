"""Standing: which of several messages tell the answer to a question, and which of these answers no longer stands.

"110 a day" is no answer any more once "Gaz has put me up to 125" was said. The messages are read together, in order of
time, because only a later message shows that an earlier one is out of date. Learned from questions by blind hands, each
with messages of which they had said so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evermem_cli.reading.segments import Room, Segments, segment_odds
from evermem_cli.reading.shipped import ShippedModel

NAME = "standing"
# The tokens that are read: of the question, of each message, and together.
ROOM = Room(before=48, part=80, most=448)
OUTPUTS = 2  # of a token: log odds that its message tells the answer that stands, and one that was replaced later


class Said(NamedTuple):
    """A message: when it was sent (in the reader's zone), its speaker and its text."""

    at: datetime
    speaker: str
    text: str


@dataclass(frozen=True)
class Standing:
    """Reads a question together with messages. Knows English only."""

    model: ShippedModel = field(default_factory=lambda: ShippedModel(NAME))

    def replaced(self, question: str, messages: Sequence[Said]) -> list[bool]:
        """Whether each message, in order of time, tells an answer that a later one has replaced. Raises ModelError."""
        if len(messages) < 2:
            return [False] * len(messages)
        odds = self.log_odds([(question, messages)])[0]
        return [bool(stale >= self.model.settings["threshold"]) for _, stale in odds]

    def log_odds(self, asked: Sequence[tuple[str, Sequence[Said]]]) -> list[NDArray[np.float32]]:
        """The log odds of each message of each question, each of the shape (messages, OUTPUTS). Raises ModelError."""
        return segment_odds(self.model, [segments(question, said) for question, said in asked], ROOM, OUTPUTS)


def segments(question: str, messages: Sequence[Said]) -> Segments:
    """A question and messages as the model reads them, each message with its day and speaker."""
    return Segments(question, tuple(f"{said.at:%Y-%m-%d} {said.speaker}: {said.text}" for said in messages))
