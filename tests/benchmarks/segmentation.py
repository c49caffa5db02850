"""How well topic boundaries are found: `python -m tests.benchmarks.segmentation --data DIR [--models DIR] [--train]`.

Score = F1/2 + (1 - Pk)/4 + (1 - WindowDiff)/4, each the mean over dialogues; the window is max(2, round(messages /
segments / 2)); F1 is over boundaries, 1 where a dialogue has none and none was found.

Without `--train` the shipped numbers are measured with `boundary="always"`, whole and one message at a time. They were
fitted to these very dialogues, so only their figures on other sets mean anything; `--train` reports what such numbers
reach on dialogues left out of the fit, over a sweep of thresholds, and then writes numbers fitted to all.
"""

import argparse
import json
import random
import time
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from evermem_cli.config import Settings
from evermem_cli.engines import weights as model_files
from evermem_cli.engines.catalog import find_embedder
from evermem_cli.engines.embedder import FastEmbed
from evermem_cli.formation import boundary_model
from evermem_cli.formation.boundary_model import DEPTH, TRAINED_EMBEDDER, BoundaryWeights, boundary_scores
from evermem_cli.formation.segment import segment
from evermem_cli.memory import Message
from tests.benchmarks.boundary_training import Dialogue, Gaps, Matrix, examples, fit

SETS = ("tiage_train", "tiage_validation", "superdialseg_validation")
FOLDS = 4
SWEEP = np.arange(-0.6, 0.7, 0.2)  # added to the thresholds of the fit


def read_dialogues(data: Path, name: str, models: Path) -> list[Dialogue]:
    """One set with its embeddings, which are kept beside the models for the next run."""
    parsed = [_parse(json.loads(line)["dialogue"]) for line in (data / f"{name}.jsonl").open(encoding="utf-8")]
    cached = models / f"{name}.{TRAINED_EMBEDDER}.npy"
    if not cached.exists():
        embedder = FastEmbed(model_files.ensure(find_embedder(TRAINED_EMBEDDER), models), TRAINED_EMBEDDER)
        np.save(cached, embedder.embed([text for turns, _ in parsed for _, text in turns]))
    vectors = np.load(cached)
    ends = np.cumsum([len(turns) for turns, _ in parsed])
    kind = name.partition("_")[0]
    return [
        Dialogue(kind, kind, turns, vectors[end - len(turns) : end], gaps)
        for (turns, gaps), end in zip(parsed, ends, strict=True)
    ]


def _parse(text: str) -> tuple[list[tuple[str, str]], Gaps]:
    turns: list[tuple[str, str]] = []
    ends = set()
    for line in text.split("[NEWLINE]"):
        if line == "[BOUNDARY]":
            ends.add(len(turns) - 1)
        else:
            who, _, said = line.partition(":")
            turns.append((who, said.strip()))
    return turns, np.array([place in ends for place in range(len(turns) - 1)], np.bool_)


def score(pairs: Iterable[tuple[Gaps, Gaps]]) -> float:
    """Mean over (true, found) of F1/2 + (1 - Pk)/4 + (1 - WindowDiff)/4."""
    return float(np.mean([_score_one(true, found) for true, found in pairs]))


def _score_one(true: Gaps, found: Gaps) -> float:
    total = true.sum() + found.sum()
    f1 = 2 * (true & found).sum() / total if total else 1.0
    messages = len(true) + 1
    window = max(2, round(messages / (true.sum() + 1) / 2))
    if messages <= window:
        return float(f1 / 2 + 0.5)
    inside = [(counts[window:] - counts[:-window]) for counts in (np.cumsum([0, *true]), np.cumsum([0, *found]))]
    pk = np.mean((inside[0] > 0) != (inside[1] > 0))
    window_diff = np.mean(inside[0] != inside[1])
    return float(f1 / 2 + (1 - pk) / 4 + (1 - window_diff) / 4)


def cut(scores: Matrix, threshold: float) -> Gaps:
    """The walk of `segment`, for any threshold."""
    found = np.zeros(len(scores), np.bool_)
    size = 0
    for gap, ends in enumerate((scores > threshold).tolist()):
        size += 1
        if ends[min(size, DEPTH) - 1]:
            found[gap], size = True, 0
    return found


def found_whole(messages: Sequence[Message], vectors: Matrix) -> Gaps:
    """Boundaries when the dialogue is there at once."""
    found = np.zeros(len(messages), np.bool_)
    found[[part.stop - 1 for part in segment(messages, vectors, boundary="always")]] = True
    return found[:-1]


