"""Trains the models that tell what a question asks for and of which time, and prints their figures.

    pip install '.[train]'
    python -m tests.training.asked             # two minutes; writes the weights
    python -m tests.training.asked --measure   # figures alone

`sought/` has questions by blind hands, most of which do not begin with their question word. Each hand is left out in
turn. English is read by its words and by its meaning, if the embedder is the one that was learned with; else by its
words, as Chinese is. Learning from 9,000 other questions what the model of meanings says of them gained nothing for the
model of words, and what people type into a search box, labelled as questions are, made questions worse.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evermem_cli.reading.asked import ERAS, FILE, SOUGHT, Era, Sought
from evermem_cli.reading.word_runs import Odds, RunModel
from evermem_cli.recollection.questions.form import form_of
from tests.training.linear import Vectors, arrays, chosen_embedder, learn_runs

HERE = Path(__file__).parent
LOOSENESS = 10.0


class Labelled(NamedTuple):
    """A question, its hand, what it asks for, and of which time."""

    hand: str
    text: str
    sought: Sought
    era: Era


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, prints the figures, and writes the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="print the figures and write nothing")
    chosen = options.parse_args(arguments)
    embedder = chosen_embedder()
    stored: dict[str, Any] = {"embedder": np.array(embedder.name)}
    for name, tongue in (("meaning", "en"), ("en", "en"), ("zh", "zh")):
        known = _labelled(tongue)
        meaning = embedder.embed([each.text for each in known]) if name == "meaning" else None
        _report(name, known, meaning)
        stored |= arrays(name, _learned(known, meaning))
    if not chosen.measure:
        np.savez_compressed(FILE, **stored)


def _labelled(tongue: str) -> list[Labelled]:
    return [
        Labelled(path.stem, row["text"], Sought(row["asks"]), Era(row["of"]))
        for path in sorted((HERE / "sought").glob(f"{tongue}-*.jsonl"))
        for row in _rows(path)
    ]


def _learned(known: Sequence[Labelled], meaning: Vectors | None) -> RunModel:
    """One model for both labels: the kinds of the second follow those of the first."""
    texts = [each.text for each in known]
    sought = learn_runs(texts, [SOUGHT.index(each.sought) for each in known], LOOSENESS, meaning)
    era = learn_runs(texts, [ERAS.index(each.era) for each in known], LOOSENESS, meaning)
    return RunModel(*(np.concatenate(both, axis=-1) for both in zip(sought, era, strict=True)))


def _told(odds: Odds) -> tuple[Sought, Era]:
    return SOUGHT[int(odds[: len(SOUGHT)].argmax())], ERAS[int(odds[len(SOUGHT) :].argmax())]


def _report(name: str, known: Sequence[Labelled], meaning: Vectors | None) -> None:
    hands = np.array([each.hand for each in known])
    for hand in np.unique(hands):
        rest = [each for each in known if each.hand != hand]
        model = _learned(rest, None if meaning is None else meaning[hands != hand])
        told = [
            (known[place], *_told(model.odds(known[place].text, None if meaning is None else meaning[place])))
            for place in map(int, np.flatnonzero(hands == hand))
        ]
        row = {
            "questions": len(told),
            "sought, right": sum(own.sought is sought for own, sought, _ in told),
            "form, right": sum(form_of(own.sought) is form_of(sought) for own, sought, _ in told),
            "era, right": sum(own.era is era for own, _, era in told),
            "of the present or not, right": sum((own.era is Era.NOW) is (era is Era.NOW) for own, _, era in told),
        }
        print(json.dumps({"benchmark": "asked", "model": name, "left out": str(hand)} | row), flush=True)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    main()
