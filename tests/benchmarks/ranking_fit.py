"""Weights of the ranking from questions with known evidence: softmax over a question's candidates, Newton's method."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evermem_cli.memory.pool import Floats, Ints

RIDGE = 1e-4  # of standardised weights: there are 10 of them and 1,200 questions, so it only steadies the steps
STEPS = 25
SMALLEST_STEP = 1e-6
SMALLEST_GAIN = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A question's candidates: their places, what speaks for each (rows, features), and which are evidence."""

    places: Ints
    features: Floats
    gold: frozenset[int]
    found_gold: NDArray[np.bool_]

    def ranked(self, weights: Floats, columns: Sequence[int]) -> Ints:
        """The places, best first."""
        order = np.argsort(-(self.features[:, columns] @ weights), kind="stable")
        return self.places[order]


def fit(examples: Sequence[Example], columns: Sequence[int]) -> Floats:
    """Maximises the mean log share of each question's evidence, as logits; a weight for each of `columns`."""
    usable = [example for example in examples if example.found_gold.any()]
    features = np.concatenate([example.features[:, columns] for example in usable])
    sizes = np.array([len(example.places) for example in usable])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    target = np.concatenate([example.found_gold / example.found_gold.sum() for example in usable])
    ridge = RIDGE * len(usable) * np.diag(features.var(axis=0) + 1e-9)

    def shares(weights: Floats) -> tuple[float, Floats]:
        scores = features @ weights
        highest = np.repeat(np.maximum.reduceat(scores, starts), sizes)
        odds = np.exp(scores - highest)
        total = np.repeat(np.add.reduceat(odds, starts), sizes)
        gained = float(target @ (scores - highest - np.log(total)) - weights @ ridge @ weights / 2)
        return gained, odds / total

    weights = np.zeros(features.shape[1])
    gained, share = shares(weights)
    for _ in range(STEPS):
        weighted = features * share[:, None]
        means = np.add.reduceat(weighted, starts)
        curvature = features.T @ weighted - means.T @ means + ridge
        step = np.linalg.solve(curvature, features.T @ (target - share) - ridge @ weights)
        before = gained
        while (tried := shares(weights + step))[0] < gained and np.abs(step).max() > SMALLEST_STEP:
            step = step / 2
        weights, (gained, share) = weights + step, tried
        if gained - before < SMALLEST_GAIN:
            break
    return weights
