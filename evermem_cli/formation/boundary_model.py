"""The probability that a topic ends between two messages: logistic regressions over wording, similarity and meaning.

In small talk people drift from topic to topic; in enquiries they ask one thing after another. There is one regression
for each, mixed by how much the talk so far resembles either. The model uses nothing later than the message after the
gap and nothing before the current segment, so a chat that arrives in parts is segmented like the whole.
`tests.benchmarks.segmentation --train` produces its weights.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evermem_cli.formation.cues import CUE_NAMES, read_cues
from evermem_cli.memory import Message, Role
from evermem_cli.whole_files import of_package

Matrix = NDArray[np.float32]

WEIGHTS = Path(__file__).with_name("boundary_weights.json")
# The embedder on whose vectors the meaning weights were trained. For any other embedder the meaning term is omitted.
TRAINED_EMBEDDER = "all-minilm-l6-v2"
# The next message is compared with the last 1, 2 … DEPTH messages of the current segment.
DEPTH = 6
_FADING = 0.6  # decay of older messages in the running mean of the segment

_CUE = {name: column for column, name in enumerate(CUE_NAMES)}


@dataclass(frozen=True, slots=True)
class BoundaryWeights:
    """Trained weights, one per column of `wording`, `likeness` and `meaning` (empty: not used).

    `bias` includes the threshold.
    """

    wording: Matrix
    likeness: Matrix
    meaning: Matrix
    bias: float


@dataclass(frozen=True, slots=True)
class BoundaryModel:
    """One regression for small talk, and one for enquiries if vectors of the trained embedder are available.

    `genre` mixes them: one weight per column of `so_far`, and the bias.
    """

    talk: BoundaryWeights
    enquiry: BoundaryWeights | None
    genre: Matrix


def boundary_scores(messages: Sequence[Message], vectors: Matrix, model: BoundaryModel) -> Matrix:
    """Log odds that a topic ends at each gap, shape (len(messages) - 1, DEPTH); positive means that it ends.

    Column d is for a current segment of d + 1 messages, the last column for any longer one. `vectors` are the messages'
    embeddings, shape (len(messages), dimension).
    """
    words, alike, meanings = wording(messages), likeness(vectors), meaning(vectors)
    talk = _log_odds(words, alike, meanings, model.talk)
    if model.enquiry is None:
        return talk
    share = 1 / (1 + np.exp(-np.vecdot(so_far(vectors), model.genre[:-1]) - model.genre[-1]))
    mixed: Matrix = talk + share * (_log_odds(words, alike, meanings, model.enquiry) - talk)
    return mixed


def _log_odds(words: Matrix, alike: Matrix, meanings: Matrix, weights: BoundaryWeights) -> Matrix:
    # Row by row, so that a score does not depend on the number of messages, not even in the last bit.
    fixed: Matrix = np.vecdot(words, weights.wording) + np.float32(weights.bias)
    if weights.meaning.size:
        fixed = fixed + np.vecdot(meanings, weights.meaning)
    odds: Matrix = fixed[:, None] + np.vecdot(alike, weights.likeness)
    return odds


@cache
def load_model(embedder: str, eagerness: float = 0.0) -> BoundaryModel:
    """The shipped weights for an embedder, given by name.

    `eagerness` is added to the log odds between two statements of one speaker, the last column of `wording`.
    """
    with of_package(WEIGHTS) as stream:
        numbers = json.load(stream)
    trained = embedder.rpartition("/")[2].lower() == TRAINED_EMBEDDER
    chosen = numbers[TRAINED_EMBEDDER if trained else "any"]
    return BoundaryModel(
        talk=_weights(chosen["talk"], eagerness),
        enquiry=_weights(chosen["enquiry"], eagerness) if trained else None,
        genre=np.array(chosen["genre"], np.float32),
    )


def _weights(numbers: dict[str, Any], eagerness: float) -> BoundaryWeights:
    words, alike, meanings = (np.array(numbers[name], np.float32) for name in ("wording", "likeness", "meaning"))
    words[-1] += eagerness
    return BoundaryWeights(wording=words, likeness=alike, meaning=meanings, bias=numbers["bias"])


def wording(messages: Sequence[Message]) -> Matrix:
    """Cues on both sides of each gap, the speakers, and how one answers the other; (len(messages) - 1, features)."""
    cues = read_cues([message.text for message in messages])
    left, right = cues[:-1], cues[1:]
    same = np.array([a.speaker == b.speaker for a, b in pairwise(messages)], dtype=np.float32)
    known = np.array([message.role is not Role.PARTICIPANT for message in messages], dtype=np.float32)
    user = np.array([message.role is Role.USER for message in messages], dtype=np.float32)
    turn = [same, known[1:], user[1:], user[:-1], *_exchange(left, right, same, user[1:])]
    return np.concatenate([left, right, np.stack(turn, axis=1)], axis=1)


def _exchange(left: Matrix, right: Matrix, same: Matrix, by_user: Matrix) -> list[Matrix]:
    """How the second message responds to the first: to an open question, or as an initiative while none is open."""
    pending, asks = left[:, _CUE["ends_asking"]], right[:, _CUE["asks"]]
    initiative = (1 - pending) * asks
    return [
        pending * asks,
        initiative,
        initiative * by_user,
        pending * by_user,
        pending * right[:, _CUE["short"]],
        pending * same,
        same * (1 - np.maximum(pending, left[:, _CUE["asks"]])) * (1 - asks),  # consecutive notes of one person
    ]


def likeness(vectors: Matrix) -> Matrix:
    """Similarity of the next message to the last d + 1 messages; shape (len(vectors) - 1, DEPTH, features)."""
    gaps, width = len(vectors) - 1, vectors.shape[1]
    padded = np.concatenate([np.zeros((DEPTH, width), np.float32), vectors])
    following = vectors[1:]
    total: Matrix = np.zeros((gaps, width), np.float32)
    fading: Matrix = np.zeros((gaps, width), np.float32)
    single: list[Matrix] = []
    rows = []
    for depth in range(DEPTH):
        older = padded[DEPTH - depth : DEPTH - depth + gaps]
        total += older
        fading += older * np.float32(_FADING**depth)
        single.append(_cosine(older, following))
        before = single[1] if depth else np.zeros(gaps, np.float32)
        cohesion = np.linalg.norm(total, axis=1) / np.float32(depth + 1)
        columns = [
            _cosine(total, following),
            _cosine(fading, following),
            np.max(single, axis=0),
            single[0],
            before,
            cohesion,
        ]
        rows.append(np.stack(columns, axis=1))
    return np.stack(rows, axis=1)


def meaning(vectors: Matrix) -> Matrix:
    """Both embeddings at each gap, since some content is typical of ends; shape (len(vectors) - 1, 2 * dimension)."""
    return np.concatenate([vectors[:-1], vectors[1:]], axis=1)


def so_far(vectors: Matrix) -> Matrix:
    """The common subject of the last d + 1 messages and the next; shape (len(vectors) - 1, DEPTH, dimension)."""
    gaps, width = len(vectors) - 1, vectors.shape[1]
    padded = np.concatenate([np.zeros((DEPTH, width), np.float32), vectors])
    total = vectors[1:]
    sums = []
    for depth in range(DEPTH):
        total = total + padded[DEPTH - depth : DEPTH - depth + gaps]
        sums.append(total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), np.float32(1e-6)))
    return np.stack(sums, axis=1)


def _cosine(a: Matrix, b: Matrix) -> Matrix:
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    cosines: Matrix = np.vecdot(a, b) / np.maximum(lengths, np.float32(1e-6))
    return cosines
