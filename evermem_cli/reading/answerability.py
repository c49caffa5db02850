"""Answerability: how likely a window of messages contains the answer to a question."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from evermem_cli.engines import Scores
from evermem_cli.engines.onnx import batches
from evermem_cli.reading.shipped import ShippedModel

NAME = "answerability"
BATCH_TOKENS = 1024
# Maximum tokens read: of a question, and of a question and a window together.
QUESTION_TOKENS = 48
MOST_TOKENS = 192


class SpokenLine(NamedTuple):
    """A message: its speaker and its text."""

    speaker: str
    text: str


@dataclass(frozen=True)
class Answerability:
    """A cross-encoder that reads a question together with a window of messages. Knows English only."""

    model: ShippedModel = field(default_factory=lambda: ShippedModel(NAME))

    def margins(self, question: str, passages: Sequence[str]) -> Scores:
        """Shape (len(passages),): by how much each logit exceeds the threshold.

        A passage with a margin below 0 hardly ever contains the answer. Raises ModelError.
        """
        return self.score(question, passages) - float(self.model.settings["threshold"])

    def score(self, question: str, passages: Sequence[str]) -> Scores:
        """Shape (len(passages),): logits that a passage contains the answer. Raises ModelError."""
        asked = self.model.encode(question).ids[:QUESTION_TOKENS]
        room = MOST_TOKENS - len(asked) - 3
        pairs = [self.model.pair(asked, self.model.encode(passage).ids[:room]) for passage in passages]
        scores = np.empty(len(pairs), dtype=np.float64)
        for batch in batches({index: len(pair.ids) for index, pair in enumerate(pairs)}, BATCH_TOKENS):
            scores[batch] = self.model.run([pairs[index] for index in batch])
        return scores


def asked_by(asker: str | None, question: str) -> str:
    """The question as the model reads it, after the name of the person who asks."""
    return f"{asker} asks: {question}" if asker else question


def in_window(messages: Sequence[SpokenLine], place: int) -> str:
    """The message at this place with the one before and the one after it, a line each."""
    near = messages[max(0, place - 1) : place + 2]
    return "\n".join(f"{said.speaker}: {said.text}" for said in near)
