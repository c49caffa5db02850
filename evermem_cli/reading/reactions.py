"""Reactions: what a sentence of the user says of an assistant's reply, or of how something turned out.

English is read by an encoder together with the reply, Chinese without the reply by a linear model of its characters.
Both have learned from remarks in which most results are told by what happened. `python -m tests.training.reactions`
makes the weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evermem_cli.engines.onnx import batches
from evermem_cli.languages.language import language
from evermem_cli.reading.shipped import WEIGHTS, ShippedModel, TokenPair
from evermem_cli.reading.word_runs import by_words

NAME = "reactions"
CHINESE = "reactions-zh.npz"
_BATCH_TOKENS = 2048
# Maximum tokens read: the first of a reply, the last of what the user said before, the first of a sentence.
REPLY_TOKENS, EARLIER_TOKENS, SENTENCE_TOKENS = 64, 32, 64

Shares = NDArray[np.float64]


class Reaction(StrEnum):
    """What one sentence says about a result."""

    GOOD = "good"
    BAD = "bad"
    MIXED = "mixed"  # partly good, or wanted again but otherwise
    NOTED = "noted"  # acknowledged without a judgement: "Okay, I'll try that"


KINDS = (*Reaction, None)  # None is anything else: news, stories, new requests


class Remark(NamedTuple):
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

    def read(self, remarks: Sequence[Remark]) -> list[Reaction | None]:
        """The reaction in each remark; None where there is none of which the model is sure."""
        heard: list[Reaction | None] = []
        for remark, shares in zip(remarks, self.shares(remarks), strict=True):
            kind = int(np.argmax(shares))
            sure = self.model.settings["sure"][language(remark.sentence)]
            heard.append(KINDS[kind] if shares[kind] >= sure else None)
        return heard

    def shares(self, remarks: Sequence[Remark]) -> Shares:
        """Shape (remarks, KINDS): how likely each kind is, 1 in sum."""
        shares = np.zeros((len(remarks), len(KINDS)))
        readers = {"en": self._english, "zh": self._chinese}
        for tongue, read in readers.items():
            places = [place for place, remark in enumerate(remarks) if language(remark.sentence) == tongue]
            if places:
                shares[places] = read([remarks[place] for place in places])
        return shares

    @cached_property
    def model(self) -> ShippedModel:
        """The encoder and the settings."""
        return ShippedModel(NAME, self.folder, self.threads)

    def _english(self, remarks: Sequence[Remark]) -> Shares:
        pairs = [remark_tokens(remark, self.model) for remark in remarks]
        odds = np.zeros((len(pairs), len(KINDS)))
        for batch in batches({place: len(pair.ids) for place, pair in enumerate(pairs)}, _BATCH_TOKENS):
            logits = self.model.run([pairs[place] for place in batch])
            for row, place in enumerate(batch):
                odds[place] = logits[row, pairs[place].second : len(pairs[place].ids)].mean(axis=0)
        return softmax(odds)

    def _chinese(self, remarks: Sequence[Remark]) -> Shares:
        weights, constants = self._linear
        return softmax(np.stack([by_words(remark.sentence) for remark in remarks]) @ weights + constants)

    @cached_property
    def _linear(self) -> tuple[Any, Any]:
        with np.load(self.folder / CHINESE) as stored:
            return stored["weights"].astype(np.float64), stored["constants"].astype(np.float64)


def remark_tokens(remark: Remark, model: ShippedModel) -> TokenPair:
    """The tokens of a remark as the model takes them: the reply and what was said since, then the sentence."""
    reply = model.encode(remark.reply).ids[:REPLY_TOKENS]
    earlier = model.encode(remark.earlier).ids[-EARLIER_TOKENS:]
    since = [model.settings["end_token"], *earlier] if earlier else []
    return model.pair([*reply, *since], model.encode(remark.sentence).ids[:SENTENCE_TOKENS])


def softmax(odds: Shares) -> Shares:
    """Shares of the same shape, 1 in sum in each row."""
    raised = np.exp(odds - odds.max(axis=1, keepdims=True))
    shares: Shares = raised / raised.sum(axis=1, keepdims=True)
    return shares
