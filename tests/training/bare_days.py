"""Trains the model that tells whether "the 27th" and the like name a day, and prints its figures.

    pip install '.[train]'
    python -m tests.training.bare_days             # some seconds; writes the weights
    python -m tests.training.bare_days --measure   # figures alone

`days/` has messages by blind hands, each with a short form that by its look may be a day; half are none. Each hand is
left out in turn: of how many days, and of how many others, the form is taken for a day.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evermem_cli.timespan.bare_days import BUCKETS, WEIGHTS, features
from evermem_cli.timespan.named import Reference
from evermem_cli.timespan.scanner import language_of

DAYS = Path(__file__).with_name("days")
AT = datetime(2025, 5, 14, 9, tzinfo=UTC)
INVERSE_PENALTY = 30.0
ROUNDS = 3000
DIGITS = 3


class Form(NamedTuple):
    """A form by its features, of a hand, and whether it names a day. No features: the grammar reads no day there."""

    hand: str
    features: list[int]
    is_day: bool


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, prints the figures, and writes the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="print the figures and write nothing")
    chosen = options.parse_args(arguments)
    known = list(labelled())
    for hand in sorted({form.hand for form in known}):
        weights = learned([form for form in known if form.hand != hand])
        own = [(form, _is_taken(weights, form)) for form in known if form.hand == hand]
        days, others = ([taken for form, taken in own if form.is_day is wanted] for wanted in (True, False))
        row = {"days": len(days), "taken": sum(days), "others": len(others), "others taken": sum(others)}
        print(json.dumps({"benchmark": "bare_days", "left out": hand} | row), flush=True)
    if not chosen.measure:
        WEIGHTS.write_text(json.dumps(learned(known)), encoding="utf-8")


def labelled() -> Iterator[Form]:
    """The labelled forms of all hands."""
    for path in sorted(DAYS.glob("*.jsonl")):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            start = row["text"].index(row["phrase"])
            yield Form(path.stem, _features(row["text"], start, start + len(row["phrase"])), row["day"])


def _features(text: str, start: int, stop: int) -> list[int]:
    """Those of the longest form there that the grammar reads as a day."""
    language = language_of(text)
    tokens = language.tokenize(text, True)
    parse = language.grammar.parse(tokens, Reference(AT))
    for begin, token in enumerate(tokens):
        if token.start < stop and token.end > start:
            for end, reading in sorted(parse.phrases("SPAN", begin).items(), reverse=True):
                if reading.bare and reading.grain == "day":
                    return features(tokens, begin, end)
    return []


def learned(known: Sequence[Form]) -> list[float]:
    """The weights of the logistic regression."""
    from sklearn.linear_model import LogisticRegression

    read = [form for form in known if form.features]
    inputs = np.zeros((len(read), BUCKETS))
    for row, form in enumerate(read):
        inputs[row, form.features] = 1 / sqrt(len(form.features))
    fitted = LogisticRegression(C=INVERSE_PENALTY, max_iter=ROUNDS, fit_intercept=False)
    weights = fitted.fit(inputs, [form.is_day for form in read]).coef_[0]
    return [round(float(weight), DIGITS) for weight in weights]


def _is_taken(weights: Sequence[float], form: Form) -> bool:
    return sum(weights[place] for place in form.features) > 0


if __name__ == "__main__":
    main()
