"""How well topic boundaries are found: `python -m tests.benchmarks.segmentation --data DIR [--left-out] [--train]`.

Score = F1/2 + (1 - Pk)/4 + (1 - WindowDiff)/4, each the mean over dialogues; the window is max(2, round(messages /
segments / 2)); F1 is over boundaries, 1 where a dialogue has none and none was found.

Messages have the vectors that `ingest` gives them, with the question before the answer to it. Beside the annotated
sets there are dialogues joined of parts of MSC's and of LoCoMo's sessions; they stand for DialSeg711, not here.

Without an option the shipped numbers are measured with `boundary="always"`, whole and one message at a time. They were
fitted to TIAGE and SuperDialseg, so their figures there mean nothing. `--left-out` fits to all kinds but one and
reports that one, at the threshold that is best for the others. `--train` reports what such numbers reach on dialogues
left out of the fit, over a sweep of thresholds, and then writes numbers fitted to all.
"""

import argparse
import json
import random
import time
from collections.abc import Iterable, Sequence
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np

from evermem_cli.config import Settings
from evermem_cli.engines import weights as model_files
from evermem_cli.engines.catalog import find_embedder
from evermem_cli.formation import boundary_model
from evermem_cli.formation.boundary_model import (
    DEPTH,
    TRAINED_EMBEDDER,
    BoundaryModel,
    BoundaryWeights,
    boundary_scores,
)
from evermem_cli.formation.segment import segment
from evermem_cli.memory import Message
from tests.benchmarks.boundary_training import Dialogue, Gaps, Matrix, examples, fit
from tests.benchmarks.joined_dialogues import Embed, embed_turns, join_sessions, read_sessions
from tests.benchmarks.retrieval import CachedEmbedder

SETS = ("tiage_train", "tiage_validation", "superdialseg_validation")
KINDS = ("tiage", "superdialseg", "msc", "locomo")
JOINED = 100  # dialogues put together of the sessions of MSC, and of LoCoMo
FOLDS = 4
SWEEP = np.arange(-0.6, 0.7, 0.2)  # added to the thresholds of the fit


def read_dialogues(data: Path, name: str, embed: Embed, most: int) -> list[Dialogue]:
    """The first `most` dialogues of one set."""
    kind = name.partition("_")[0]
    with (data / f"{name}.jsonl").open(encoding="utf-8") as lines:
        parsed = [_parse(json.loads(line)["dialogue"]) for line in islice(lines, most)]
    vectors = embed_turns([turns for turns, _ in parsed], embed)
    return [Dialogue(kind, kind, turns, found, gaps) for (turns, gaps), found in zip(parsed, vectors, strict=True)]


def read_all(data: Path, embed: Embed, most: int) -> list[Dialogue]:
    """All sets, and dialogues joined of the sessions of MSC and of LoCoMo."""
    read = [each for name in SETS for each in read_dialogues(data, name, embed, most)]
    for kind in ("msc", "locomo"):
        read += join_sessions(read_sessions(data, kind, embed, most), kind, JOINED, random.Random(kind))
    return read


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
    for kind, roles in product(KINDS, (True, False)):
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


def leave_out(dialogues: Sequence[Dialogue], with_meaning: bool) -> None:
    """Prints the Score of each kind as found by numbers and a threshold that come from the other kinds alone."""
    print(f"each kind left out of learning and choosing, {'with' if with_meaning else 'without'} meaning")
    for kind in KINDS:
        others = [each for each in dialogues if each.kind != kind]
        fitted = fit(examples(others, random.Random(0)), with_meaning)
        known = [
            _scored([each for each in others if each.kind == other], fitted, True) for other in KINDS if other != kind
        ]
        threshold = max(SWEEP, key=lambda least: sum(_score_at(pairs, least) for pairs in known))
        found = [_scored([each for each in dialogues if each.kind == kind], fitted, roles) for roles in (True, False)]
        values = " ".join(
            f"{_score_at(pairs, threshold):.3f} {_known(roles)}"
            for pairs, roles in zip(found, (True, False), strict=True)
        )
        print(f"{kind:13} n={len(found[0]):5} {values}  threshold {threshold:.1f}", flush=True)


def _scored(dialogues: Sequence[Dialogue], model: BoundaryModel, roles: bool) -> list[tuple[Gaps, Matrix]]:
    return [(each.gaps, boundary_scores(each.messages(roles), each.vectors, model)) for each in dialogues]


def _score_at(pairs: Sequence[tuple[Gaps, Matrix]], threshold: float) -> float:
    return score((true, cut(scores, threshold)) for true, scores in pairs)


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
    options.add_argument("--vectors", type=Path, help="folder to keep vectors in between runs")
    options.add_argument("--most", type=int, default=10_000, help="dialogues and sessions of each set at most")
    options.add_argument("--left-out", choices=("with", "without"), help="each kind left out; with or without meaning")
    options.add_argument("--train", action="store_true")
    given = options.parse_args()
    embed = CachedEmbedder(model_files.ensure(find_embedder(TRAINED_EMBEDDER), given.models), given.vectors)
    dialogues = read_all(given.data, embed, given.most)
    embed.save()
    if given.left_out:
        leave_out(dialogues, with_meaning=given.left_out == "with")
        return
    if given.train:
        for with_meaning in (True, False):
            cross_validate(dialogues, with_meaning)
        write_weights(dialogues)
        boundary_model.load_model.cache_clear()
    print(json.dumps(measure(dialogues)))


if __name__ == "__main__":
    main()
