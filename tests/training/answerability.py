"""Trains the check whether a window of messages tells the answer to a question, and prints what it tells apart.

    pip install '.[train]'
    python -m tests.training.answerability             # writes the weights
    python -m tests.training.answerability --measure   # figures of the weights that are there

It learns from `questions/`, `found/` and `chats/` (by blind hands), chooses the threshold on one hand's questions, and
prints the figures of others, which are looked at as numbers and never as items. `python -m tests.benchmarks.refusals`
measures what the product makes of it, on LoCoMo too, of which nothing is learned.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evermem_cli.config import Settings
from evermem_cli.reading.answerability import NAME, Answerability, asked_by
from evermem_cli.reading.shipped import WEIGHTS, ShippedModel
from tests.training import chats
from tests.training.found import found
from tests.training.pairs import Item, items, pairs

SOURCE = "ms-marco-minilm-l12"
WRONGLY = 0.03  # share of answered questions below the threshold
SHARES = (0.03, 0.05, 0.1, 0.2)
CHATS_SEEN = 2  # passes over the pairs of chats, beside one over all others


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, writes the weights, and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="train nothing")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="folder of the weights")
    options = parser.parse_args(arguments)
    known = [*items(), *found()]
    if not options.measure:
        _train([each for each in known if each.part == "learn"], options.weights)
        _choose_threshold(known, options.weights)
    check = Answerability(ShippedModel(NAME, options.weights))
    parts = {
        "choose": [each for each in known if each.part == "choose" and not each.is_found],
        "report": [each for each in known if each.part == "report" and not each.is_found],
        "found": [each for each in known if each.part == "report" and each.is_found],
    }
    rows = {part: _figures(check, asked) for part, asked in parts.items()}
    for part, row in rows.items():
        print(f"{part:8} " + ", ".join(f"{name} {value}" for name, value in row.items()))
    print(json.dumps({"benchmark": "answerability", "weights": check.model.settings["name"], "figures": rows}))


def _train(learned: Sequence[Item], folder: Path) -> None:
    from tests.training.cross_encoder import CrossEncoder, loss, make_item
    from tests.training.encoder import tokenizer_of
    from tests.training.export import export
    from tests.training.learn import Recipe, learn

    source = Settings.load().models_dir / SOURCE
    tokenizer = tokenizer_of(source)
    network = CrossEncoder(source / "model.onnx")
    recipe = Recipe(epochs=1, rate=8e-5, head_rate=8e-5)
    shown = [*pairs(learned), *[*chats.pairs("learn")] * CHATS_SEEN]
    learn(network, [make_item(each, tokenizer) for each in shown], loss, recipe)
    settings = {
        "command": "python -m tests.training.answerability",
        "learned_from": {hand: sum(each.hand == hand for each in learned) for hand in sorted({i.hand for i in learned})}
        | {chat.name: len(chat.questions) for chat in chats.chats() if chat.part == "learn"},
        "threshold": 0.0,
    }
    export(NAME, network, tokenizer, folder, settings)


def _choose_threshold(known: Sequence[Item], folder: Path) -> None:
    """Below it lies the best window of as few answered questions as `WRONGLY` says."""
    answered = [each for each in known if each.part == "choose" and each.answers and not each.is_found]
    best = [scores.max() for scores in _margins(Answerability(ShippedModel(NAME, folder)), answered)]
    path = folder / f"{NAME}.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    settings["threshold"] = round(settings["threshold"] + float(np.quantile(best, WRONGLY)), 3)
    path.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def _margins(check: Answerability, asked: Sequence[Item]) -> list[NDArray[np.float64]]:
    """Of each question the margins of all its windows."""
    return [
        check.margins(asked_by(each.asker, each.question), [each.window(n) for n in range(len(each.messages))])
        for each in asked
    ]


def _figures(check: Answerability, asked: Sequence[Item]) -> dict[str, float]:
    """How often an answered question has a better window than one that is not, and what thresholds refuse."""
    margins = _margins(check, asked)
    answered = np.array([bool(each.answers) for each in asked])
    best = np.array([scores.max() for scores in margins])
    of_answered, of_others = best[answered], best[~answered]
    first = [int(scores.argmax()) in each.answers for each, scores in zip(asked, margins, strict=True) if each.answers]
    row: dict[str, float] = {"n": len(best), "an answer first": round(float(np.mean(first)), 3)}
    if len(of_others):
        row["area under the curve"] = round(float((of_answered[:, None] > of_others[None, :]).mean()), 3)
        for share in SHARES:
            refused = (of_others < np.quantile(of_answered, share)).mean()
            row[f"refused at {share:.0%} of the answered"] = round(float(refused), 3)
        row["refused by the threshold"] = round(float((of_others < 0).mean()), 3)
    row["wrongly"] = round(float((of_answered < 0).mean()), 3)
    return row


if __name__ == "__main__":
    main()
