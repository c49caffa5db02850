"""Trains the models that tell the area of life that a text is about, and prints their figures.

    pip install '.[train]'
    python -m tests.training.domains             # some minutes; writes the weights
    python -m tests.training.domains --measure   # figures alone

`domains/` has messages by blind hands with all areas that they touch. In en-a to en-d, zh-a and zh-b half of those that
touch one tell it without its usual words; in the others all tell it plainly, in en-h, en-i and zh-f in a word or two.
Half of those that touch none look as if they did. In `chats/` three messages of four touch nothing. Beside them the
statements of `messages/` tell by their kinds what they touch, and English messages that state nothing touch nothing.
Each hand is left out in turn. The bias is such that a certain share of the messages that touch nothing is taken for
private: in English of those of the chats.
"""

import argparse
import json
from collections.abc import Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack

from evermem_cli.reading.domain import (
    ATTRIBUTES,
    BUCKETS,
    FILE,
    SPECIAL,
    WINDOW,
    DomainModel,
    least_odds,
    places,
    windows,
    words_of,
)
from evermem_cli.reading.shipped import WEIGHTS, WORDS
from tests.training.chats import chats
from tests.training.examples import own

HERE = Path(__file__).parent
INVERSE_PENALTY = {"en": 8.0, "zh": 50.0}
# How much messages count: those of whole chats and those that tell it in a word or two, and those whose statements tell
# their areas, beside those of the other hands.
CHATS, TERSE = "chats-", frozenset({"en-h", "en-i"})
CHATS_WEIGHT, TERSE_WEIGHT, STATED_WEIGHT = 3.0, 3.0, 0.6
ROUNDS = 300
FALSE_ALARMS = {"en": 0.15, "zh": 1 / 6}
VECTOR = 384  # places of a piece's vector
RARITY = 0.2  # how much pieces count beside hashed parts

NOTHING = (False,) * len(SPECIAL)
# Kinds of statements that touch none of the areas; of a plan or an event nobody knows.
HARMLESS = frozenset(
    """
    name age birthday gender zodiac hometown location housing languages appearance personality belief phone email
    studies children family contacts pets diet vehicle commute belongings likes dislikes hobbies skills
    """.split()
)

Matrix = NDArray[np.floating[Any]]


class Touching(NamedTuple):
    """A message, its hand, and for each of `SPECIAL` whether the message touches it."""

    hand: str
    text: str
    areas: tuple[bool, ...]


def touching(spoken: str) -> list[Touching]:
    """The labelled messages of a language; of whole chats, all of one author's are of one hand."""
    single = [
        Touching(path.stem, row["text"], tuple(area in row["d"] for area in SPECIAL))
        for path in sorted((HERE / "domains").glob(f"{spoken}-*.jsonl"))
        for row in map(json.loads, path.read_text("utf-8").splitlines())
    ]
    of_chats = [
        Touching(f"{CHATS}{chat.name[0]}", said.text, tuple(area in said.areas for area in SPECIAL))
        for chat in (chats() if spoken == "en" else ())
        if chat.part != "develop"
        for said in chat.messages
    ]
    return [*single, *of_chats]


def stated(spoken: str, part: str) -> list[Touching]:
    """The messages of `messages/` of one part whose statements tell by their kinds what they touch."""
    made = []
    for each in own(spoken):
        kinds = {span.kind for span in each.spans}
        areas = {ATTRIBUTES.get(kind) for kind in kinds}
        message = Touching(part, each.text, tuple(area in areas for area in SPECIAL))
        if each.part == part and kinds and (any(message.areas) or kinds <= HARMLESS):
            made.append(message)
    return made


def silent(part: str) -> list[Touching]:
    """The English messages of `messages/` of one part that state nothing."""
    return [Touching(part, each.text, NOTHING) for each in own("en") if each.part == part and not each.spans]


def learned(known: Sequence[Touching], others: Sequence[Touching], spoken: str) -> DomainModel:
    """The model of labelled messages, and of others whose statements tell what they touch."""
    from sklearn.linear_model import LogisticRegression

    messages = [*known, *others]
    rows = parts_of([words_of(message.text)[:WINDOW] for message in messages], spoken)
    # Of pieces the model learns the weights of their vectors' places, a few hundred, and not one for each piece.
    pieces = _rarity(rows)[:, np.newaxis] * vectors_of_pieces() if spoken == "en" else np.zeros((0, 0))
    parts = hstack([rows[:, :BUCKETS], csr_matrix(rows[:, BUCKETS:] @ pieces)]).tocsr()
    weights = [*map(_weight, known), *[STATED_WEIGHT] * len(others)]
    fits = [
        LogisticRegression(C=INVERSE_PENALTY[spoken], max_iter=ROUNDS).fit(parts, area, weights)
        for area in _areas(messages).T
    ]
    weighed = np.stack([fit.coef_[0] for fit in fits], axis=1)
    return DomainModel(
        np.vstack([weighed[:BUCKETS], pieces @ weighed[BUCKETS:]]).astype(np.float32),
        np.array([fit.intercept_[0] for fit in fits], dtype=np.float32),
    )


