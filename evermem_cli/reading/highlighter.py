"""The highlighter: an encoder with one linear head that marks the sentences of a message worth remembering.

It learned from chats in which people wrote down every fact that a careful reader would keep.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evermem_cli.languages.language import language
from evermem_cli.reading.segments import Room, Segments, segment_odds
from evermem_cli.reading.shipped import WEIGHTS, ShippedModel

NAME = "highlighter"
# The tokens that are read: the last ones of the message before, and the first ones of the message.
ROOM = Room(before=40, part=256, most=256)
# The model's vocabulary has no Chinese.
LANGUAGES = ("en",)
OUTPUTS = 2  # of a token: log odds that its sentence is kept, and that it joins; above 0 it is or does


class Highlight(NamedTuple):
    """What the highlighter says of a sentence.

    `is_kept` if it is worth remembering, `joins` if it tells one fact together with the sentence before it.
    """

    is_kept: bool
    joins: bool


@dataclass(frozen=True)
class Highlighter:
    """Highlights with the weights in `folder`, which the first use loads. `threads` 0 is all cores.

    A draft to highlight is the message before and the sentences of the message. Raises ModelError where the weights
    cannot be loaded or are not those that `highlighter.json` describes.
    """

    folder: Path = WEIGHTS
    threads: int = 0

    def highlight(self, drafts: Sequence[Segments]) -> list[list[Highlight] | None]:
        """What it says of each sentence of each message; None for a message in a language that it cannot read."""
        readable = [n for n, draft in enumerate(drafts) if language(" ".join(draft.parts)) in LANGUAGES]
        marks: list[list[Highlight] | None] = [None] * len(drafts)
        for n, odds in zip(readable, self.log_odds([drafts[n] for n in readable]), strict=True):
            marks[n] = [Highlight(*map(bool, row > 0)) for row in odds]
        return marks

    def log_odds(self, drafts: Sequence[Segments]) -> list[NDArray[np.float32]]:
        """The log odds of each sentence of each draft, each of the shape (sentences, OUTPUTS)."""
        return segment_odds(self._model, drafts, ROOM, OUTPUTS)

    @cached_property
    def _model(self) -> ShippedModel:
        return ShippedModel(NAME, self.folder, self.threads)
