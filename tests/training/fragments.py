"""Learns which values say something by themselves: `python -m tests.training.fragments [--measure]`.

`values/` has values that the tagger cut out of whole chats, which it had not learned from, with whether a reader of a
profile understands them alone. Each file holds the values of one author's chats, and is left out once.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evermem_cli.reading.fragments import FILE, LEAST, signs
from evermem_cli.reading.word_runs import RunModel, softmax
from tests.training.linear import arrays, learn_runs

VALUES = Path(__file__).with_name("values")
LOOSENESS = 1.0  # of 1, 3, 10 and 30 the best with each author left out, by a hair


class Value(NamedTuple):
    """A value, and whether it is understood alone."""

    author: str
    kind: str
    value: str
    alone: bool


def labelled() -> list[Value]:
    """The values of all authors."""
    return [
        Value(path.stem, row["kind"], row["value"], row["alone"])
        for path in sorted(VALUES.glob("*.jsonl"))
        for row in map(json.loads, path.read_text("utf-8").splitlines())
    ]


def learned(values: Sequence[Value]) -> RunModel:
    """The logistic regression of these values."""
    texts, kinds = [each.value for each in values], [not each.alone for each in values]
    return learn_runs(texts, kinds, LOOSENESS, signs=[[*signs(each.kind, each.value)] for each in values])


def main(arguments: Sequence[str] | None = None) -> None:
    """Learns, writes the weights, and prints the figures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="print the figures and write nothing")
    values = labelled()
    if not options.parse_args(arguments).measure:
        np.savez_compressed(FILE, **arrays("en", learned(values)))
    judged: list[tuple[bool, bool]] = []
    for author in sorted({each.author for each in values}):
        model = learned([each for each in values if each.author != author])
        judged += [
            (float(softmax(model.odds(each.value, signs=signs(each.kind, each.value)))[1]) >= LEAST, not each.alone)
            for each in values
            if each.author == author
        ]
    found = sum(taken and is_one for taken, is_one in judged)
    fragments = sum(is_one for _, is_one in judged)
    row = {
        "benchmark": "fragments",
        "values": len(judged),
        "fragments": fragments,
        "found": found,
        "others taken for one": sum(taken and not is_one for taken, is_one in judged),
    }
    print(json.dumps(row))


if __name__ == "__main__":
    main()
