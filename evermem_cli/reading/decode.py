"""From the tagger's outputs for the tokens of one message to statements."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evermem_cli.memory import Stance, Statement, Whose
from evermem_cli.reading.labels import KINDS, OTHER, OUTPUTS, STANCES, UNASSERTED, WHOSE
from evermem_cli.reading.voices import is_of_another

Floats = NDArray[np.float32]
Offsets = Sequence[tuple[int, int]]

_CUTS = list(np.cumsum(OUTPUTS))[:-1]
_UNASSERTED_FROM = 0.3
_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…\n]*")
_EDGES = " \t\n,.;:!?\"'“”‘’()[]，。；：！？、「」…"


class Passage(NamedTuple):
    """A message to read: its id and text, and the text of the turn that it answers, empty where it answers none."""

    message_id: str
    text: str
    before: str


@dataclass(frozen=True, slots=True)
class Outputs:
    """Probabilities for the n tokens of one message.

    `inside` and `begins` have the shape (n, kinds): that a token is part of a statement of the kind, and its first.
    `whose` and `stance` have a row for each token. `telling` is that a token is part of a sentence that tells something
    worth keeping, `person` that it names whose a statement is.
    """

    inside: Floats
    begins: Floats
    telling: Floats
    whose: Floats
    stance: Floats
    person: Floats

    @classmethod
    def of(cls, logits: Floats) -> "Outputs":
        """From logits of the shape (n, sum(OUTPUTS))."""
        tags, telling, whose, stance, person = np.split(logits, _CUTS, axis=1)
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
class Calibration:
    """From what the outputs say to how often that is right (Platt 1999): weights of two log odds, and a constant."""

    statement: float
    whose: float
    constant: float

    def probability(self, statement: float, whose: float) -> float:
        """How likely a statement and its owner are right together."""
        odds = self.statement * log_odds(statement) + self.whose * log_odds(whose) + self.constant
        return float(1 / (1 + np.exp(-odds)))


@dataclass(frozen=True, slots=True)
class DecodingSettings:
    """What goes with the weights.

    From `threshold` on a token is part of a statement, from `telling` on a sentence tells something.
    """

    threshold: float
    telling: float
    calibration: Calibration


def log_odds(probability: float) -> float:
    """The logarithm of the odds; finite for 0 and 1, too."""
    bounded = min(max(probability, 1e-6), 1 - 1e-6)
    return float(np.log(bounded / (1 - bounded)))


def decode(passage: Passage, offsets: Offsets, outputs: Outputs, settings: DecodingSettings) -> Iterator[Statement]:
    """The statements of a message, in order; `offsets` say where each token stands in the message.

    They are runs of tokens that are likelier than a threshold to be part of one, and whole sentences, of the kind
    `other`, that tell something and have no such run. What somebody else speaks by its form is nobody's.
    """
    named = list(_named(passage, offsets, outputs, settings))
    whole = _telling(passage, offsets, outputs, settings.telling)
    alone = [span for span in whole if all(one.stop <= span.start or one.start >= span.stop for one in named)]
    for span in sorted([*named, *alone], key=lambda span: span.start):
        foreign = is_of_another(passage.text, span.start, span.stop)
        yield replace(span, whose=Whose.NOBODY, person="") if foreign else span


def _telling(passage: Passage, offsets: Offsets, outputs: Outputs, threshold: float) -> Iterator[Statement]:
    """The sentences that tell something, by the mean of their tokens."""
    for match in _SENTENCE.finditer(passage.text):
        tokens = [n for n, (start, end) in enumerate(offsets) if start < match.end() and end > match.start()]
        probability = float(outputs.telling[tokens].mean()) if tokens else 0.0
        start, end = _trimmed(passage.text, *match.span())
        if probability < threshold or start == end:
            continue
        foreign = outputs.whose[tokens, WHOSE.index(Whose.NOBODY)].mean() > 0.5
        yield Statement(
            message_id=passage.message_id,
            start=start,
            stop=end,
            kind=OTHER,
            value=passage.text[start:end],
            whose=Whose.NOBODY if foreign else Whose.ME,
            person="",
            stance=Stance.HOLDS,
            probability=probability,
        )


def _named(passage: Passage, offsets: Offsets, outputs: Outputs, settings: DecodingSettings) -> Iterator[Statement]:
    """The runs of tokens of one kind."""
    text = passage.text
    kinds = outputs.inside.argmax(axis=1) if len(offsets) else np.zeros(0, dtype=np.int64)
    part = outputs.inside.sum(axis=1) >= settings.threshold
    words = [text[start:end].isalnum() for start, end in offsets]
    for first, last in _runs(part, kinds, outputs.begins, words):
        kind = int(kinds[first])
        start, end = _whole_words(text, *_trimmed(text, offsets[first][0], offsets[last - 1][1]))
        if start == end:
            continue
        whose, stance = outputs.whose[first:last].mean(axis=0), outputs.stance[first:last].mean(axis=0)
        likeliest = WHOSE[int(whose.argmax())]
        yield Statement(
            message_id=passage.message_id,
            start=start,
            stop=end,
            kind=KINDS[kind],
            value=text[start:end],
            whose=likeliest,
            person=_person(text, offsets, outputs.person, first) if likeliest is Whose.OTHER else "",
            stance=_stance(stance),
            probability=settings.calibration.probability(outputs.inside[first:last, kind].mean(), whose.max()),
        )


def _runs(
    part: NDArray[np.bool_], kinds: NDArray[np.int64], begins: Floats, words: Sequence[bool]
) -> Iterator[tuple[int, int]]:
    """The beginnings and ends of runs of one kind.

    After a mark, as in "two cats, a dog", a token that is likelier to begin than to go on begins another run. After a
    word it does not: hands differ on whether "my aunt" is a value or "aunt", and no list has two things without a mark.
    """

    def begins_anew(at: int) -> bool:
        if at == 0 or not part[at - 1] or kinds[at] != kinds[at - 1]:
            return True
        return bool(begins[at, kinds[at]] > 0.5) and not words[at - 1]

    starts = [at for at in range(len(part)) if part[at] and begins_anew(at)]
    for start, following in pairwise([*starts, len(part)]):
        end = start
        while end < following and part[end]:
            end += 1
        yield start, end


def _person(text: str, offsets: Offsets, person: Floats, at: int) -> str:
    """The words that name somebody, of several the nearest before, else after."""
    spans = []
    index = 0
    while index < len(person):
        end = index
        while end < len(person) and person[end] > 0.5:
            end += 1
        if end > index:
            spans.append((index, end))
        index = max(end, index + 1)
    before = [span for span in spans if span[0] <= at]
    nearest = before[-1] if before else spans[0] if spans else None
    if nearest is None:
        return ""
    start, end = _trimmed(text, offsets[nearest[0]][0], offsets[nearest[1] - 1][1])
    return text[start:end]


def _stance(probabilities: Floats) -> Stance:
    """The likeliest; one that asserts nothing where those together are likely enough: a wish is no fact."""
    unasserted = [STANCES.index(stance) for stance in UNASSERTED]
    if probabilities[unasserted].sum() >= _UNASSERTED_FROM:
        return STANCES[max(unasserted, key=lambda index: float(probabilities[index]))]
    return STANCES[int(probabilities.argmax())]


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The same stretch with the rest of the words in which it begins and ends."""
    while 0 < start < end and text[start].isalnum() and text[start - 1].isalnum():
        start -= 1
    while start < end < len(text) and text[end].isalnum() and text[end - 1].isalnum():
        end += 1
    return start, end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The same stretch of text without spaces and punctuation at its edges."""
    while start < end and text[start] in _EDGES:
        start += 1
    while end > start and text[end - 1] in _EDGES:
        end -= 1
    return start, end


def _sigmoid(logits: Floats) -> Floats:
    probabilities: Floats = (1 / (1 + np.exp(-logits))).astype(np.float32)
    return probabilities


def _softmax(logits: Floats) -> Floats:
    exponents = np.exp(logits - logits.max(axis=1, keepdims=True)) if len(logits) else logits
    probabilities: Floats = exponents / exponents.sum(axis=1, keepdims=True) if len(logits) else logits
    return probabilities
