"""Segmentation: where one MemCell ends and the next begins, by silences, topic boundaries and a hard limit.

Every decision depends only on the current segment and the message after it. So a conversation may arrive in parts:
segmenting again from the start of the open segment gives the same result as segmenting the whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evermem_cli.formation.boundary_model import DEPTH, TRAINED_EMBEDDER, BoundaryModel, boundary_scores, load_model
from evermem_cli.formation.cues import asks, trails_off
from evermem_cli.memory import Message

# A longer silence ends the sitting, and with it the topic. A night is longer; a meal or a meeting is not.
SITTING_GAP = timedelta(hours=6)
# A sitting of at most this many turns is one segment under `auto` (EverMemOS's SKIP_BOUNDARY_DETECTION_THRESHOLD).
SHORT_SITTING = 10
# Log odds that `always` adds between two statements of one speaker. Where nobody answers there are few clues, and
# EverMemOS's example ("I love my job" | "My ankle hurts", "I need a doctor") lies below even odds.
EAGERNESS = 1.0
# Log odds that `auto` requires in addition to those of `always`, so that a slight turn does not separate an answer from
# its question.
CAUTION = 0.6
# The hard limit moves back by at most this many messages to keep related ones in one segment.
BACK_OFF = 5


class BoundaryReason(StrEnum):
    """Why a segment ended."""

    TOPIC = "topic"  # the next message begins another topic
    TIME_GAP = "time_gap"  # silence longer than SITTING_GAP
    HARD_LIMIT = "hard_limit"  # the maximum number of messages was reached within one topic
    END = "end"  # the messages ended; the segment is open


@dataclass(frozen=True, slots=True)
class Segment:
    """Messages [start, stop) as one topic.

    `open`: the next message may still belong to it; only the last segment can be.
    """

    start: int
    stop: int
    reason: BoundaryReason
    open: bool = False


def segment(
    messages: Sequence[Message],
    vectors: NDArray[np.float32],
    *,
    boundary: Literal["auto", "always"],
    max_messages: int = 50,
    continues_sitting: bool = False,
    embedder: str = TRAINED_EMBEDDER,
) -> list[Segment]:
    """Segments that cover `messages` in order; none where there are no messages.

    `vectors` are the embeddings of the messages by `embedder` (its name), shape (len(messages), dimension). `auto`
    leaves a sitting of SHORT_SITTING turns or fewer whole. `always` divides short ones too and divides more readily,
    above all between statements of one speaker.

    To continue a conversation, pass the open segment's messages and the new ones, with `continues_sitting` where the
    segment before ended for a reason other than TIME_GAP.
    """
    if not messages:
        return []
    segments: list[Segment] = []
    for start, stop in pairwise([0, *_sitting_starts(messages), len(messages)]):
        sitting = messages[start:stop]
        known_long = boundary == "always" or (continues_sitting and start == 0)
        if known_long or len(sitting) > min(SHORT_SITTING, max_messages):
            eager = boundary == "always"
            model = load_model(embedder, EAGERNESS if eager else 0.0)
            topic_ends = _topic_ends(sitting, vectors[start:stop], model, 0.0 if eager else CAUTION)
        else:
            topic_ends = np.zeros((len(sitting), DEPTH), np.bool_)
        segments += [
            replace(part, start=start + part.start, stop=start + part.stop)
            for part in _split_sitting(sitting, topic_ends, max_messages)
        ]
    segments[-1] = replace(segments[-1], reason=BoundaryReason.END, open=True)
    return segments


def _sitting_starts(messages: Sequence[Message]) -> list[int]:
    """The indices of the messages that follow a long silence."""
    return [
        index
        for index, (earlier, later) in enumerate(pairwise(messages), start=1)
        if abs(later.said_at - earlier.said_at) > SITTING_GAP
    ]


def _topic_ends(
    messages: Sequence[Message], vectors: NDArray[np.float32], model: BoundaryModel, least: float
) -> NDArray[np.bool_]:
    """Whether a topic ends after each message, by the size of its segment; shape (len(messages) - 1, DEPTH).

    `least` is the threshold in log odds.
    """
    ends = boundary_scores(messages, vectors, model) > least
    halves = [trails_off(message.text) for message in messages[:-1]]
    return ends & ~np.array(halves, np.bool_)[:, None]


def _split_sitting(messages: Sequence[Message], topic_ends: NDArray[np.bool_], max_messages: int) -> list[Segment]:
    """The segments of one sitting; the silence after it ends the last one."""
    ends: list[list[bool]] = topic_ends.tolist()
    segments: list[Segment] = []
    start, last = 0, 0
    while last < len(messages) - 1:
        size = last - start + 1
        if size == max_messages:
            segments.append(Segment(start, _back_off(messages, start, last + 1), BoundaryReason.HARD_LIMIT))
        elif ends[last][min(size, DEPTH) - 1]:
            segments.append(Segment(start, last + 1, BoundaryReason.TOPIC))
        else:
            last += 1
            continue
        start = last = segments[-1].stop
    return [*segments, Segment(start, len(messages), BoundaryReason.TIME_GAP)]


def _back_off(messages: Sequence[Message], start: int, limit: int) -> int:
    """The latest index up to `limit` that separates neither a question from its answer nor the parts of a sentence."""
    for stop in range(limit, max(start, limit - BACK_OFF), -1):
        text = messages[stop - 1].text
        if not (asks(text) or trails_off(text)):
            return stop
    return limit