def _weight(message: Touching) -> float:
    if message.hand.startswith(CHATS):
        return CHATS_WEIGHT
    return TERSE_WEIGHT if message.hand in TERSE else 1.0


def _rarity(rows: csr_matrix) -> Matrix:
    """Shape (pieces,): how rare each is in these texts (inverse document frequency, Spärck Jones 1972), scaled down."""
    containing = np.asarray((rows[:, BUCKETS:] > 0).sum(axis=0)).ravel()
    rarity: Matrix = RARITY * (np.log((rows.shape[0] + 1) / (containing + 1)) + 1)
    return rarity


def _areas(messages: Sequence[Touching]) -> NDArray[np.bool_]:
    return np.array([message.areas for message in messages])


def parts_of(texts: Sequence[Sequence[str]], spoken: str) -> csr_matrix:
    """Shape (texts, rows of the weights): the parts of the words of each text, as `domain` weighs them."""
    found = [places([*text] or [""], spoken) for text in texts]
    values = [len(row) ** -0.5 for row in found for _ in row]
    ends = np.cumsum([0, *map(len, found)])
    width = BUCKETS + (len(vectors_of_pieces()) if spoken == "en" else 0)
    return csr_matrix((values, [*chain(*found)], ends), shape=(len(texts), width))


@cache
def vectors_of_pieces() -> Matrix:
    """Shape (pieces, places of a vector): of the pieces of words that the encoders share, each of length 1."""
    vectors = np.fromfile(WEIGHTS / WORDS, dtype=np.int8).reshape(-1, VECTOR).astype(np.float32)
    vectors -= vectors.mean(axis=0)
    unit: Matrix = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def scores(model: DomainModel, messages: Sequence[Touching], spoken: str) -> Matrix:
    """Shape (messages, SPECIAL): above 0 a message touches the area, as `domain` finds it of its sentences."""
    read = [list(windows(message.text)) or [[""]] for message in messages]
    found = parts_of([part for parts in read for part in parts], spoken) @ model.weights.astype(float) + model.bias
    ends = np.cumsum([len(parts) for parts in read])
    return np.array([one.max(axis=0) - least_odds(len(one)) for one in np.split(np.asarray(found), ends[:-1])]).reshape(
        len(messages), len(SPECIAL)
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, prints the figures, and writes the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="print the figures and write nothing")
    chosen = options.parse_args(arguments)
    stored: dict[str, Any] = {}
    for spoken in INVERSE_PENALTY:
        model = _measured(spoken)
        stored |= {f"{spoken}_weights": model.weights.astype(np.float16), f"{spoken}_bias": model.bias}
    if not chosen.measure:
        np.savez_compressed(FILE, **stored)


def _measured(spoken: str) -> DomainModel:
    """The model of a language, with its figures printed."""
    known = touching(spoken)
    others = stated(spoken, "learn") + (silent("learn") if spoken == "en" else [])
    found, model = _left_out(known, others, spoken), learned(known, others, spoken)
    is_harmless = ~_areas(known).any(axis=1)
    if spoken == "en":
        is_harmless &= np.array([message.hand.startswith(CHATS) for message in known])
    reluctance = float(np.quantile(found[is_harmless].max(axis=1), 1 - FALSE_ALARMS[spoken]))
    _report(spoken, known, found - reluctance)
    if spoken == "en":
        held = [*stated("en", "report"), *silent("report")]
        _report("en", held, scores(model, held, "en") - reluctance)
    return model._replace(bias=model.bias - np.float32(reluctance))


def _left_out(known: Sequence[Touching], others: Sequence[Touching], spoken: str) -> Matrix:
    """Shape (known, SPECIAL): what a model that has not seen the hand of a message says of the message."""
    hands = np.array([message.hand for message in known])
    found = np.zeros((len(known), len(SPECIAL)))
    for hand in np.unique(hands):
        model = learned([message for message in known if message.hand != hand], others, spoken)
        found[hands == hand] = scores(model, [message for message in known if message.hand == hand], spoken)
    return found


def _report(spoken: str, messages: Sequence[Touching], found: Matrix) -> None:
    """Prints, for each hand, of how many messages the most private area is right."""
    for hand in sorted({message.hand for message in messages}):
        rows = [row for row, message in enumerate(messages) if message.hand == hand]
        firsts = {row: int(np.argmax(found[row] > 0)) if (found[row] > 0).any() else None for row in rows}
        telling = {row: messages[row].areas.index(True) for row in rows if any(messages[row].areas)}
        right = [SPECIAL[area] for row, area in telling.items() if firsts[row] == area]
        alarms = [firsts[row] is not None for row in rows if row not in telling]
        named = ", ".join(
            f"{area} {right.count(area)} of {list(telling.values()).count(n)}" for n, area in enumerate(SPECIAL)
        )
        print(
            f"{spoken}, {hand}: {len(right)} of {len(telling)} right ({named}); "
            f"{sum(alarms)} of {len(alarms)} that touch nothing are taken for private",
            flush=True,
        )


if __name__ == "__main__":
    main()
