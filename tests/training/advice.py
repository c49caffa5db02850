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
from numpy.typing import NDArray

from evermem_cli.config import Settings
from evermem_cli.engines import Embedder, catalog, weights
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.reading.advice import FILE, MEANING
from evermem_cli.reading.word_runs import by_words

HERE = Path(__file__).parent
PENALTY = 0.1  # inverse of C
ROUNDS = 3000
PARTS = 5
DIGITS = 4  # of a weight

Features = NDArray[np.float64]


class Asked(NamedTuple):
    """A question, its hand, and whether it asks for advice."""

    hand: str
    text: str
    advice: bool


class Model(NamedTuple):
    """A linear model: above 0 a question asks for advice."""

    weights: NDArray[np.float64]
    constant: float

    def asks(self, features: Features) -> NDArray[np.bool_]:
        """Shape (rows,)."""
        return features @ self.weights + self.constant > 0


def questions() -> list[Asked]:
    """All questions to learn from."""
    asked = [Asked(path.stem, row["text"], row["advice"]) for path in _files("asks") for row in _rows(path)]
    return asked + [Asked("memory", row["q"], False) for path in _files("questions") for row in _rows(path)]


def learned(features: Features, labels: NDArray[np.bool_]) -> Model:
    """The logistic regression of these rows."""
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=1 / PENALTY, max_iter=ROUNDS).fit(features, labels)
    return Model(fitted.coef_[0], float(fitted.intercept_[0]))


def features_of(asked: Sequence[Asked], embedder: Embedder | None) -> Features:
    """Shape (questions, features), without the meaning where no embedder is given."""
    words = np.stack([by_words(question.text) for question in asked])
    if embedder is None:
        return words
    return np.hstack([words, MEANING * embedder.embed([question.text for question in asked])])


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, prints the figures, and writes the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="print the figures and write nothing")
    chosen = options.parse_args(arguments)
    settings = Settings.load()
    home = weights.locate(catalog.find_embedder(settings.embedder), settings.models_dir)
    embedder = CatalogEmbed(home, settings.embedder, settings.threads)
    english = [question for question in questions() if not question.hand.startswith("zh")]
    chinese = [question for question in questions() if question.hand.startswith("zh")]
    models: dict[str, Any] = {"embedder": embedder.name}
    for name, asked, known in (("en, with meaning", english, embedder), ("en", english, None), ("zh", chinese, None)):
        features, labels = features_of(asked, known), np.array([question.advice for question in asked])
        _report(name, asked, features, labels)
        model = learned(features, labels)
        models[name] = {"weights": [round(float(w), DIGITS) for w in model.weights], "constant": model.constant}
    if not chosen.measure:
        FILE.write_text(json.dumps(models), encoding="utf-8")


def _report(name: str, asked: Sequence[Asked], features: Features, labels: NDArray[np.bool_]) -> None:
    hands = sorted({question.hand for question in asked} - {"memory"})
    groups = np.array([question.hand for question in asked])
    if len(hands) == 1:
        groups = np.arange(len(asked)) % PARTS
    found = np.zeros(len(asked), dtype=bool)
    for group in np.unique(groups):
        left_out = groups == group
        if group != "memory":
            model = learned(features[~left_out], labels[~left_out])
            found[left_out] = model.asks(features[left_out])
    for hand in hands:
        rows = [row for row, question in enumerate(asked) if question.hand == hand]
        right = [found[row] for row in rows if labels[row]]
        wrong = [found[row] for row in rows if not labels[row]]
        print(f"{name:18} {hand}: {sum(right)} of {len(right)} found, {sum(wrong)} of {len(wrong)} wrong", flush=True)


def _files(folder: str) -> list[Path]:
    return sorted((HERE / folder).glob("*.jsonl"))


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    main()
