"""The tagger's outputs for the tokens of one message or question, as probabilities."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evermem_cli.reading.statements.labels import MESSAGE_OUTPUTS, OUTPUTS

Floats = NDArray[np.float32]

_CUTS = list(np.cumsum(OUTPUTS))[:-1]
_OF_MESSAGES = len(MESSAGE_OUTPUTS)


@dataclass(frozen=True, slots=True)
class Outputs:
    """Probabilities for the n tokens of one message.

    `inside` and `begins` have the shape (n, kinds): that a token is in a statement of the kind, or is its first token.
    `whose` and `stance` have a row for each token. `telling` is the probability that the token's sentence is worth
    keeping, `person` that the token names the person whom a statement is about.
    """

    inside: Floats
    begins: Floats
    telling: Floats
    whose: Floats
    stance: Floats
    person: Floats

    @classmethod
    def of(cls, logits: Floats) -> "Outputs":
        """The probabilities from logits of the shape (n, sum(OUTPUTS))."""
        tags, telling, whose, stance, person = np.split(logits, _CUTS, axis=1)[:_OF_MESSAGES]
        tags = _softmax(tags)
        begins = tags[:, 1::2]
        return cls(
            inside=begins + tags[:, 2::2],
            begins=begins,
            telling=_sigmoid(telling[:, 0]),
            whose=_softmax(whose),
            stance=_softmax(stance),
            person=_sigmoid(person[:, 0]),
        )


@dataclass(frozen=True, slots=True)
class QuestionOutputs:
    """Probabilities for a question of n tokens.

    `kind`, `asks`, `owner`, `sought` and `era` are of the whole question, in the order of `labels`; `advice` is that it
    does not ask for advice, and that it does. `value`, `narrow` and `names` have the shape (n,): that a token belongs
    to the supposed value, narrows what is asked, or names the owner.
    """

    kind: Floats
    asks: Floats
    owner: Floats
    sought: Floats
    era: Floats
    advice: Floats
    value: Floats
    narrow: Floats
    names: Floats

    @classmethod
    def of(cls, logits: Floats, first: int) -> "QuestionOutputs":
        """The probabilities from logits of the shape (1 + marks + n, sum(OUTPUTS)); the question begins at `first`."""
        *whole, marks = np.split(logits, _CUTS, axis=1)[_OF_MESSAGES:]
        return cls(*(_softmax(output[:1])[0] for output in whole), *_sigmoid(marks[first:]).T)


def _sigmoid(logits: Floats) -> Floats:
    probabilities: Floats = (1 / (1 + np.exp(-logits))).astype(np.float32)
    return probabilities


def _softmax(logits: Floats) -> Floats:
    exponents = np.exp(logits - logits.max(axis=1, keepdims=True)) if len(logits) else logits
    probabilities: Floats = exponents / exponents.sum(axis=1, keepdims=True) if len(logits) else logits
    return probabilities
