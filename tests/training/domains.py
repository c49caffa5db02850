"""Trains the models that tell the area of life that a text is about, and prints their figures.

    pip install '.[train]'
    python -m tests.training.domains             # a quarter of an hour; writes the weights
    python -m tests.training.domains --measure   # figures alone

`domains/` has messages by blind hands with all areas that they touch. In en-a to en-d, zh-a and zh-b half of those that
touch one tell it without its usual words; in en-e to en-g, zh-c and zh-d all tell it plainly. Half of those that touch
none look as if they did. Beside them the statements of `messages/` tell by their kinds what they touch. In English a
teacher over the vectors of the default embedder learns from the hands and says of all other own texts how likely they
touch each area; the shipped model, which needs no vectors, learns from all of this. Each hand is left out in turn, of
the teacher too. The bias is such that one in six of the messages that touch nothing is taken for private: in English
of those of `messages/` to choose by, in Chinese of those of each hand left out. The shipped weights have not learned
from en-h, en-i and zh-f, which came later.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

from evermem_cli.config import Settings
from evermem_cli.engines import catalog, weights
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.reading.domain import (
    ATTRIBUTES,
    BUCKETS,
    FILE,
    SPECIAL,
    WINDOW,
    DomainModel,
    buckets,
    least_odds,
    windows,
    words_of,
)
from tests.training.examples import own

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

HERE = Path(__file__).parent
INVERSE_PENALTY = {"en": 3.0, "zh": 10.0}
TEACHERS_INVERSE_PENALTY = 3.0
# Of a message that a hand labelled, and of one whose statements tell its areas, beside one that the teacher labelled.
HANDS_WEIGHT, STATED_WEIGHT = 5.0, 3.0
ROUNDS = 300
FALSE_ALARMS = 1 / 6
LENGTHS = range(8, 400)  # characters of a text that the teacher labels
BATCH = 512

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


class Taught(NamedTuple):
    """Other messages, with their vectors where a teacher can read them.

    `is_stated` has one value for each: whether `areas` are those of its statements, or nobody has said any.
    """

    messages: Sequence[Touching]
    is_stated: NDArray[np.bool_]
    vectors: Matrix | None


def touching(spoken: str) -> list[Touching]:
    """The labelled messages of a language."""
    return [
        Touching(path.stem, row["text"], tuple(area in row["d"] for area in SPECIAL))
        for path in sorted((HERE / "domains").glob(f"{spoken}-*.jsonl"))
        for row in map(json.loads, path.read_text("utf-8").splitlines())
    ]


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


def unlabelled() -> Iterator[Touching]:
    """The English texts of other labelled data, of which nobody has said what they touch."""
    texts = chain(
        (each.text for each in own("en") if each.part == "learn"),
        (message["says"] for row in _rows("facts") for message in row["messages"]),
        (message[-1] for folder in ("found", "questions") for row in _rows(folder) for message in row["m"]),
        (row["q"] for folder in ("found", "questions") for row in _rows(folder)),
    )
    return (Touching("", text, NOTHING) for text in dict.fromkeys(texts) if len(text) in LENGTHS)


def learned(known: Sequence[Touching], vectors: Matrix | None, taught: Taught, spoken: str) -> DomainModel:
    """The model of these messages, and of what is told of others. `vectors` has a row for each message."""
    from sklearn.linear_model import LogisticRegression

    areas, is_stated = _areas(known), taught.is_stated[:, np.newaxis]
    told = _areas(taught.messages).astype(float)
    if vectors is not None and taught.vectors is not None:
        shares = [_teacher(vectors, area).predict_proba(taught.vectors)[:, 1] for area in areas.T]
        told = np.where(is_stated, told, np.stack(shares, axis=1))
    weight = np.where(is_stated, STATED_WEIGHT, 1.0)
    others = parts_of([words_of(message.text)[:WINDOW] for message in taught.messages], spoken)
    rows = vstack([parts_of([words_of(message.text)[:WINDOW] for message in known], spoken), others, others])
    wanted = np.vstack([areas, np.ones(told.shape), np.zeros(told.shape)])
    weights = np.vstack([np.full(areas.shape, HANDS_WEIGHT), told * weight, (1 - told) * weight])
    fits = [
        LogisticRegression(C=INVERSE_PENALTY[spoken], max_iter=ROUNDS).fit(rows, wanted[:, n], weights[:, n])
        for n in range(len(SPECIAL))
    ]
    return DomainModel(
        np.stack([fit.coef_[0] for fit in fits], axis=1).astype(np.float32),
        np.array([fit.intercept_[0] for fit in fits], dtype=np.float32),
    )


def _teacher(vectors: Matrix, area: NDArray[np.bool_]) -> "LogisticRegression":
    from sklearn.linear_model import LogisticRegression

    fitting = LogisticRegression(C=TEACHERS_INVERSE_PENALTY, class_weight="balanced", max_iter=ROUNDS)
    return fitting.fit(vectors, area)


def _areas(messages: Sequence[Touching]) -> NDArray[np.bool_]:
    return np.array([message.areas for message in messages])


def parts_of(texts: Sequence[Sequence[str]], spoken: str) -> csr_matrix:
    """Shape (texts, BUCKETS): the parts of the words of each text, as `domain` weighs them."""
    places = [buckets([*text] or [""], spoken) for text in texts]
    values = [len(row) ** -0.5 for row in places for _ in row]
    ends = np.cumsum([0, *map(len, places)])
    return csr_matrix((values, [*chain(*places)], ends), shape=(len(texts), BUCKETS))


def scores(model: DomainModel, messages: Sequence[Touching], spoken: str) -> Matrix:
    """Shape (messages, SPECIAL): above 0 a message touches the area, as `domain` finds it of its sentences."""
    read = [list(windows(message.text)) or [[""]] for message in messages]
    found = np.asarray(parts_of([*chain(*read)], spoken) @ model.weights.astype(float) + model.bias)
    ends = np.cumsum([len(parts) for parts in read])
    every = [one.max(axis=0) - least_odds(len(one)) for one in np.split(found, ends[:-1])]
    return np.array(every).reshape(len(messages), len(SPECIAL))


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, prints the figures, and writes the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="print the figures and write nothing")
    chosen = options.parse_args(arguments)
    english, chinese = _english(), _chinese()
    if not chosen.measure:
        np.savez_compressed(
            FILE,
            en_weights=english.weights.astype(np.float16),
            en_bias=english.bias,
            zh_weights=chinese.weights.astype(np.float16),
            zh_bias=chinese.bias,
        )


def _english() -> DomainModel:
    known = touching("en")
    telling = {message.text: message for message in stated("en", "learn")}
    others = [telling.get(message.text, message) for message in unlabelled()]
    is_stated = np.array([message.text in telling for message in others])
    vectors, taught = _embedded(known), Taught(others, is_stated, _embedded(others))
    model = learned(known, vectors, taught, "en")
    reluctance = _reluctance(scores(model, silent("choose"), "en"))
    _report("en", known, _left_out(known, vectors, taught, "en") - reluctance)
    held = [*stated("en", "report"), *silent("report")]
    _report("en", held, scores(model, held, "en") - reluctance)
    return model._replace(bias=model.bias - np.float32(reluctance))


def _chinese() -> DomainModel:
    known = touching("zh")
    others = stated("zh", "learn")
    taught = Taught(others, np.ones(len(others), dtype=bool), None)
    found = _left_out(known, None, taught, "zh")
    reluctance = _reluctance(found[~_areas(known).any(axis=1)])
    _report("zh", known, found - reluctance)
    model = learned(known, None, taught, "zh")
    return model._replace(bias=model.bias - np.float32(reluctance))


def _embedded(messages: Sequence[Touching]) -> Matrix:
    settings = Settings.load()
    home = weights.locate(catalog.find_embedder(settings.embedder), settings.models_dir)
    embedder = CatalogEmbed(home, settings.embedder, settings.threads)
    texts = [message.text for message in messages]
    return np.vstack([embedder.embed(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)])


def _left_out(known: Sequence[Touching], vectors: Matrix | None, taught: Taught, spoken: str) -> Matrix:
    """Shape (known, SPECIAL): what a model that has not seen the hand of a message says of the message."""
    hands = np.array([message.hand for message in known])
    found = np.zeros((len(known), len(SPECIAL)))
    for hand in np.unique(hands):
        rest = [message for message in known if message.hand != hand]
        model = learned(rest, None if vectors is None else vectors[hands != hand], taught, spoken)
        found[hands == hand] = scores(model, [message for message in known if message.hand == hand], spoken)
    return found


def _reluctance(silent: Matrix) -> float:
    """What the bias has to be lowered by, so that as few of these messages are taken for private as may be."""
    return float(np.quantile(silent.max(axis=1), 1 - FALSE_ALARMS))


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


def _rows(folder: str) -> Iterator[dict[str, Any]]:
    for path in sorted((HERE / folder).glob("*.jsonl")):
        yield from map(json.loads, path.read_text("utf-8").splitlines())


if __name__ == "__main__":
    main()
