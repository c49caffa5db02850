"""The fit of the topic boundary model: logistic regressions over what `evermem_cli.formation.boundary_model` sees.

TIAGE is small talk, SuperDialseg people who ask about a service. Each genre's regression is fitted to its own set, and
lightly to the other, so that neither is at a loss where a chat is of neither kind.

The fit sees each dialogue with roles and with names only. It also sees joined dialogues (topics of different dialogues
one after the other) and one-sided ones (what one speaker said), so that likeness counts and notes to oneself are known.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from evermem_cli.formation.boundary_model import (
    DEPTH,
    BoundaryModel,
    BoundaryWeights,
    likeness,
    meaning,
    so_far,
    wording,
)
from evermem_cli.memory import Message, Role

Matrix = NDArray[np.float32]
Gaps = NDArray[np.bool_]
Turns = Sequence[tuple[str, str]]

# Weight of each kind of example in the fit: TIAGE is small and the only small talk, SuperDialseg large and of one kind.
SHARES = {
    "tiage": 6600.0,
    "superdialseg": 8000.0,
    "joined": 2000.0,
    "one-sided": 1200.0,
    "msc": 1500.0,
    "locomo": 1500.0,
}
GENRES = ("tiage", "superdialseg")
OTHERS = 0.1  # how much an example of the other genre weighs
PENALTY = 8.0
GENRE_SHARE, GENRE_PENALTY = 3000.0, 0.3
THRESHOLD = -0.4  # log odds that count as an end, by the sweep; moved into the bias
TALK_THRESHOLD = -0.8  # the same for small talk
SAID_AT = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Turns (who, text), their vectors, and for each gap between two of them whether a topic ends there.

    `genre` is the set it is of, or its parts are; `kind` that set, or how it was put together.
    """

    kind: str
    genre: str
    turns: Turns
    vectors: Matrix
    gaps: Gaps

    def messages(self, roles: bool) -> list[Message]:
        """The turns as messages; without roles only the speakers' names are known."""
        return as_messages(self.turns, roles)


def as_messages(turns: Turns, roles: bool) -> list[Message]:
    """Turns (who, text) as messages; without roles only the speakers' names are known."""
    known = {"user": Role.USER, "agent": Role.ASSISTANT}
    return [
        Message(
            id=str(place),
            conversation_id="",
            ordinal=place,
            external_id=str(place),
            speaker=who,
            user_id=who,
            role=known[who] if roles else Role.PARTICIPANT,
            text=text,
            said_at=SAID_AT,
        )
        for place, (who, text) in enumerate(turns, start=1)
    ]


def joined(dialogues: Sequence[Dialogue], count: int, dice: random.Random, least: int = 3) -> list[Dialogue]:
    """Dialogues of three to six topics, each of `least` turns or more and taken from another dialogue."""
    topics = []
    for each in dialogues:
        edges = [0, *(np.flatnonzero(each.gaps) + 1).tolist(), len(each.turns)]
        topics += [
            (each.turns[a:b], each.vectors[a:b])
            for a, b in pairwise(edges)
            if b - a >= least
            and not (a and each.turns[a - 1][1].endswith("?"))
            and not each.turns[b - 1][1].endswith("?")
        ]
    made = []
    for _ in range(count):
        chosen = dice.sample(topics, dice.randint(3, 6))
        turns = [turn for part, _ in chosen for turn in part]
        gaps = np.zeros(len(turns) - 1, np.bool_)
        gaps[np.cumsum([len(part) for part, _ in chosen])[:-1] - 1] = True
        vectors = np.concatenate([vectors for _, vectors in chosen])
        made.append(Dialogue("joined", dialogues[0].genre, turns, vectors, gaps))
    return made


def one_sided(dialogues: Sequence[Dialogue], dice: random.Random) -> list[Dialogue]:
    """What one speaker of each dialogue stated, as notes to oneself."""
    made = []
    for each in dialogues:
        who = dice.choice(["user", "agent"])
        kept = [place for place, (name, _) in enumerate(each.turns) if name == who and _stands_alone(each, place)]
        if len(kept) >= 3:
            topic = np.cumsum([0, *each.gaps])[kept]
            turns = [each.turns[place] for place in kept]
            made.append(Dialogue("one-sided", each.genre, turns, each.vectors[kept], np.diff(topic) > 0))
    return made


def _stands_alone(dialogue: Dialogue, place: int) -> bool:
    """Whether a turn neither asks nor answers; the vector of one that answers has the question in it."""
    before = dialogue.turns[place - 1][1] if place else ""
    return not (dialogue.turns[place][1].endswith("?") or before.endswith("?"))


