"""How likely a statement that the tagger read is right."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evermem_cli.reading.statements.labels import STANCES, UNASSERTED
from evermem_cli.reading.statements.outputs import Outputs

SIGNS = 8  # numbers in the result of `signs`


@dataclass(frozen=True, slots=True)
class Calibration:
    """Logistic regression on the `signs` of a statement: a weight for each sign, and a constant."""

    weights: tuple[float, ...]
    constant: float

    def probability(self, signs: Sequence[float]) -> float:
        """The probability that a statement is right: its kind, the person it is about, and how it is meant."""
        odds = float(np.dot(self.weights, signs)) + self.constant
        return float(1 / (1 + np.exp(-odds)))


def signs(outputs: Outputs, first: int, last: int, kind: int) -> tuple[float, ...]:
    """What tells how likely the tokens from `first` to `last` are a statement of this kind: log odds and a length.

    The odds are those of its tokens being of the kind, on average and at the weakest token, of being of other kinds, of
    beginning where the run begins, of being somebody's at all, of asserting nothing, and of a sentence worth keeping.
    """
    inside = outputs.inside[first:last]
    whose, stance = outputs.whose[first:last].mean(axis=0), outputs.stance[first:last].mean(axis=0)
    return (
        log_odds(inside[:, kind].mean()),
        log_odds(inside[:, kind].min()),
        log_odds(np.delete(inside, kind, axis=1).sum(axis=1).mean()),
        log_odds(outputs.begins[first, kind]),
        log_odds(whose.max()),
        log_odds(stance[[STANCES.index(unmeant) for unmeant in UNASSERTED]].sum()),
        log_odds(outputs.telling[first:last].mean()),
        float(np.log(last - first)),
    )


def log_odds(probability: float) -> float:
    """The logarithm of the odds; finite for 0 and 1, too."""
    bounded = min(max(probability, 1e-6), 1 - 1e-6)
    return float(np.log(bounded / (1 - bounded)))
