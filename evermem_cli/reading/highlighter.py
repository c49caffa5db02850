"""The highlighter: an encoder with one linear head that marks the sentences of a message worth remembering.

It learned from chats of which people noted what a careful reader would keep, what of it can be understood alone, and
which sentences would head their topic.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evermem_cli.engines.onnx import batches
from evermem_cli.languages.language import language
from evermem_cli.reading.shipped import WEIGHTS, ShippedModel, TokenPair

NAME = "highlighter"
# Tokens of one batch, padding included. Messages of similar length share a batch.
_BATCH_TOKENS = 256
# Maximum tokens read: the first ones of a message, and the last ones of the message before it.
MOST_TOKENS = 256
BEFORE_TOKENS = 40
# The model's vocabulary has no Chinese.
LANGUAGES = ("en",)
OUTPUTS = 5  # of a token: the log odds of each field of `Highlight` for its sentence; above 0 it is so


class Highlight(NamedTuple):
    """What the highlighter says of a sentence.

    `is_kept` if it is worth remembering, `joins` if it tells one fact together with the sentence before it, `is_clear`
    if who knows its speaker and its day understands it alone, `needs_own` if it needs its message up to it. `heading`
    are the log odds that it would do as the heading of its topic.
    """

    is_kept: bool
    joins: bool
    is_clear: bool
    needs_own: bool
    heading: float


class Draft(NamedTuple):
    """A message to highlight: the message before it, empty where there is none, and its own sentences in order."""

    before: str
    sentences: tuple[str, ...]


class SentenceTokens(NamedTuple):
    """The tokens of a draft, and of each sentence the places of its tokens, from and to, among them all."""

    pair: TokenPair
    places: list[tuple[int, int]]


@dataclass(frozen=True)
class Highlighter:
    """Highlights with the weights in `folder`, which the first use loads. `threads` 0 is all cores.

    Raises ModelError where the weights cannot be loaded or are not those that `highlighter.json` describes.
    """

    folder: Path = WEIGHTS
    threads: int = 0

    def highlight(self, drafts: Sequence[Draft]) -> list[list[Highlight] | None]:
        """What it says of each sentence of each message; None for a message in a language that it cannot read."""
        readable = [n for n, draft in enumerate(drafts) if language(" ".join(draft.sentences)) in LANGUAGES]
        marks: list[list[Highlight] | None] = [None] * len(drafts)
        for n, odds in zip(readable, self.log_odds([drafts[n] for n in readable]), strict=True):
            marks[n] = [_highlight(row) for row in odds]
        return marks

    def log_odds(self, drafts: Sequence[Draft]) -> list[NDArray[np.float32]]:
        """The log odds of each sentence of each draft, each of the shape (sentences, OUTPUTS).

        A sentence beyond `MOST_TOKENS` has those of nothing: minus infinity.
        """
        tokens = [sentence_tokens(draft, self._model) for draft in drafts]
        odds: list[NDArray[np.float32]] = [np.empty((0, OUTPUTS), np.float32)] * len(drafts)
        for batch in batches({n: len(one.pair.ids) for n, one in enumerate(tokens)}, _BATCH_TOKENS):
            logits = self._model.run([tokens[n].pair for n in batch])
            for row, n in enumerate(batch):
                odds[n] = np.array([_mean(logits[row, start:stop]) for start, stop in tokens[n].places])
        return odds

    @cached_property
    def _model(self) -> ShippedModel:
        return ShippedModel(NAME, self.folder, self.threads)


def _highlight(odds: NDArray[np.float32]) -> Highlight:
    is_kept, joins, is_clear, needs_own, _ = (odds > 0).tolist()
    return Highlight(is_kept, joins, is_clear, needs_own, heading=float(odds[-1]))


def sentence_tokens(draft: Draft, model: ShippedModel) -> SentenceTokens:
    """The tokens of a draft as the model takes them."""
    before = model.encode(draft.before).ids[-BEFORE_TOKENS:]
    room = MOST_TOKENS - len(before) - 3
    own: list[int] = []
    places = []
    for sentence in draft.sentences:
        start = len(own)
        own = [*own, *model.encode(sentence).ids][:room]
        places.append((start, len(own)))
    pair = model.pair(before, own)
    return SentenceTokens(pair, [(pair.second + start, pair.second + stop) for start, stop in places])


def _mean(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    if not len(logits):
        return np.full(OUTPUTS, -np.inf, np.float32)
    mean: NDArray[np.float32] = logits.mean(axis=0)
    return mean
