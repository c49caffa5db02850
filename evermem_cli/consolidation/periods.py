"""From when until when a statement holds: which of the times in its message are its own.

Of "Got the job at Tidewater! I start on Monday 7 April. Dinner on Friday?" it is Monday, and of "I've given up fish,
like you in February" none. Two linear models for each language, of the words between a statement and a time and of
signs of both, tell whether the one begins or ends with the other. `python -m tests.training.periods` makes the weights.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from evermem_cli import timespan
from evermem_cli.formation.sentences.statements import split_sentences
from evermem_cli.languages.english import FUNCTION_WORDS
from evermem_cli.languages.language import HAN, language
from evermem_cli.memory import Message, Stance, Statement
from evermem_cli.reading.word_runs import RunModel, RunModels, softmax
from evermem_cli.timespan import Interval

FILE = Path(__file__).with_name("periods.npz")
SINCE, UNTIL = "since", "until"  # the models of a language
# The probabilities from which on a statement begins and ends with a time. They were chosen by the figures of all hands,
# each left out in turn.
LEAST_SINCE, LEAST_UNTIL = 0.2, 0.1
_MODELS = RunModels(FILE)
_PAID = frozenset({"salary", "money"})  # kinds whose values are amounts
_MOST = 6  # words at either end of what is between, if that is longer
_WORD = re.compile(rf"{HAN.pattern}|(?:(?!{HAN.pattern})[\w'’])+|[.,!?;:()–，。！？；：（）-]")
_ENDS = ".!?\n。！？"
_MARKS = frozenset(".,!?;:()–-")  # around a clause; in Chinese most clauses go on behind one


class Period(NamedTuple):
    """When a statement begins and ends, each as the time that tells it; None where the message does not say."""

    since: Interval | None
    until: Interval | None


class Phrase(NamedTuple):
    """A time in a message: with what it would mean for what begins with it, and for what ends with it."""

    start: int
    stop: int
    is_length: bool
    since: Interval | None
    until: Interval | None

    @property
    def begins(self) -> datetime | None:
        """When something begins that begins with it."""
        return self.since.start if self.since else None

    @property
    def ends(self) -> datetime | None:
        """Until when something lasts that ends with it, exclusive."""
        return self.until.end if self.until else None

    @property
    def grain(self) -> str:
        """The unit that it names."""
        meant = self.since or self.until
        return meant.grain if meant else ""


class Place(NamedTuple):
    """A value in a message, `text[start:stop]`, with the kind and the stance of its statement."""

    start: int
    stop: int
    kind: str
    stance: str

    @staticmethod
    def of(statement: Statement) -> "Place":
        """Where a statement is."""
        return Place(statement.start, statement.stop, statement.kind, statement.stance)


def period_of(
    statement: Statement,
    statements: Sequence[Statement],
    message: Message,
    model: Callable[[str], RunModel] = _MODELS.model,
) -> Period:
    """The period of one of the statements of a message; `model` gives models by `model_name`. Raises ModelError."""
    at, own, tongue = message.local_time, Place.of(statement), language(message.text)
    phrases = [phrase for phrase in phrases_in(message.text, at) if not _is_of_price(phrase, statements)]
    if not phrases:
        return Period(None, None)
    meanings = _with_anniversaries(phrases, message.text) if statement.stance is Stance.HOLDS else phrases
    places, stated = [*map(Place.of, statements)], stated_in(message.text, own, at)
    pairs = [
        (meant, *pair(message.text, own, places, phrase, phrases, stated, at))
        for meant, phrase in zip(meanings, phrases, strict=True)
    ]

    def shares(name: str, tells: Callable[[Phrase], object]) -> dict[Phrase, float]:
        learned = model(model_name(name, tongue))
        return {
            phrase: float(softmax(learned.odds(between, signs=signs))[1]) if tells(phrase) else 0.0
            for phrase, between, signs in pairs
        }

    begins, ends = shares(SINCE, lambda phrase: phrase.begins), shares(UNTIL, lambda phrase: phrase.ends)
    first = _likeliest({phrase: share for phrase, share in begins.items() if share >= ends[phrase]}, LEAST_SINCE)
    last = _likeliest({phrase: share for phrase, share in ends.items() if share > begins[phrase]}, LEAST_UNTIL)
    return Period(first and first.since, last and last.until)


def model_name(edge: str, tongue: str) -> str:
    """The name of the model for `SINCE` or `UNTIL` in a language."""
    return f"{edge}_{tongue}"


def _likeliest(shares: Mapping[Phrase, float], least: float) -> Phrase | None:
    phrase = max(shares, key=lambda phrase: shares[phrase], default=None)
    return phrase if phrase and shares[phrase] > least else None


def phrases_in(text: str, at: datetime) -> list[Phrase]:
    """The times in a text said at `at`, from left to right. A length within a date is part of the date."""
    spans = timespan.find(text, at)
    dates = [Phrase(span.start_offset, span.end_offset, False, span.interval, span.interval) for span in spans]
    alone = [
        Phrase(length.start_offset, length.end_offset, True, length.gone_on, length.to_come)
        for length in timespan.lengths(text, at)
        if not any(length.start_offset < date.stop and date.start < length.end_offset for date in dates)
    ]
    return sorted([*dates, *alone], key=lambda phrase: phrase.start)


def _with_anniversaries(phrases: Sequence[Phrase], text: str) -> list[Phrase]:
    """The times, where a length and a day to which it is counted both tell a beginning: "six years in May"."""
    counted = [*phrases]
    for place, (length, date) in enumerate(pairwise(phrases)):
        if begun := _counted_to(length, date, text):
            counted[place : place + 2] = [time._replace(since=begun, until=None) for time in (length, date)]
    return counted


def _counted_to(length: Phrase, date: Phrase, text: str) -> Interval | None:
    """The time since what will have lasted so long on a day behind the length; "two weeks in May" are within May."""
    if not length.is_length or date.begins is None or date.ends is None:
        return None
    gone_on = timespan.lasted(text[length.start : length.stop], date.begins)
    if not (gone_on and gone_on.start and _is_behind(text[length.stop : date.start])):
        return None
    is_within = date.begins - gone_on.start <= date.ends - date.begins
    return None if is_within else replace(gone_on, grain=date.grain)


def _is_behind(between: str) -> bool:
    """Whether nothing but a preposition stands between a time and what it stands behind."""
    return not between.strip() or between.strip().casefold() in FUNCTION_WORDS


def _is_of_price(phrase: Phrase, statements: Sequence[Statement]) -> bool:
    """Whether a length of time belongs to what is paid, as in "450 a year", and tells no time."""
    priced = (statement for statement in statements if statement.kind in _PAID)
    return phrase.is_length and any(paid.start < phrase.start and phrase.stop <= paid.stop for paid in priced)


def stated_in(text: str, own: Place, at: datetime) -> list[Interval | None]:
    """The period of a statement's sentence by its tense, and as if it told of what is to come."""
    sentence = sentence_at(text, own.start)
    return [timespan.validity(sentence, at, ahead=ahead) for ahead in (False, True)]


