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
# Of a token: log odds that its message tells the answer that stands, and one that was replaced later. The second are
# learned beside the first, and tell less by themselves.
OUTPUTS = 2


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
        """Whether each message, in order of time, is outdone by a later one. Raises ModelError.

        Its answer is taken for replaced where a later message is so much likelier to tell the answer that stands.
        """
        if len(messages) < 2:
            return [False] * len(messages)
        leads = self.leads(self.log_odds([(question, messages)])[0])
        return [bool(lead > self.model.settings["lead"]) for lead in leads]

    @staticmethod
    def leads(odds: NDArray[np.float32]) -> NDArray[np.float32]:
        """Shape (messages,): how far above its own odds of standing the best odds of a later message lie."""
        stands = np.append(odds[:, 0], -np.inf).astype(np.float32)
        later = np.maximum.accumulate(stands[::-1])[::-1][1:]
        with np.errstate(invalid="ignore"):  # messages beyond the room
            leads: NDArray[np.float32] = np.nan_to_num(later - stands[:-1], nan=-np.inf)
        return leads

    def log_odds(self, asked: Sequence[tuple[str, Sequence[Said]]]) -> list[NDArray[np.float32]]:
        """The log odds of each message of each question, each of the shape (messages, OUTPUTS). Raises ModelError."""
        return segment_odds(self.model, [segments(question, said) for question, said in asked], ROOM, OUTPUTS)


def segments(question: str, messages: Sequence[Said]) -> Segments:
    """A question and messages as the model reads them, each message with its day and speaker."""
    return Segments(question, tuple(f"{said.at:%Y-%m-%d} {said.speaker}: {said.text}" for said in messages))
