"""Foresights of a MemCell that were stated: facts about the future, with their times.

`outlook` has learned which sentences tell of it. A small language model turned "So I decided to be pescatarian" into
"Maya will decide to be pescatarian". What a model predicts is in `predictions.py`.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from evermem_cli import timespan
from evermem_cli.formation.facts import Claim
from evermem_cli.formation.grounding import content_words
from evermem_cli.formation.outlook import Outlook, read_outlook, signs_of
from evermem_cli.formation.sentences.statements import (
    Remark,
    TaggedStatements,
    is_question,
    split_sentences,
    strip_lead,
)
from evermem_cli.languages.english import is_adverb, is_clause
from evermem_cli.languages.language import HAN, language
from evermem_cli.memory import CalendarTime, Statement, Time, wall
from evermem_cli.timespan import Interval

MOST_KEPT = 10  # foresights of one MemCell and owner
_TOLD_BY_DAYS = ("week", "weekend", "season", "quarter", "half")
_ONE_DAY = timedelta(days=1)
_TICK = timedelta(milliseconds=1)  # the last moment of a day represents the whole day

# "I have a bad cold", "my flu is back"; not "I had a cold", "a cold drink", "I have cold feet".
_HAS = r"\b(?:(?:have|has|having|got|caught|catching|down with|bed with) (?:\w+ ){0,2}|(?:my|this) (?:\w+ )?)"
_NO_NOUN = r"(?=\W*$|[^\w\s]| (?:and|but|so|or|again|right|now|today|since|because|for|from|which|until|is|has)\b)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """When something is expected, both ends inclusive. `duration_days` and `duration_type` follow from them."""

    start: Time
    end: Time | None
    duration_type: str

    @property
    def duration_days(self) -> int | None:
        """Days begun: ten days from nine to nine are 10, a calendar week is 7. None without an end."""
        if self.end is None:
            return None
        return math.ceil((wall(self.end) - wall(self.start) - timedelta(seconds=1)) / _ONE_DAY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """A foresight before it has ids: `evidence` are words of `statement`, on which it rests.

    `predicted`: nobody said it, the model expects it.
    """

    text: str
    evidence: str
    statement: Remark
    window: Window
    confidence: float
    predicted: bool = False


def condition_end(sentence: str, said_at: datetime, condition_days: Mapping[str, float]) -> Time | None:
    """When an illness that the sentence mentions will be over, by `condition_days` (name: days)."""
    for condition, days in condition_days.items():
        if names_condition(sentence, [condition]):
            return timespan.stated_time(said_at + timedelta(days=days), "day")
    return None


def names_condition(sentence: str, conditions: Iterable[str]) -> bool:
    """Whether the sentence says that somebody has one of these illnesses."""
    for condition in conditions:
        name = re.escape(condition)
        pattern = name if language(condition) == "zh" else rf"{_HAS}{name}{_NO_NOUN}"
        if re.search(pattern, sentence, re.I):
            return True
    return False


def expected_period(sentence: str, at: datetime) -> Interval | None:
    """The period of a sentence that tells of what is to come or goes on; None if it tells none, or one over at `at`.

    Where its tense is not clear enough ("first chemo on Wednesday"), a day is the one to come.
    """
    for ahead in (False, True):
        period = timespan.validity(sentence, at, ahead=ahead)
        if period and not is_over(period, at):
            return period
    return None


def is_over(period: Interval, at: datetime) -> bool:
    """Whether the period was over at `at`, when it was told of."""
    start, end = edges(period, at)
    return end is not None and end < max(start, at)


def edges(interval: Interval, at: datetime) -> tuple[Time, Time | None]:
    """The beginning and last moment. A duration counted from `at` ends at its exact end.

    A week is described by its first and last day, which have the grain of a day.
    """
    days = replace(interval, grain="day") if interval.grain in _TOLD_BY_DAYS else interval
    start, end = days.stated_start or at, days.stated_end
    if end is None or (interval.start in (None, at) and wall(end).time() == at.time()):
        return start, end
    return start, replace(end, wall=end.wall - _TICK) if isinstance(end, CalendarTime) else end - _TICK


def expectations(
    claims: Iterable[Claim], read: TaggedStatements, condition_days: Mapping[str, float]
) -> list[Expectation]:
    """The facts about the future, in order; `read` has the statements of the messages. Raises ModelError."""
    return [
        Expectation(
            text=claim.text,
            evidence=claim.sentence,
            statement=claim.statement,
            window=window,
            confidence=claim.confidence,
        )
        for claim in claims
        if _tells_what(claim) and (window := _expected_window(claim, read, condition_days))
    ]


def _tells_what(claim: Claim) -> bool:
    """Whether the claim, or the question that it answers, has words besides a time, unlike "Next year."."""
    at, asked = claim.statement.message.local_time, claim.statement.question if 0 in claim.places else None
    questions = filter(is_question, split_sentences(asked.text)) if asked else ()
    return any(names_more_than_a_time(sentence, at) for sentence in (claim.sentence, *questions))


def names_more_than_a_time(sentence: str, at: datetime) -> bool:
    """Whether a sentence is a clause, or has content besides times, numbers and leading exclamations."""
    rest = strip_lead(sentence)
    for span in reversed(timespan.find(rest, at)):
        rest = f"{rest[: span.start_offset]} {rest[span.end_offset :]}"
    if language(sentence) == "zh":
        return bool(HAN.search(rest))
    return is_clause(sentence) or any(not (word.isdecimal() or is_adverb(word)) for word in content_words(rest))


def _expected_window(claim: Claim, read: TaggedStatements, condition_days: Mapping[str, float]) -> Window | None:
    """When the claim expects something; None if it expects nothing, or if that was over when it was said.

    Times come from its words. A duration or an illness counts from the moment it was said. Without an end, what is
    ahead is "ongoing" and a state is "indefinite".
    """
    at, sentence = claim.statement.message.local_time, claim.sentence
    stated, expected = timespan.validity(sentence, at), expected_period(sentence, at)
    outlook = read_outlook(sentence, language(sentence), signs_of(_statements_in(claim, read), stated, at))
    recovered = None if stated else condition_end(sentence, at, condition_days)
    if (outlook is Outlook.NOTHING and recovered is None) or (stated and not expected):
        return None
    start, end = edges(expected, at) if expected else (at, recovered)
    duration_type = "fixed" if end else "ongoing" if outlook is Outlook.AHEAD else "indefinite"
    return Window(start=start, end=end, duration_type=duration_type)


def _statements_in(claim: Claim, read: TaggedStatements) -> Iterator[Statement]:
    """The statements that have words of the claim's sentences."""
    message = claim.statement.message
    for statement in read.get(message.id, ()):
        if any(statement.value in claim.statement.stated[place] for place in claim.places):
            yield statement


def most_definite(expected: Sequence[Expectation]) -> list[Expectation]:
    """The `MOST_KEPT` most definite ones, in order; what was stated is preferred, then what has an end."""
    kept = sorted(range(len(expected)), key=lambda place: _doubt(expected[place]))[:MOST_KEPT]
    return [expected[place] for place in sorted(kept)]


def _doubt(expectation: Expectation) -> tuple[bool, bool]:
    return expectation.predicted, expectation.window.end is None