def found_in_pieces(messages: Sequence[Message], vectors: Matrix) -> Gaps:
    """Boundaries when each message arrives alone and segmentation goes on from the open segment."""
    found = np.zeros(len(messages), np.bool_)
    start = 0
    for stop in range(1, len(messages) + 1):
        parts = segment(messages[start:stop], vectors[start:stop], boundary="always", continues_sitting=start > 0)
        found[[start + part.stop - 1 for part in parts if not part.open]] = True
        start += parts[-1].start
    return found[:-1]


def measure(dialogues: Sequence[Dialogue]) -> dict[str, dict[str, float]]:
    """Prints the shipped numbers' Score and speed on each set, with roles and with names only."""
    report: dict[str, dict[str, float]] = {}
    for kind, roles in product(("tiage", "superdialseg"), (True, False)):
        some = [each for each in dialogues if each.kind == kind]
        inputs = [(each.messages(roles), each.vectors) for each in some]
        began = time.perf_counter()
        whole = [found_whole(*each) for each in inputs]
        rate = sum(len(each.turns) for each in some) / (time.perf_counter() - began)
        agree = all(np.array_equal(found_in_pieces(*each), w) for each, w in zip(inputs[:200], whole, strict=False))
        value = score((each.gaps, found) for each, found in zip(some, whole, strict=True))
        name = f"{kind} {_known(roles)}"
        report[name] = {"n": len(some), "fitted_score": round(value, 4), "messages_per_second": round(rate)}
        print(f"{name:20} n={len(some):5} fitted {value:.3f}  in pieces as whole: {agree}  {rate:.0f} messages/s")
    return report


def _known(roles: bool) -> str:
    return "roles" if roles else "names"


def cross_validate(dialogues: Sequence[Dialogue], with_meaning: bool) -> None:
    """Prints the Score of each set over the sweep of thresholds, always on dialogues left out of the fit."""
    found: dict[tuple[str, bool], list[tuple[Gaps, Matrix]]] = {}
    for fold in range(FOLDS):
        dice = random.Random(fold)
        fitted = fit(
            examples([each for place, each in enumerate(dialogues) if place % FOLDS != fold], dice), with_meaning
        )
        for each in examples(dialogues[fold::FOLDS], dice):
            for roles in (True, False):
                scores = boundary_scores(each.messages(roles), each.vectors, fitted)
                found.setdefault((each.kind, roles), []).append((each.gaps, scores))
    print(f"left out, {FOLDS} folds, {'with' if with_meaning else 'without'} meaning; threshold:")
    print(f"{'':24}" + "".join(f"{threshold:7.1f}" for threshold in SWEEP))
    for (kind, roles), pairs in found.items():
        line = [score((true, cut(scores, threshold)) for true, scores in pairs) for threshold in SWEEP]
        print(f"{kind:13}{_known(roles):6}{len(pairs):5}" + "".join(f"{value:7.3f}" for value in line))


def write_weights(dialogues: Sequence[Dialogue]) -> None:
    """Fits to everything and writes the shipped numbers."""
    numbers: dict[str, dict[str, Any]] = {}
    for name, with_meaning in ((TRAINED_EMBEDDER, True), ("any", False)):
        fitted = fit(examples(dialogues, random.Random(0)), with_meaning)
        numbers[name] = {"talk": _rounded_weights(fitted.talk), "genre": _rounded(fitted.genre)}
        if fitted.enquiry:
            numbers[name]["enquiry"] = _rounded_weights(fitted.enquiry)
    Path(boundary_model.__file__).with_name("boundary_weights.json").write_text(
        json.dumps(numbers) + "\n", encoding="utf-8"
    )


def _rounded_weights(weights: BoundaryWeights) -> dict[str, float | list[float]]:
    return {
        "bias": round(weights.bias, 4),
        "wording": _rounded(weights.wording),
        "likeness": _rounded(weights.likeness),
        "meaning": _rounded(weights.meaning),
    }


def _rounded(numbers: Matrix) -> list[float]:
    return [round(float(number), 3) for number in numbers]


def main() -> None:
    """Reads the options and does as the module says."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--models", type=Path, default=Settings.load().models_dir)
    options.add_argument("--train", action="store_true")
    given = options.parse_args()
    dialogues = [each for name in SETS for each in read_dialogues(given.data, name, given.models)]
    if given.train:
        for with_meaning in (True, False):
            cross_validate(dialogues, with_meaning)
        write_weights(dialogues)
        boundary_model.load_model.cache_clear()
    print(json.dumps(measure(dialogues)))


if __name__ == "__main__":
    main()
