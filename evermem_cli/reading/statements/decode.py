"""Turns the tagger's outputs for the tokens of one message into statements."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from evermem_cli.memory import Stance, Statement, Whose
from evermem_cli.naming import NAME
from evermem_cli.reading.statements.calibration import Calibration, signs
from evermem_cli.reading.statements.edges import Edges, is_within_word, whole_words, with_whole_brackets
from evermem_cli.reading.statements.labels import KINDS, OTHER, STANCES, WHOSE
from evermem_cli.reading.statements.outputs import Floats, Outputs
from evermem_cli.reading.voices import is_of_another

Offsets = Sequence[tuple[int, int]]
_Label = TypeVar("_Label")

# From these probabilities on, a statement is taken for one that asserts nothing: a joke, a wish, or somebody else's
# words. In the messages to choose by, 4 of 5 jokes from .3 on are jokes, and 2 of 2 from .7 on; people joke less than
# the hands to learn from. The last bound loses one in two hundred of the writer's own statements there.
_UNMEANT_FROM = {Stance.JOKED: 0.7, Stance.WISHED: 0.3}
_NOBODYS_FROM = {Whose.NOBODY: 0.1}
_EVEN = 0.5  # as likely in a run as outside of it
_UNMARKED = np.exp(-1.0)  # how much a token that looks like a later one of a run counts as its first
_SAME = -1
_NAMED_BY_ROLE = frozenset({"partner", "children", "family", "contacts", "pets"})
_NO_NAMES = frozenset({"I", "I'm", "I've", "I'll", "I'd"})
_SENTENCE = re.compile(r"[^.!?…\n。！？]+[.!?…\n。！？]*")
_SENTENCE_ENDS = frozenset(".!?。！？")
_EDGES = " \t\n,.;:!?\"'“”‘’()[]，。；：！？、「」…"


class Passage(NamedTuple):
    """A message to read: its id and text, and the text of the turn that it answers, empty where it answers none."""

    message_id: str
    text: str
    before: str


@dataclass(frozen=True, slots=True)
class DecodingSettings:
    """The thresholds, the calibration and the edges that belong to the weights.

    A token whose probability of being in a statement is `threshold` may be read either way; a sentence is worth keeping
    from `telling` on.
    """

    threshold: float
    telling: float
    calibration: Calibration
    edges: Edges


def decode(passage: Passage, offsets: Offsets, outputs: Outputs, settings: DecodingSettings) -> Iterator[Statement]:
    """The statements of a message, in order; `offsets` say where each token stands in the message.

    They are the runs of tokens in the likeliest reading, and whole sentences, of the kind `other`, that are worth
    keeping and contain no such run. Text that its form shows to be somebody else's is nobody's.
    """
    named = list(_named(passage, offsets, outputs, settings))
    whole = _telling(passage, offsets, outputs, settings.telling)
    alone = [span for span in whole if all(one.stop <= span.start or one.start >= span.stop for one in named)]
    for span in sorted([*named, *alone], key=lambda span: span.start):
        foreign = is_of_another(passage.text, span.start, span.stop)
        yield replace(span, whose=Whose.NOBODY, person="") if foreign else span


def _telling(passage: Passage, offsets: Offsets, outputs: Outputs, threshold: float) -> Iterator[Statement]:
    """The sentences that are worth keeping, by the mean of their tokens."""
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
    """The statements of the runs of tokens of one kind."""
    text, scores = passage.text, _Scores.of(passage, offsets, outputs, settings.threshold)
    for first, last, kind in _edged(_runs(scores), scores, text, offsets, settings.edges):
        whose, stances = outputs.whose[first:last].mean(axis=0), outputs.stance[first:last].mean(axis=0)
        stance = _likeliest(stances, STANCES, _UNMEANT_FROM)
        begin = _thing_ended(outputs, first, last, kind) if stance is Stance.ENDED else first
        start, end = whole_words(text, *_trimmed(text, offsets[begin][0], offsets[last - 1][1]))
        start, end = with_whole_brackets(text, start, _whole_name(text, start, end, KINDS[kind]))
        if start == end:
            continue
        likeliest = _likeliest(whose, WHOSE, _NOBODYS_FROM)
        yield Statement(
            message_id=passage.message_id,
            start=start,
            stop=end,
            kind=KINDS[kind],
            value=text[start:end],
            whose=likeliest,
            person=_person(text, offsets, outputs.person, first) if likeliest is Whose.OTHER else "",
            stance=stance,
            probability=settings.calibration.probability(signs(outputs, first, last, kind)),
        )


@dataclass(frozen=True, slots=True)
class _Scores:
    """Log probabilities for the n tokens of a message of being in a state: 0 outside of any statement, else of a kind.

    `begins` and `goes_on` have the shape (n, 1 + kinds): where the token is the first of a run, and where it is not.
    `is_within` says of each token whether it continues the word of the token before, `follows` whether it follows a
    word with no mark between.
    """

    begins: Floats
    goes_on: Floats
    is_within: list[bool]
    follows: list[bool]

    @classmethod
    def of(cls, passage: Passage, offsets: Offsets, outputs: Outputs, threshold: float) -> "_Scores":
        """The scores, shifted so that a token whose probability of being in a statement is `threshold` may be none as
        well.

        Annotators differ on whether the value is "my aunt" or "aunt": a first token often looks like a later one, and
        after a word a later one looks like a first. No value goes on in another line.
        """
        text = passage.text
        words = [text[start:end].isalnum() for start, end in offsets]
        follows = [False, *words[:-1]]
        outside = 1 - outputs.inside.sum(axis=1, keepdims=True)
        goes_on = outputs.inside - outputs.begins * ~np.array(follows, dtype=bool)[:, None]
        goes_on[_at_line_starts(text, offsets)] = 0
        begins = outputs.begins + (outputs.inside - outputs.begins) * _UNMARKED
        odds = (1 - threshold) / threshold
        return cls(
            begins=_log(np.hstack([outside, begins * odds])),
            goes_on=_log(np.hstack([outside, goes_on * odds])),
            is_within=[
                at > 0 and offsets[at - 1][1] == start and is_within_word(text, start)
                for at, (start, _) in enumerate(offsets)
            ],
            follows=follows,
        )


def _at_line_starts(text: str, offsets: Offsets) -> list[int]:
    """The tokens that are the first of a line."""
    return [at for at, ((_, stop), (start, _)) in enumerate(pairwise(offsets), 1) if "\n" in text[stop:start]]


def _runs(scores: _Scores) -> list[tuple[int, int, int]]:
    """The runs of the likeliest sequence of states (Viterbi 1967): first token, the one after the last, and kind.

    A word is in one state, and a run of a kind begins next to one of the same kind only after a mark, as in "two cats,
    a dog": no list has two things without one.
    """
    if _is_outside(scores.begins) and _is_outside(scores.goes_on):
        return []
    states = np.arange(scores.begins.shape[1])
    best, before = scores.begins[0], [states]
    for begins, goes_on, is_within, follows in list(
        zip(scores.begins, scores.goes_on, scores.is_within, scores.follows, strict=True)
    )[1:]:
        second, first = np.argsort(best)[-2:]
        source = np.where((states == first) & follows, second, first)
        entered, stayed = best[source] + begins, best + goes_on
        is_new = (entered > stayed) & (not is_within)
        best = np.where(is_new, entered, stayed)
        before.append(np.where(is_new, source, _SAME))
    runs: list[tuple[int, int, int]] = []
    state, end = int(best.argmax()), len(before)
    for at in range(len(before) - 1, -1, -1):
        if at and before[at][state] == _SAME:
            continue
        if state:
            runs.append((at, end, state - 1))
        state, end = int(before[at][state]), at
    return runs[::-1]


def _is_outside(scores: Floats) -> bool:
    """Whether each token is likelier outside of any statement than in one of any kind; then there are no runs."""
    return bool((scores[:, :1] > scores[:, 1:]).all())


def _edged(
    runs: Sequence[tuple[int, int, int]], scores: _Scores, text: str, offsets: Offsets, edges: Edges
) -> Iterator[tuple[int, int, int]]:
    """The runs with the likeliest edges by the tokens' scores and the words at the edges, within their sentences."""
    if not runs:
        return
    beginning, ending = edges.beginning(text, offsets), edges.ending(text, offsets)
    closed = [place for place, (start, end) in enumerate(offsets) if text[start:end] in _SENTENCE_ENDS]
    limits = [*(first for first, _, _ in runs[1:]), len(offsets)]
    free = 0
    for (first, last, kind), limit in zip(runs, limits, strict=True):
        least = max([free, *(place + 1 for place in closed if place < first)])
        most = min([limit, *(place for place in closed if place >= last)])
        outside = scores.goes_on[:, 0]
        going_on, beginning_there = scores.goes_on[:, kind + 1] - outside, scores.begins[:, kind + 1] - outside
        later = _after(going_on[least:last] + beginning[least:last, 0])
        first = least + int((beginning_there[least:last] + beginning[least:last, 1] + later).argmax())
        inner = going_on[first + 1 : most] + ending[first + 1 : most, 0]
        free = first + 1 + int((np.append(0, inner.cumsum()) + ending[first + 1 : most + 1, 1]).argmax())
        yield first, free, kind


