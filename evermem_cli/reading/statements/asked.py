"""What a question asks for, and of which time: "which firm does my sister work for these days?"."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from evermem_cli.languages.language import language
from evermem_cli.languages.words import STOP_WORDS, words_of
from evermem_cli.reading.statements.edges import is_within_word
from evermem_cli.reading.statements.labels import (
    ASKED_KINDS,
    ASKS,
    ERAS,
    KINDS,
    NOTHING,
    OWNERS,
    SOUGHT,
    Asks,
    Era,
    Owner,
    Sought,
)
from evermem_cli.reading.statements.outputs import Floats, QuestionOutputs

_LIKELY_FROM = 0.1
_CHOSEN_FROM = 0.35  # a question for a wrong kind finds no value most often
_SHORTEST_QUESTION = 3  # characters, where words are not parted by spaces
# What is sought only where it is this likely: "When is the picnic?" may ask for a clock time or a day, and a day
# answers it more often; a whole story is a poor answer to "What were the dates of the trip?".
_SOUGHT_FROM = {Sought.CLOCK: 0.8, Sought.STORY: 0.6}
_EDGES = " \t\n,.;:!?\"'“”‘’()[]，。；：！？、「」…"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedFor:
    """What a question asks for: what a right answer would be (`sought`), and of which time (`era`).

    A question about something lasting of a person also asks for a kind of thing, something of it, and somebody's.
    `kind` is one of `labels.ASKED_KINDS`; `likely` are those of `labels.KINDS` that it may be, likeliest first. `named`
    are the words that name the owner, `value` those of the value that the question supposes ("Leeds" in "Do I live in
    Leeds?"), `narrow` those that narrow what is asked ("dog" in "What is my dog called?"); each is empty where there
    are none. `probability` is that it asks so about something lasting of that owner, whatever kind of thing that is; 0
    where no kind is likely enough.

    `advice`: it asks what to do, and not what was said or done: "Is a bus tour a good idea for me?".

    Keywords, as people type them into a search box, seek nothing of a time: English ones have no word of grammar, and a
    Chinese question has more than two characters.
    """

    kind: str
    likely: tuple[str, ...]
    asks: Asks
    owner: Owner
    named: str
    value: str
    narrow: str
    probability: float
    sought: Sought
    era: Era
    advice: bool


class MarkedFrom(NamedTuple):
    """The probabilities from which on a token belongs to the supposed value, narrows, and names the owner."""

    value: float
    narrow: float
    names: float


def decode_question(
    text: str, offsets: Sequence[tuple[int, int]], outputs: QuestionOutputs, least: MarkedFrom
) -> AskedFor:
    """Reads the outputs for a question; `offsets` say where each token stands in it."""
    kind, asks, owner = (int(output.argmax()) for output in (outputs.kind, outputs.asks, outputs.owner))
    is_chosen = outputs.kind[kind] >= _CHOSEN_FROM
    personal = 1 - outputs.kind[ASKED_KINDS.index(NOTHING)] if is_chosen else 0.0
    if language(text) == "en":
        is_keywords = STOP_WORDS.isdisjoint(words_of(text))
    else:
        is_keywords = len(text.strip()) < _SHORTEST_QUESTION
    return AskedFor(
        kind=ASKED_KINDS[kind],
        likely=tuple(
            ASKED_KINDS[number]
            for number in map(int, (-outputs.kind).argsort())
            if outputs.kind[number] >= _LIKELY_FROM and ASKED_KINDS[number] in KINDS
        ),
        asks=ASKS[asks],
        owner=OWNERS[owner],
        named=_marked(text, offsets, outputs.names, least.names) if OWNERS[owner] is Owner.NAMED else "",
        value=_marked(text, offsets, outputs.value, least.value),
        narrow=_marked(text, offsets, outputs.narrow, least.narrow),
        probability=float(personal * outputs.asks[asks] * outputs.owner[owner]),
        sought=Sought.OTHER if is_keywords else _sought(outputs.sought, language(text)),
        era=Era.NONE if is_keywords else ERAS[int(outputs.era.argmax())],
        advice=bool(outputs.advice.argmax()),
    )


def _sought(shares: Floats, tongue: str) -> Sought:
    """The likeliest; a clock time, and in English a story, only from its own share on."""
    likeliest = [SOUGHT[number] for number in map(int, (-shares).argsort())]
    least = {one: share for one, share in _SOUGHT_FROM.items() if tongue == "en" or one is not Sought.STORY}
    return next(one for one in likeliest if shares[SOUGHT.index(one)] >= least.get(one, 0.0))


def _marked(text: str, offsets: Sequence[tuple[int, int]], probabilities: Floats, least: float) -> str:
    """The likeliest run of marked words; "" where no word is marked. A word is marked if any of its tokens is."""
    words = _words(text, offsets)
    marked = [max(probabilities[first:last], default=0.0) >= least for first, last in words]
    runs = [0, *(at for at, (one, other) in enumerate(pairwise(marked), 1) if one != other), len(words)]
    spans = [(first, last) for first, last in pairwise(runs) if first < last and marked[first]]
    if not spans:
        return ""
    first, last = max(spans, key=lambda span: sum(probabilities[words[span[0]][0] : words[span[1] - 1][1]]))
    return text[offsets[words[first][0]][0] : offsets[words[last - 1][1] - 1][1]].strip(_EDGES)


def _words(text: str, offsets: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The tokens of each word: the first one, and the one after the last."""
    begins = [
        at
        for at, (start, _) in enumerate(offsets)
        if not (at and offsets[at - 1][1] == start and is_within_word(text, start))
    ]
    return list(pairwise([*begins, len(offsets)]))
