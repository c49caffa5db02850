"""Trains the models that read a user's reaction to an assistant, and prints their figures.

    pip install '.[train]'
    python -m tests.training.reactions             # learns from all hands, writes the weights
    python -m tests.training.reactions --measure   # figures alone: each hand is left out once, in four groups

`reactions/` has comments by blind hands, with a label for each sentence; at least half of those that judge tell it by
what happened.
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
from evermem_cli.reading.reactions import CHINESE, KINDS, NAME, Comment, Reaction, ReactionModel, Shares, reaction_of
from evermem_cli.reading.shipped import WEIGHTS
from tests.training.linear import arrays, learn_runs

HANDS = Path(__file__).parent / "reactions"
GROUPS = 4  # of hands, each of which is left out once
LOOSENESS = 0.3
LAYERS = 4  # of six; more are hardly better, and slower
JUDGING = (Reaction.GOOD, Reaction.BAD, Reaction.MIXED)
_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])\s*")


class Example(NamedTuple):
    """A comment with its label."""

    hand: str
    comment: Comment
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
        comment = Comment(row["before"], " ".join(sentences[:place]), sentence)
        yield Example(hand, comment, None if label == "other" else Reaction(label))


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, writes the weights, and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="print figures of left-out hands, and write nothing")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="folder of the weights")
    options = parser.parse_args(arguments)
    known = examples()
    if options.measure:
        _measure(known)
    else:
        _train(known, options.weights)


def _train(known: Sequence[Example], folder: Path) -> None:
    """Writes the weights of both models."""
    _train_english([each for each in known if each.hand.startswith("en")], folder)
    _train_chinese([each for each in known if each.hand.startswith("zh")], folder)


def _train_english(known: Sequence[Example], folder: Path) -> None:
    from tests.training.comments import loss, make_item
    from tests.training.encoder import pretrained, tokenizer_of
    from tests.training.export import export
    from tests.training.learn import Recipe, learn
    from tests.training.network import Network

    embedder = Settings.load().models_dir / "all-minilm-l6-v2"
    tokenizer = tokenizer_of(embedder)
    encoder = pretrained(embedder / "model.onnx")
    encoder.layers = encoder.layers[:LAYERS]
    network = Network(encoder, len(KINDS))
    items = [make_item(each.comment, KINDS.index(each.label), tokenizer) for each in known]
    learn(network, items, loss, Recipe(epochs=2, rate=1.5e-4, head_rate=1e-3))
    settings = {
        "command": "python -m tests.training.reactions",
        "learned_from": {"hands": sorted({each.hand for each in known}), "sentences": len(known)},
    }
    export(NAME, network, tokenizer, folder, settings)


def _train_chinese(known: Sequence[Example], folder: Path) -> None:
    texts, labels = [each.comment.sentence for each in known], [KINDS.index(each.label) for each in known]
    np.savez_compressed(folder / CHINESE, **arrays("zh", learn_runs(texts, labels, LOOSENESS)))


def _measure(known: Sequence[Example]) -> None:
    """Each hand is left out once."""
    hands = sorted({each.hand for each in known})
    shares = np.zeros((len(known), len(KINDS)), dtype=np.float32)
    for group in range(GROUPS):
        left_out = {hand for tongue in ("en", "zh") for hand in _of(hands, tongue)[group::GROUPS]}
        places = [place for place, each in enumerate(known) if each.hand in left_out]
        with TemporaryDirectory() as folder:
            learned = [each for each in known if each.hand not in left_out]
            _train(learned, Path(folder))
            shares[places] = ReactionModel(Path(folder)).shares([known[place].comment for place in places])
    for tongue in ("en", "zh"):
        for hand in [*_of(hands, tongue), tongue]:
            part = [each.hand.startswith(tongue) if hand == tongue else each.hand == hand for each in known]
            print(json.dumps({"benchmark": "reactions", "hand": hand} | figures(known, shares, part)), flush=True)


def _of(hands: Sequence[str], tongue: str) -> list[str]:
    return [hand for hand in hands if hand.startswith(tongue)]


def figures(known: Sequence[Example], shares: Shares, part: Sequence[bool]) -> dict[str, int]:
    """What is heard in a part of the sentences; "false" is heard where nothing is judged."""
    labels = [each.label for each, taken in zip(known, part, strict=True) if taken]
    replies = [bool(each.comment.reply) for each, taken in zip(known, part, strict=True) if taken]
    told = [reaction_of(row, has_reply=reply) for row, reply in zip(shares[part], replies, strict=True)]
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
