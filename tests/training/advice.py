"""Trains the models that tell whether a question asks for advice, and prints their figures.

    pip install '.[train]'
    python -m tests.training.advice             # a minute; writes the weights
    python -m tests.training.advice --measure   # figures alone

`asks/` has questions by blind hands, about half of which look like their opposite. The questions of `questions/`, none
of which asks for advice, are learned from, too. Each English hand is left out in turn; the Chinese one in five parts.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evermem_cli.reading.advice import FILE
from evermem_cli.reading.word_runs import RunModel
from tests.training.linear import Vectors, arrays, chosen_embedder, learn_runs

HERE = Path(__file__).parent
LOOSENESS = 10.0
PARTS = 5


class Asked(NamedTuple):
    """A question, its hand, and whether it asks for advice."""

    hand: str
    text: str
    advice: bool


def questions() -> list[Asked]:
    """All questions to learn from."""
    asked = [Asked(path.stem, row["text"], row["advice"]) for path in _files("asks") for row in _rows(path)]
    return asked + [Asked("memory", row["q"], False) for path in _files("questions") for row in _rows(path)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, prints the figures, and writes the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="print the figures and write nothing")
    chosen = options.parse_args(arguments)
    embedder = chosen_embedder()
    english = [question for question in questions() if not question.hand.startswith("zh")]
    chinese = [question for question in questions() if question.hand.startswith("zh")]
    stored: dict[str, Any] = {"embedder": np.array(embedder.name)}
    for name, asked in (("meaning", english), ("en", english), ("zh", chinese)):
        meaning = embedder.embed([question.text for question in asked]) if name == "meaning" else None
        _report(name, asked, meaning)
        stored |= arrays(name, _learned(asked, meaning))
    if not chosen.measure:
        np.savez_compressed(FILE, **stored)


def _learned(asked: Sequence[Asked], meaning: Vectors | None) -> RunModel:
    return learn_runs([each.text for each in asked], [each.advice for each in asked], LOOSENESS, meaning)


def _report(name: str, asked: Sequence[Asked], meaning: Vectors | None) -> None:
    hands = sorted({question.hand for question in asked} - {"memory"})
    groups = np.array([question.hand for question in asked])
    if len(hands) == 1:
        groups = np.arange(len(asked)) % PARTS
    found = np.zeros(len(asked), dtype=bool)
    for group in set(groups) - {"memory"}:
        known = [question for question, own in zip(asked, groups, strict=True) if own != group]
        model = _learned(known, None if meaning is None else meaning[groups != group])
        for place in map(int, np.flatnonzero(groups == group)):
            no, yes = model.odds(asked[place].text, None if meaning is None else meaning[place])
            found[place] = yes > no
    for hand in hands:
        rows = [row for row, question in enumerate(asked) if question.hand == hand]
        right = [found[row] for row in rows if asked[row].advice]
        wrong = [found[row] for row in rows if not asked[row].advice]
        print(f"{name:18} {hand}: {sum(right)} of {len(right)} found, {sum(wrong)} of {len(wrong)} wrong", flush=True)


def _files(folder: str) -> list[Path]:
    return sorted((HERE / folder).glob("*.jsonl"))


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    main()