def _after(numbers: Floats) -> Floats:
    """For each number the sum of those after it."""
    sums: Floats = numbers[::-1].cumsum()[::-1] - numbers
    return sums


def _thing_ended(outputs: Outputs, first: int, last: int, kind: int) -> int:
    """The token with which the name of what has ended begins: "Barclays" of "left Barclays".

    The run has the verb, too, since an end may have no other words ("gave notice"). The name begins with the likeliest
    token to begin the run, if each one before it is likelier outside of the run than in it.
    """
    likeliest = first + int(outputs.begins[first:last, kind].argmax())
    return likeliest if (outputs.inside[first:likeliest, kind] < _EVEN).all() else first


def _person(text: str, offsets: Offsets, person: Floats, at: int) -> str:
    """The words that name a person: the nearest before the statement, or else the first after it."""
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


def _likeliest(probabilities: Floats, labels: Sequence[_Label], least: Mapping[_Label, float]) -> _Label:
    """The likeliest label of those that assert something, unless one that asserts nothing has its `least` probability.

    Then that one, and of several the likeliest.
    """

    def share(label: _Label) -> float:
        return float(probabilities[labels.index(label)])

    unasserted = [label for label, bound in least.items() if share(label) >= bound]
    return max(unasserted or [label for label in labels if label not in least], key=share)


def _whole_name(text: str, start: int, end: int, kind: str) -> int:
    """The end of the span, extended over a name that goes on there or belongs to the role: "boyfriend" and "Callum"."""
    following = NAME.match(text, end + 1) if text[end : end + 1] == " " else None
    if following is None or following[0].split()[0] in _NO_NAMES:
        return end
    last = text[start:end].rpartition(" ")[2]
    return following.end() if kind in _NAMED_BY_ROLE or last[:1].isupper() else end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without spaces and punctuation at its edges."""
    while start < end and text[start] in _EDGES:
        start += 1
    while end > start and text[end - 1] in _EDGES:
        end -= 1
    return start, end


def _log(probabilities: Floats) -> Floats:
    logarithms: Floats = np.log(np.maximum(probabilities, np.finfo(np.float32).tiny))
    return logarithms