def pair(
    text: str,
    own: Place,
    places: Sequence[Place],
    phrase: Phrase,
    phrases: Sequence[Phrase],
    stated: Sequence[Interval | None],
    at: datetime,
) -> tuple[str, list[str]]:
    """The words between a statement and a time in a message said at `at`, and the signs of both; see `stated_in`."""
    order, start, stop = _between(own, phrase)
    words = _words(text[start:stop])
    if len(words) > 2 * _MOST:
        words = [*words[:_MOST], "...", *words[-_MOST:]]
    signs = [*_signs_of_place(text, own, places, phrase, phrases), *_signs_of_time(text, own, phrase, stated, at)]
    signs += [f"{order} {word}" for word in words]
    return " ".join((order, *words)), signs


def _between(own: Place, phrase: Phrase) -> tuple[str, int, int]:
    if phrase.start >= own.stop:
        return "after", own.stop, phrase.start
    if phrase.stop <= own.start:
        return "before", phrase.stop, own.start
    return "within", own.start, own.start


def _signs_of_place(
    text: str, own: Place, places: Sequence[Place], phrase: Phrase, phrases: Sequence[Phrase]
) -> Iterator[str]:
    """Where the time is, seen from the statement, and what else is between them."""
    order, start, stop = _between(own, phrase)
    parted = sum(text.count(sign, start, stop) for sign in _ENDS)
    others = sum(place.start >= start and place.stop <= stop for place in places)
    times = sum(other.start >= start and other.stop <= stop for other in phrases)
    there = f"{order}, {min(parted, 2)} ends, {min(others, 2)} statements, {min(times, 2)} times"
    nearest = min(phrases, key=lambda other: min(abs(other.start - own.stop), abs(own.start - other.stop)))
    closest = min(places, key=lambda place: min(abs(phrase.start - place.stop), abs(place.start - phrase.stop)))
    is_near = f"{nearest == phrase} {closest == own}"
    yield from (there, order, f"{order} {parted}", f"others {others}", f"times {times}")
    yield from (f"{there} {own.stance}", f"{there} {own.kind}", f"near {is_near} {order}", f"near {is_near} {there}")
    yield f"of {min(len(places), 3)} {min(len(phrases), 3)}"
    clause = _clause_at(text, phrase)
    is_within = [clause.start <= place.start < clause.stop for place in (own, *places)]
    yield from (f"clause {is_within[0]} {sum(is_within[1:]) > is_within[0]}", f"clause {is_within[0]} {own.stance}")
    before = _words(text[: phrase.start])[-1:]
    yield f"behind {before} {there}"


