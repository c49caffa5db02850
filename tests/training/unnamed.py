"""Trains the model that tells whether the words of a job name one, and prints its figures.

    pip install '.[train]'
    python -m tests.training.unnamed             # two minutes; writes the weights
    python -m tests.training.unnamed --measure   # figures alone

The words are those that blind hands marked as jobs in `messages/en`. `unnamed/en.txt` lists those that name none, as
one who knew the code read them. Half of the hands is left out in turn: how many name none, how many are taken so, and
how many of these rightly.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from evermem_cli.reading.unnamed import FILE, LEAST
from evermem_cli.reading.word_runs import RunModel, softmax
from tests.training.linear import arrays, learn_runs

HERE = Path(__file__).parent
UNNAMED = frozenset((HERE / "unnamed" / "en.txt").read_text("utf-8").splitlines())
LOOSENESS = 10.0
_JOB, _NOBODY, _UNKNOWN = "job", "nobody", ("began", "joked")  # stances whose words nobody has read


def words() -> dict[str, int]:
    """The words of all jobs in small letters, with the place of the first hand that has them."""
    first: dict[str, int] = {}
    for place, path in enumerate(sorted((HERE / "messages" / "en").glob("*.jsonl"))):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            for kind, value, whose, stance in row["s"]:
                if kind == _JOB and whose != _NOBODY and stance not in _UNKNOWN:
                    first.setdefault(value.casefold().strip(), place)
    return first


def learned(known: Sequence[str]) -> RunModel:
    """The logistic regression."""
    return learn_runs(known, [int(value in UNNAMED) for value in known], LOOSENESS)


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, prints the figures, and writes the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="print the figures and write nothing")
    chosen = options.parse_args(arguments)
    known = words()
    for half in (0, 1):
        model = learned([value for value, place in known.items() if place % 2 != half])
        own = [value for value, place in known.items() if place % 2 == half]
        unnamed = [value for value in own if softmax(model.odds(value))[1] >= LEAST]
        row = {
            "unnamed": sum(value in UNNAMED for value in own),
            "taken so": len(unnamed),
            "right": sum(value in UNNAMED for value in unnamed),
        }
        print(json.dumps({"benchmark": "unnamed", "left out": half} | row), flush=True)
    if not chosen.measure:
        np.savez_compressed(FILE, **arrays("en", learned([*known])))


if __name__ == "__main__":
    main()
