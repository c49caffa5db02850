"""Trains the model that tells whether a time phrase means the past or what was to come, and prints its figures.

    pip install '.[train]'
    python -m tests.training.tense             # some seconds; writes the weights
    python -m tests.training.tense --measure   # figures alone

`times/` has messages by blind hands, each with a phrase that by its form may be either, and the day that it means. In a
third of them the verb misleads or the other day is nearer; hand e is plain. Each hand is left out in turn.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evermem_cli.timespan import find
from evermem_cli.timespan.named import Reference
from evermem_cli.timespan.scanner import in_direction, language_of, places
from evermem_cli.timespan.tense import BUCKETS, WEIGHTS, TenseModel, buckets, distances, verb_forms

TIMES = Path(__file__).with_name("times")
SCALE = 3.0  # of the words beside the distances; a larger one lets words weigh more
INVERSE_PENALTY = 1.0
ROUNDS = 3000
DIGITS = 3
WAYS = ("past", "ahead")
NO_DISTANCES = [0.0] * 8
VERB_FORMS = 2


class Labelled(NamedTuple):
    """A message with a phrase at `text[start:end]`. `means` is a day, for a duration one of `WAYS`."""

    hand: str
    said: datetime
    text: str
    start: int
    end: int
    means: str


class Choice(NamedTuple):
    """The features of a phrase with two readings, and whether the one ahead is meant."""

    hand: str
    words: list[int]
    verbs: list[float]
    distances: list[float]
    is_ahead: bool


def labelled() -> Iterator[Labelled]:
    """The labelled messages of all hands."""
    for path in sorted(TIMES.glob("*.jsonl")):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            start = row["text"].index(row["phrase"])
            said = datetime.fromisoformat(f"{row['said']}T12:00:00+00:00")
            yield Labelled(path.stem, said, row["text"], start, start + len(row["phrase"]), row["means"])


def choices(examples: Sequence[Labelled]) -> Iterator[Choice]:
    """The phrases that are found and have two readings of which one is right."""
    for one in examples:
        if one.means in WAYS:
            place = (one.text, one.start, one.end)
            yield Choice(one.hand, buckets(*place), verb_forms(*place), NO_DISTANCES, one.means == WAYS[1])
            continue
        language = language_of(one.text)
        tokens = language.tokenize(one.text, True)
        for begin, end in places(language, language.grammar.parse(tokens, Reference(one.said))):
            start, stop = tokens[begin].start, tokens[end - 1].end
            past, ahead = (in_direction(language, tokens[begin:end], one.said, way) for way in (-1, 1))
            if not (start < one.end and stop > one.start and past and ahead and past.start != ahead.start):
                continue
            days = [reading.start.date().isoformat() for reading in (past, ahead)]
            if one.means in days:
                far, place = distances(one.said, past.start, ahead.start), (one.text, start, stop)
                yield Choice(one.hand, buckets(*place), verb_forms(*place), far, one.means == days[1])


def learned(known: Sequence[Choice]) -> TenseModel:
    """The logistic regression of these choices."""
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=INVERSE_PENALTY, max_iter=ROUNDS, fit_intercept=False)
    weights = fitted.fit(_features(known), [choice.is_ahead for choice in known]).coef_[0]
    words = [round(float(SCALE * weight), DIGITS) for weight in weights[:BUCKETS]]
    verbs, far = np.split(weights[BUCKETS:].round(DIGITS), [VERB_FORMS])
    return TenseModel(words, verbs.tolist(), far.tolist())


def right(model: TenseModel, asked: Sequence[Choice]) -> int:
    """How many of the choices the model makes as they are labelled."""
    odds = _features(asked) @ np.array([*(weight / SCALE for weight in model.words), *model.verbs, *model.distances])
    return int(((odds > 0) == [choice.is_ahead for choice in asked]).sum())


def _features(asked: Sequence[Choice]) -> NDArray[np.float64]:
    words = np.zeros((len(asked), BUCKETS))
    for row, choice in enumerate(asked):
        words[row, choice.words] = SCALE / max(len(choice.words), 1) ** 0.5
    return np.hstack([words, [[*choice.verbs, *choice.distances] for choice in asked]])


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, prints the figures, and writes the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="print the figures and write nothing")
    chosen = options.parse_args(arguments)
    examples = list(labelled())
    known = list(choices(examples))
    model = learned(known)
    if not chosen.measure:
        WEIGHTS.write_text(json.dumps(model._asdict()), encoding="utf-8")
    for hand in sorted({choice.hand for choice in known}):
        rest = [choice for choice in known if choice.hand != hand]
        asked = [choice for choice in known if choice.hand == hand]
        print(f"hand {hand}, left out: {right(learned(rest), asked)} of {len(asked)} read as they are meant")
    dated = [one for one in examples if one.means not in WAYS]
    met = sum(_is_read(one) for one in dated)
    print(f"all hands, learned from: {met} of {len(dated)} phrases found and read as they are meant")


def _is_read(one: Labelled) -> bool:
    spans = [span for span in find(one.text, one.said) if span.start_offset < one.end and span.end_offset > one.start]
    return any(span.interval.start and span.interval.start.date().isoformat() == one.means for span in spans)


if __name__ == "__main__":
    main()