def sentence_at(text: str, offset: int) -> str:
    """The sentence of a text that has the character at `offset`."""
    return next((sentence for start, sentence in reversed(_sentences(text)) if start <= offset), "")


def is_time_at(text: str, offset: int, at: datetime) -> bool:
    """Whether a time stands at `offset` of a text said at `at`, behind a preposition at most."""
    return any(_is_behind(text[offset : phrase.start]) for phrase in phrases_in(text, at) if phrase.start >= offset)


def _clause_at(text: str, phrase: Phrase) -> range:
    """The characters around a time up to the next marks; those within a number are none."""
    marks = [match.span() for match in _WORD.finditer(text) if match[0] in _MARKS]
    start = max((stop for _, stop in marks if stop <= phrase.start), default=0)
    return range(start, min((begin for begin, _ in marks if begin >= phrase.stop), default=len(text)))


def _signs_of_time(
    text: str, own: Place, phrase: Phrase, stated: Sequence[Interval | None], at: datetime
) -> Iterator[str]:
    """What the time is, seen from when it was said, the words beside it, and what its sentence tells by its form."""
    form = "length" if phrase.is_length else "date"
    sides = f"{form} {_side(phrase.begins, at)} {_side(phrase.ends, at)}"
    yield from (own.kind, own.stance, f"{own.kind} {own.stance}", f"{form} {phrase.grain}", sides)
    yield f"{sides} {own.stance}"
    before, after = _words(text[: phrase.start])[-2:], _words(text[phrase.stop :])[:1]
    yield from (f"behind {before}", f"behind {before[-1:]}", f"behind {before[-1:]} {form}", f"ahead of {after}")
    yield from (f"behind {before[-1:]} {own.stance}", f"behind {before[-1:]} {_side(phrase.begins, at)}")
    yield from (f"beside {word}" for word in _words(sentence_at(text, phrase.start)))
    for ahead, period in zip((False, True), stated, strict=True):
        if period:
            fits = f"{ahead} {period.start == phrase.begins} {period.end == phrase.ends}"
            yield from (f"told {fits}", f"told {fits} {own.stance}")


def _side(edge: datetime | None, at: datetime) -> str:
    if edge is None:
        return "open"
    day, said = edge.date(), at.date()
    return "before" if day < said else "after" if day > said else "now"


def _words(text: str) -> list[str]:
    """The words and marks of a text, where each number is "0": "450 a year" is a price whatever it is."""
    words = _WORD.findall(text.casefold().replace("’", "'"))
    return ["0" if word.isdecimal() else word for word in words]


def _sentences(text: str) -> list[tuple[int, str]]:
    place, parts = 0, []
    for sentence in split_sentences(text):
        place = text.index(sentence, place)
        parts.append((place, sentence))
        place += len(sentence)
    return parts
