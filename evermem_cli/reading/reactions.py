"""Reactions: what a sentence of the user says of an assistant's reply, or of how something turned out.

English is read by an encoder together with the reply, Chinese without the reply by a linear model of its characters.
Both have learned from comments in which most results are told by what happened. `python -m tests.training.reactions`
makes the weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evermem_cli.engines.onnx import batches
from evermem_cli.languages.language import language
from evermem_cli.reading.shipped import WEIGHTS, ShippedModel, TokenPair
from evermem_cli.reading.word_runs import RunModels, softmax

NAME = "reactions"
CHINESE = "reactions-zh.npz"
_BATCH_TOKENS = 2048
# Maximum tokens read: the first of a reply, the last of what the user said before, the first of a sentence.
REPLY_TOKENS, EARLIER_TOKENS, SENTENCE_TOKENS = 64, 32, 64

_CHARACTERS = 1000  # of each text, which hold more tokens than are read
# The largest shares of "no judgement" and of the opposite judgement, which does more harm, at which a judgement counts.
# Left-out hands chose them, so that three of four judgements are right. Without a reply few sentences judge anything,
# so more is asked: as much as scenario S19 allows. Of 1,169 sentences with which chats of LongMemEval begin, 11 are
# taken for a failure.
MOST_NOTHING, MOST_NOTHING_ALONE, MOST_OPPOSITE = 0.4, 0.35, 0.1

Shares = NDArray[np.float32]


class Reaction(StrEnum):
    """What one sentence says about a result."""

    GOOD = "good"
    BAD = "bad"
    MIXED = "mixed"  # partly good, or wanted again but otherwise
    NOTED = "noted"  # acknowledged without a judgement: "Okay, I'll try that"


KINDS = (*Reaction, None)  # None is anything else: news, stories, new requests


class Comment(NamedTuple):
    """A sentence of a user: the assistant's reply ("" where there is none), and the user's words since."""

    reply: str
    earlier: str
    sentence: str


@dataclass(frozen=True)
class ReactionModel:
    """Reads reactions with the weights in `folder`, which the first use loads. `threads` 0 is all cores.

    Raises ModelError where the weights cannot be loaded or are not those that `reactions.json` describes.
    """

    folder: Path = WEIGHTS
    threads: int = 0

    def read(self, comments: Sequence[Comment]) -> list[Reaction | None]:
        """The reaction in each comment; None where there is none of which the model is sure."""
        return [
            reaction_of(shares, has_reply=bool(comment.reply))
            for comment, shares in zip(comments, self.shares(comments), strict=True)
        ]

    def shares(self, comments: Sequence[Comment]) -> Shares:
        """Shape (comments, KINDS): how likely each kind is, 1 in sum."""
        shares = np.zeros((len(comments), len(KINDS)), dtype=np.float32)
        readers = {"en": self._english, "zh": self._chinese}
        for tongue, read in readers.items():
            places = [place for place, comment in enumerate(comments) if language(comment.sentence) == tongue]
            if places:
                shares[places] = read([comments[place] for place in places])
        return shares

    @cached_property
    def model(self) -> ShippedModel:
        """The encoder."""
        return ShippedModel(NAME, self.folder, self.threads)

    def _english(self, comments: Sequence[Comment]) -> Shares:
        pairs = [comment_tokens(comment, self.model) for comment in comments]
        odds = np.zeros((len(pairs), len(KINDS)), dtype=np.float32)
        for batch in batches({place: len(pair.ids) for place, pair in enumerate(pairs)}, _BATCH_TOKENS):
            logits = self.model.run([pairs[place] for place in batch])
            for row, place in enumerate(batch):
                odds[place] = logits[row, pairs[place].second : len(pairs[place].ids)].mean(axis=0)
        return softmax(odds)

    def _chinese(self, comments: Sequence[Comment]) -> Shares:
        model = RunModels(self.folder / CHINESE).model("zh")
        return softmax(np.stack([model.odds(comment.sentence[:_CHARACTERS]) for comment in comments]))


def reaction_of(shares: Shares, *, has_reply: bool) -> Reaction | None:
    """The reaction of which shares of the shape (KINDS,) are sure enough, to a reply or to something not seen."""
    good, bad, _, noted, nothing = shares
    most = MOST_NOTHING if has_reply else MOST_NOTHING_ALONE
    if noted + nothing <= most and min(good, bad) <= MOST_OPPOSITE:
        return tuple(Reaction)[int(shares[:3].argmax())]
    return Reaction.NOTED if noted > max(nothing, 0.5) else None


def comment_tokens(comment: Comment, model: ShippedModel) -> TokenPair:
    """The tokens of a comment as the model takes them: the reply and what was said since, then the sentence."""
    reply = model.encode(comment.reply[:_CHARACTERS]).ids[:REPLY_TOKENS]
    earlier = model.encode(comment.earlier[-_CHARACTERS:]).ids[-EARLIER_TOKENS:]
    since = [model.settings["end_token"], *earlier] if earlier else []
    return model.pair([*reply, *since], model.encode(comment.sentence[:_CHARACTERS]).ids[:SENTENCE_TOKENS])