def examples(dialogues: Sequence[Dialogue], dice: random.Random) -> list[Dialogue]:
    """The dialogues themselves, joined ones and one-sided ones."""
    by_kind = [[each for each in dialogues if each.kind == kind] for kind in GENRES]
    by_kind = [some for some in by_kind if some]
    more = [each for some in by_kind for each in joined(some, 200, dice)]
    # Only long topics leave what notes are like when one speaker's questions and the other's turns are taken out.
    notes = [each for some in by_kind for each in one_sided(joined(some, 250, dice, least=6), dice)]
    return [*dialogues, *more, *notes]


def fit(dialogues: Sequence[Dialogue], with_meaning: bool) -> BoundaryModel:
    """Both genres' regressions and what tells them apart; one for all without meaning, or where a genre is missing."""
    if not with_meaning or any(all(each.genre != genre for each in dialogues) for genre in GENRES):
        return BoundaryModel(
            talk=_fit_boundaries(dialogues, None, with_meaning), enquiry=None, genre=np.zeros(0, np.float32)
        )
    return BoundaryModel(
        talk=_fit_boundaries(dialogues, "tiage", with_meaning),
        enquiry=_fit_boundaries(dialogues, "superdialseg", with_meaning),
        genre=_fit_genre(dialogues),
    )


def _fit_boundaries(dialogues: Sequence[Dialogue], genre: str | None, with_meaning: bool) -> BoundaryWeights:
    """Logistic regression for a genre, None: for all; segments begin where they truly do."""
    totals: dict[str, int] = {}
    for each in dialogues:
        totals[each.kind] = totals.get(each.kind, 0) + len(each.gaps)
    rows, truth, share = [], [], []
    for each in dialogues:
        likenesses = likeness(each.vectors)[np.arange(len(each.gaps)), _sizes(each.gaps) - 1]
        weight = SHARES[each.kind] / totals[each.kind] * (1 if genre in (None, each.genre) else OTHERS)
        for roles in (True, False):
            parts = [wording(each.messages(roles)), likenesses, *([meaning(each.vectors)] if with_meaning else [])]
            rows.append(np.concatenate([*parts, np.ones((len(each.gaps), 1), np.float32)], axis=1))
            truth.append(each.gaps)
            share.append(np.full(len(each.gaps), weight, np.float32))
    numbers = _newton(np.concatenate(rows), np.concatenate(truth).astype(np.float32), np.concatenate(share), PENALTY)
    words, alike = parts[0].shape[1], likenesses.shape[1]
    return BoundaryWeights(
        wording=numbers[:words],
        likeness=numbers[words : words + alike],
        meaning=numbers[words + alike : -1],
        bias=float(numbers[-1]) - (TALK_THRESHOLD if genre == "tiage" else THRESHOLD),
    )


def _fit_genre(dialogues: Sequence[Dialogue]) -> Matrix:
    """Logistic regression: whether segments of any size and the message after them are of SuperDialseg."""
    dialogues = [each for each in dialogues if each.genre in GENRES]
    rows = [so_far(each.vectors).reshape(-1, each.vectors.shape[1]) for each in dialogues]
    truth = np.repeat([each.genre == "superdialseg" for each in dialogues], [len(some) for some in rows])
    share = np.where(truth, GENRE_SHARE / truth.sum(), GENRE_SHARE / (~truth).sum()).astype(np.float32)
    columns = np.concatenate([np.concatenate(rows), np.ones((len(truth), 1), np.float32)], axis=1)
    return _newton(columns, truth.astype(np.float32), share, GENRE_PENALTY)


def _sizes(gaps: Gaps) -> NDArray[np.int64]:
    """At each gap, how many messages the segment before it has, up to DEPTH."""
    starts = np.maximum.accumulate(np.concatenate([[0], np.where(gaps[:-1], np.arange(1, len(gaps)), 0)]))
    return np.minimum(np.arange(len(gaps)) - starts + 1, DEPTH)


def _newton(rows: Matrix, truth: Matrix, share: Matrix, strength: float) -> Matrix:
    penalty = np.full(rows.shape[1], strength, np.float32)
    penalty[-1] = 1e-3  # the bias
    numbers = np.zeros(rows.shape[1], np.float32)
    for _ in range(7):
        odds = 1 / (1 + np.exp(-rows @ numbers))
        slope = rows.T @ (share * (truth - odds)) - penalty * numbers
        curve = rows.T @ (rows * (share * odds * (1 - odds))[:, None]) + np.diag(penalty)
        numbers = numbers + np.linalg.solve(curve, slope).astype(np.float32)
    return numbers
