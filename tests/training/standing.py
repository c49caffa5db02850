"""Trains the reader of what still stands: which messages tell an answer, and which of these was replaced later.

    pip install '.[train]'
    python -m tests.training.standing             # writes the weights
    python -m tests.training.standing --measure   # figures of the weights that are there

It learns from `anew/` and from those of `questions/` that the answerability check learns from (both by blind hands;
GUIDE.md). One hand of `anew/` is left out: half of it chooses how far a later message must lead, the other half is looked at as numbers and
never as items.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evermem_cli.config import Settings
from evermem_cli.reading.answerability import asked_by
from evermem_cli.reading.shipped import WEIGHTS, ShippedModel
from evermem_cli.reading.standing import NAME, OUTPUTS, ROOM, Said, Standing, segments
from tests.training.pairs import items

ANEW = Path(__file__).parent / "anew"
LEFT_OUT = "e"  # half of it chooses how far a later message must lead, the other half is reported
WRONGLY = 0.02  # share of the answers that stand which may be left out
_OTHERS = 3  # at most so many messages of another example stand among those of one
_PLAIN = 300  # questions of the check that are learned from
_ROUNDS = 2  # how often each example of `anew/` is taken, each time among other messages
_UNKNOWN = -1.0  # a target that nothing is learned from
_WEIGHTS = (0.5, 1.0)
_SEED = 1


@dataclass(frozen=True, slots=True)
class Told:
    """A question, messages in order of time, and of each a row: whether it tells what stands, what was replaced."""

    question: str
    said: tuple[Said, ...]
    targets: tuple[tuple[float, float], ...]


def told(hand: str) -> list[Told]:
    """The examples of one hand."""
    rows = [json.loads(line) for line in (ANEW / f"{hand}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        Told(
            asked_by(row["asker"], row["q"]),
            tuple(Said(datetime.fromisoformat(day), speaker, text) for day, speaker, text in row["m"]),
            tuple((float(n in row["now"]), float(n in row["stale"])) for n in range(len(row["m"]))),
        )
        for row in rows
    ]


def hands() -> list[str]:
    """The names of the hands."""
    return sorted(path.stem for path in ANEW.glob("*.jsonl"))


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, writes the weights, and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="train nothing")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="folder of the weights")
    options = parser.parse_args(arguments)
    if not options.measure:
        _train(options.weights)
        _choose_lead(options.weights)
    standing = Standing(ShippedModel(NAME, options.weights))
    rows = {"choose": _figures(standing, told(LEFT_OUT)[::2]), "report": _figures(standing, told(LEFT_OUT)[1::2])}
    for part, row in rows.items():
        print(f"{part:8} " + ", ".join(f"{name} {value}" for name, value in row.items()))
    print(json.dumps({"benchmark": "standing", "weights": standing.model.settings["name"], "figures": rows}))


def _train(folder: Path) -> None:
    from tests.training.encoder import pretrained, tokenizer_of
    from tests.training.export import export
    from tests.training.learn import Recipe, learn
    from tests.training.network import Network
    from tests.training.segmented import loss_of, make_item

    embedder = Settings.load().models_dir / "all-minilm-l6-v2"
    tokenizer = tokenizer_of(embedder)
    learned = [hand for hand in hands() if hand != LEFT_OUT]
    examples = [*_mixed([one for hand in learned for one in told(hand)]), *_plain()]
    network = Network(pretrained(embedder / "model.onnx"), OUTPUTS)
    recipe = Recipe(epochs=2, rate=1.5e-4, head_rate=1e-3)
    made = [make_item(segments(one.question, one.said), np.array(one.targets), tokenizer, ROOM) for one in examples]
    learn(network, made, loss_of(_WEIGHTS), recipe)
    settings = {
        "command": "python -m tests.training.standing",
        "learned_from": {"hands": learned, "examples": len(examples)},
        "lead": 0.0,
    }
    export(NAME, network, tokenizer, folder, settings)


def _mixed(examples: Sequence[Told]) -> Iterator[Told]:
    """Each example some times, among messages of others, as search finds them."""
    random = Random(_SEED)
    for one in [*examples] * _ROUNDS:
        other = random.choice(examples)
        strangers = [
            (said, (0.0, 0.0))
            for said in random.sample(other.said, min(len(other.said), random.randrange(_OTHERS + 1)))
            if other.said != one.said
        ]
        first, last = one.said[0].at, one.said[-1].at
        moved = [
            (said._replace(at=first + (last - first) * random.random() + timedelta(days=random.randrange(-9, 9))), none)
            for said, none in strangers
        ]
        rows = sorted([*zip(one.said, one.targets, strict=True), *moved], key=lambda row: row[0].at)
        yield Told(one.question, tuple(said for said, _ in rows), tuple(target for _, target in rows))


def _plain() -> Iterator[Told]:
    """Questions of the check: which messages tell an answer; whether one was replaced is not known."""
    asked = [one for one in items() if one.part == "learn" and len(one.messages) > 1]
    for one in Random(_SEED).sample(asked, _PLAIN):
        day = datetime(2024, 1, 1) + timedelta(days=len(one.question) * 5)
        times = one.times or tuple(day + timedelta(minutes=n) for n in range(len(one.messages)))
        said = tuple(Said(at, *line) for at, line in zip(times, one.messages, strict=True))
        rows = tuple((float(n in one.answers), _UNKNOWN) for n in range(len(said)))
        yield Told(asked_by(one.asker, one.question), said, rows)


def _outcomes(standing: Standing, examples: Sequence[Told]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The leads of later messages over every message, and what was wanted of it."""
    odds = standing.log_odds([(one.question, one.said) for one in examples])
    leads = np.concatenate([standing.leads(each) for each in odds])
    return leads, np.concatenate([np.array(one.targets) for one in examples])


def _choose_lead(folder: Path) -> None:
    """The least by which no more of the answers that stand are left out than `WRONGLY` says."""
    leads, wanted = _outcomes(Standing(ShippedModel(NAME, folder)), told(LEFT_OUT)[::2])
    path = folder / f"{NAME}.json"
    settings: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    stand = leads[wanted[:, 0] > 0].clip(min=-100)  # the last message has no later one
    settings["lead"] = round(float(np.quantile(stand, 1 - WRONGLY)), 3)
    path.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def _figures(standing: Standing, examples: Sequence[Told]) -> dict[str, float]:
    """How many replaced answers are left out, and how many of those that stand."""
    leads, wanted = _outcomes(standing, examples)
    out, stale, stands = leads > standing.model.settings["lead"], wanted[:, 1] > 0, wanted[:, 0] > 0
    row = {
        "messages": len(leads),
        "replaced": stale.sum(),
        "of them left out": out[stale].mean(),
        "standing": stands.sum(),
        "of them left out wrongly": out[stands].mean(),
        "area under the curve": _area(leads[stale], leads[stands]),
    }
    return {name: round(float(value), 3) for name, value in row.items()}


def _area(above: NDArray[np.float64], below: NDArray[np.float64]) -> float:
    """The share of pairs in the right order."""
    return float((above[:, None] > below[None, :]).mean())


if __name__ == "__main__":
    main()
