"""Trains the models that read a user's reaction to an assistant, and prints their figures.

    pip install '.[train]'
    python -m tests.training.reactions             # learns from all hands, writes the weights
    python -m tests.training.reactions --measure   # figures alone: each hand is left out once, in four groups

`reactions/` has remarks by blind hands, with a label for each sentence; at least half of those that judge tell it by
what happened. The hands of `CHOSEN` choose how sure a model must be, and the other left-out hands are reported.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from evermem_cli.config import Settings
from evermem_cli.reading.reactions import CHINESE, KINDS, NAME, Reaction, ReactionModel, Remark, Shares
from evermem_cli.reading.shipped import WEIGHTS
from evermem_cli.reading.word_runs import by_words

HANDS = Path(__file__).parent / "reactions"
CHOSEN = ("en-e", "zh-c")
GROUPS = 4  # of hands, each of which is left out once
PENALTY = 0.1  # inverse of C
ROUNDS = 3000
SURE = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
PRECISE = 0.8  # share of what is heard in the hands to choose by that has to be right
JUDGING = (Reaction.GOOD, Reaction.BAD, Reaction.MIXED)
_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])\s*")


class Example(NamedTuple):
    """A remark with its label."""

    hand: str
    remark: Remark
    label: Reaction | None


def examples() -> list[Example]:
    """All sentences of all hands."""
    return [
        example
        for path in sorted(HANDS.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
        for example in _examples(path.stem, json.loads(line))
    ]


def _examples(hand: str, row: dict[str, Any]) -> Iterator[Example]:
    sentences = [sentence for sentence in _END.split(row["text"]) if sentence.strip()]
    for place, (sentence, label) in enumerate(zip(sentences, row["s"], strict=True)):
        remark = Remark(row["before"], " ".join(sentences[:place]), sentence)
        yield Example(hand, remark, None if label == "other" else Reaction(label))


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, writes the weights, and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="print figures of left-out hands, and write nothing")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="folder of the weights")
    parser.add_argument("--language", choices=("en", "zh"), help="measure one language")
    options = parser.parse_args(arguments)
    known = [each for each in examples() if each.hand.startswith(options.language or "")]
    if options.measure:
        _measure(known)
    else:
        _train(known, options.weights)


def _train(known: Sequence[Example], folder: Path) -> None:
    """Writes the weights of both models. The settings that are there keep how sure each must be."""
    settings = json.loads((folder / f"{NAME}.json").read_text("utf-8")) if (folder / f"{NAME}.json").exists() else {}
    _train_english([each for each in known if each.hand.startswith("en")], folder, settings.get("sure", {}))
    _train_chinese([each for each in known if each.hand.startswith("zh")], folder)


def _train_english(known: Sequence[Example], folder: Path, sure: dict[str, float]) -> None:
    from tests.training.encoder import pretrained, tokenizer_of
    from tests.training.export import export
    from tests.training.learn import Recipe, learn
    from tests.training.network import Network
    from tests.training.remarks import loss, make_item

    embedder = Settings.load().models_dir / "all-minilm-l6-v2"
    tokenizer = tokenizer_of(embedder)
    network = Network(pretrained(embedder / "model.onnx"), len(KINDS))
    items = [make_item(each.remark, KINDS.index(each.label), tokenizer) for each in known]
    learn(network, items, loss, Recipe(epochs=4, rate=1.5e-4, head_rate=1e-3))
    hands = sorted({each.hand for each in known})
    settings = {
        "command": "python -m tests.training.reactions",
        "learned_from": {"hands": hands, "sentences": len(known)},
        "sure": {"en": 0.5, "zh": 0.5} | sure,
    }
    export(NAME, network, tokenizer, folder, settings)


def _train_chinese(known: Sequence[Example], folder: Path) -> None:
    from sklearn.linear_model import LogisticRegression

    features = np.stack([by_words(each.remark.sentence) for each in known])
    labels = [KINDS.index(each.label) for each in known]
    fitted = LogisticRegression(C=1 / PENALTY, max_iter=ROUNDS).fit(features, labels)
    weights, constants = fitted.coef_.T.astype(np.float16), fitted.intercept_.astype(np.float32)
    np.savez_compressed(folder / CHINESE, weights=weights, constants=constants)


def _measure(known: Sequence[Example]) -> None:
    """Each hand is left out once."""
    hands = sorted({each.hand for each in known})
    shares = np.zeros((len(known), len(KINDS)))
    for group in range(GROUPS):
        left_out = {hand for tongue in ("en", "zh") for hand in _of(hands, tongue)[group::GROUPS]}
        places = [place for place, each in enumerate(known) if each.hand in left_out]
        with TemporaryDirectory() as folder:
            learned = [each for each in known if each.hand not in left_out]
            _train(learned, Path(folder))
            shares[places] = ReactionModel(Path(folder)).shares([known[place].remark for place in places])
    for tongue in ("en", "zh"):
        if hands_of := _of(hands, tongue):
            sure = _sure(known, shares, [hand for hand in hands_of if hand in CHOSEN])
            for hand in [*hands_of, tongue]:
                part = [each.hand == hand or (hand == tongue and each.hand in hands_of) for each in known]
                row = figures(
                    [each.label for each, taken in zip(known, part, strict=True) if taken], shares[part], sure
                )
                print(json.dumps({"benchmark": "reactions", "hand": hand, "sure": sure} | row), flush=True)


def _of(hands: Sequence[str], tongue: str) -> list[str]:
    return [hand for hand in hands if hand.startswith(tongue)]


def _sure(known: Sequence[Example], shares: Shares, chosen: Sequence[str]) -> float:
    """The least share from which `PRECISE` of what is heard in the chosen hands is right."""
    part = [each.hand in chosen for each in known]
    labels = [each.label for each, taken in zip(known, part, strict=True) if taken]
    rows = {sure: figures(labels, shares[part], sure) for sure in map(float, SURE.round(2))}
    return next(
        (sure for sure, row in rows.items() if row["right"] >= PRECISE * row["heard"]), float(SURE[-1].round(2))
    )


def figures(known: Sequence[Example], shares: Shares, part: Sequence[bool], sure: float) -> dict[str, int]:
    """What is heard in a part of the sentences by a model that is so sure; "false" is heard where nothing is judged."""
    labels = [each.label for each, taken in zip(known, part, strict=True) if taken]
    kinds, best = shares[part].argmax(axis=1), shares[part].max(axis=1)
    told = [KINDS[kind] if share >= sure else None for kind, share in zip(kinds, best, strict=True)]
    heard = [(label, one) for label, one in zip(labels, told, strict=True) if one in JUDGING]
    return {
        "sentences": len(labels),
        "judging": sum(label in JUDGING for label in labels),
        "heard": len(heard),
        "right": sum(label is one for label, one in heard),
        "opposite": sum({label, one} == {Reaction.GOOD, Reaction.BAD} for label, one in heard),
        "false": sum(label not in JUDGING for label, _ in heard),
    }


if __name__ == "__main__":
    main()
