"""Segments: a text before and the parts of a text after it, read in one pass, with log odds for each part."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evermem_cli.engines.onnx import batches
from evermem_cli.reading.shipped import ShippedModel, TokenPair

# Tokens of one batch, padding included. Texts of similar length share a batch.
_BATCH_TOKENS = 2048


class Segments(NamedTuple):
    """What is read together: a text before, empty where there is none, and the parts in order."""

    before: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Room:
    """Maximum tokens read: of the text before, of each part, and of everything together."""

    before: int
    part: int
    most: int


class SegmentTokens(NamedTuple):
    """The tokens of segments, and of each part the places of its tokens, from and to, among them all."""

    pair: TokenPair
    places: list[tuple[int, int]]


def segment_odds(model: ShippedModel, texts: Sequence[Segments], room: Room, outputs: int) -> list[NDArray[np.float32]]:
    """The means of the model's outputs over each part of each text, each array of the shape (parts, outputs).

    A part beyond the room has those of nothing: minus infinity. Raises ModelError.
    """
    tokens = [segment_tokens(text, model, room) for text in texts]
    odds: list[NDArray[np.float32]] = [np.empty((0, outputs), np.float32)] * len(texts)
    for batch in batches({n: len(one.pair.ids) for n, one in enumerate(tokens)}, _BATCH_TOKENS):
        logits = model.run([tokens[n].pair for n in batch])
        for row, n in enumerate(batch):
            odds[n] = np.array([_mean(logits[row, start:stop], outputs) for start, stop in tokens[n].places])
    return odds


def segment_tokens(text: Segments, model: ShippedModel, room: Room) -> SegmentTokens:
    """The tokens as the model takes them. Of the text before the last ones are kept, of each part the first ones."""
    before = model.encode(text.before).ids[-room.before :] if text.before else []
    left = room.most - len(before) - 3
    own: list[int] = []
    places = []
    for part in text.parts:
        start = len(own)
        own = [*own, *model.encode(part).ids[: room.part]][:left]
        places.append((start, len(own)))
    pair = model.pair(before, own)
    return SegmentTokens(pair, [(pair.second + start, pair.second + stop) for start, stop in places])


def _mean(logits: NDArray[np.float32], outputs: int) -> NDArray[np.float32]:
    if not len(logits):
        return np.full(outputs, -np.inf, np.float32)
    mean: NDArray[np.float32] = logits.mean(axis=0)
    return mean
