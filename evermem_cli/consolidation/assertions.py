"""What people say about themselves, read from their own words by code. No model is involved."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache

from dateutil.relativedelta import relativedelta

from evermem_cli import timespan
from evermem_cli.consolidation.attributes import LASTING, NEVER_PLANNED, OFFERED, amount
from evermem_cli.consolidation.statements import (
    assert_statements,
    is_only_a_time,
    lists_vote,
    lived_to_see,
    united,
    unrefuted,
)
from evermem_cli.consolidation.wordings.matching import WordingMatch, find
from evermem_cli.consolidation.wordings.stated import stated
from evermem_cli.consolidation.wordings.wording import wordings_of
from evermem_cli.formation.foresights import condition_end
from evermem_cli.languages.english import FUNCTION_WORDS
from evermem_cli.languages.words import words_of
from evermem_cli.memory import Assertion, Fact, MemCell, Message, Role, Stance, Statement, Time, content_id
from evermem_cli.reading.voices import own_words

_CONFIDENCE = 0.9
_UNSURE = 0.5
_LEAST_PAY = 10_000  # the least yearly salary; smaller amounts beside an offer mean something else
_WEEK, _YEAR = timedelta(days=7), relativedelta(years=1)
_Window = tuple[Time | None, Time | None]
_Later = Callable[[Message], Time | None]  # the next future day that the speaker of a message names nearby
_ACCEPTED = re.compile(r"\b(?:accept\w*|signed|took|said yes)\b|接受|签", re.IGNORECASE)
_STARTING = re.compile(r"\b(?:from|as of|starting|starts|effective|beginning)\b", re.IGNORECASE)
_STEM = 4  # letters that two words must share to count as one: "eats" and "eat"
_SHARED = 0.5  # share of an assertion's words that a fact must contain to state it


def read_assertions(
    cell: MemCell,
    statements: Mapping[str, Sequence[Statement]],
    facts: Sequence[Fact],
    condition_days: Mapping[str, float],
) -> list[Assertion]:
    """Everything that the people in a MemCell say about themselves, in order; `facts` are those formed from it.

    `statements` are those read from each message, by its id; a message that was not read is missing there.
    `condition_days` is how long an illness lasts if its end is not stated.
    """
    later = _later_days(cell)
    assertions: dict[str, Assertion] = {}
    for message in cell.messages:
        if message.role is Role.ASSISTANT:
            continue
        read = statements.get(message.id)
        own = [fact for fact in facts if message.id in fact.message_ids]
        listed = _listed(message, later, own, condition_days) if lists_vote(message, read) else []
        tagged = [
            replace(assertion, fact_ids=tuple(fact.id for fact in own if _has_words(fact, assertion.value)))
            for assertion in assert_statements(message, read or (), condition_days)
        ]
        for assertion in _until_well(united(unrefuted(listed, read or ()), tagged)):
            assertions.setdefault(assertion.id, assertion)
    return list(assertions.values())


def _later_days(cell: MemCell) -> _Later:
    """Looks for future days only in messages of the MemCell that are asked about, since few assertions need one."""
    dates = cache(lambda message: list(_future_dates(message)))

    def later(message: Message) -> Time | None:
        others = (date for other in cell.messages if other.speaker == message.speaker for date in dates(other))
        return min(dates(message) or others, default=None)

    return later


def _listed(
    message: Message, later: _Later, facts: Sequence[Fact], condition_days: Mapping[str, float]
) -> list[Assertion]:
    """The matches of the word lists in a message."""
    text = own_words(message.text)
    said: list[Assertion] = []
    for match in _with_offers(text, list(find(stated(text)))):
        window = _begun(match, message, _times(match, message, condition_days), later)
        assertion = _assertion(match, message, window, facts)
        if assertion:
            said.append(assertion)
    return said


def _until_well(said: Sequence[Assertion]) -> list[Assertion]:
    """The assertions of one message. Restrictions without an end of their own end with the illness."""
    ends = [assertion.invalid_at for assertion in said if assertion.attribute == "health" and assertion.invalid_at]
    well = max(ends, default=None)
    return [
        replace(assertion, invalid_at=well)
        if assertion.attribute == "restrictions" and not assertion.invalid_at
        else assertion
        for assertion in said
    ]


def asserted(sentence: str) -> list[tuple[str, str]]:
    """The attributes and values that a sentence would assert of its speaker."""
    return [
        (match.wording.attribute, match.value)
        for match in find(stated(sentence))
        if match.wording.stance is Stance.HOLDS
    ]


def _with_offers(text: str, matches: Sequence[WordingMatch]) -> Iterator[WordingMatch]:
    """Adds the words of the offer to an accepted offer, and attributes a salary beside an offer to it."""
    for wording_match in matches:
        yield wording_match
        if wording_match.wording.attribute == "employer" and wording_match.wording.stance in (
            Stance.OFFERED,
            Stance.TAKEN,
        ):
            sums = [match[0].strip() for match in wordings_of().money.finditer(text)]
            for pay in [value for value in sums if amount(value) >= _LEAST_PAY][:1]:
                yield replace(
                    wording_match,
                    wording=replace(wording_match.wording, attribute="salary", stance=Stance.OFFERED),
                    value=pay,
                )
        if wording_match.wording.stance is Stance.TAKEN:
            for attribute in OFFERED[1:]:
                yield replace(wording_match, wording=replace(wording_match.wording, attribute=attribute))


def _begun(match: WordingMatch, message: Message, window: _Window, later: _Later) -> _Window | None:
    """The period in which a match holds; None for a plan without a day.

    Something settled that has not begun yet starts on the day stated, else on the first future day that the speaker
    names nearby (`later`), else at once if it was accepted.
    """
    (start, end), at = window, message.local_time
    settled = match.wording.planned or match.wording.stance is Stance.TAKEN
    if settled and (start is None or start <= at):
        accepted = match.wording.stance is Stance.TAKEN or _ACCEPTED.search(match.sentence)
        start = later(message) or (at if accepted else None)
        return (start, end) if start else None
    return start or at, end


def _assertion(
    match: WordingMatch, message: Message, window: _Window | None, facts: Sequence[Fact]
) -> Assertion | None:
    """The assertion for a match, made by the writer of the message; None where it has no time, or is only one."""
    attribute, at = match.wording.attribute, message.local_time
    if window is None or is_only_a_time(attribute, match.value, match.sentence, at):
        return None
    start, end = window
    return Assertion(
        id=content_id("assertion", message.id, attribute, match.value, match.wording.stance),
        user_id=message.user_id,
        attribute=attribute,
        value=match.value,
        stance=match.wording.stance,
        valid_at=start,
        invalid_at=end if start and end and end > start else None,
        said_at=at,
        confidence=_UNSURE if match.wording.unsure else _CONFIDENCE,
        message_ids=(message.id,),
        fact_ids=tuple(fact.id for fact in facts if _has_words(fact, match.words)),
    )


def _times(match: WordingMatch, message: Message, condition_days: Mapping[str, float]) -> _Window:
    """The period stated in the clause, else in the sentence."""
    at = message.local_time
    start, end = _told_times(match, at, condition_days)
    if match.wording.attribute in LASTING:
        end = None
    if match.wording.attribute in NEVER_PLANNED and start and start > at:
        start = None
    return lived_to_see(start, at), end


def _told_times(match: WordingMatch, at: datetime, condition_days: Mapping[str, float]) -> _Window:
    """The same for any attribute.

    A date alone is the beginning, not the duration. A weekday or holiday in a past clause is the most recent one.
    """
    if length := timespan.lasted(match.length, at):
        return length.stated_start, None
    clause = _with_whole_date(match, at)
    own = timespan.validity(clause, at)
    if own is None and match.wording.attribute == "health":
        end = condition_end(clause, at, condition_days)
        if end:
            return None, end
    text = clause if own else match.sentence
    interval = own or timespan.validity(text, at)
    if interval is None:
        return None, None
    if interval.start is None or all(span.interval != interval for span in timespan.find(text, at)):
        return interval.stated_start, interval.stated_end
    if own is None and interval.start > at and _has_happened(match):
        return None, None  # the time of something else that is to come: "I quit, and I'm starting there in June"
    return timespan.stated_time(_dated(match, text, interval.start, at), interval.grain), None


def _with_whole_date(match: WordingMatch, at: datetime) -> str:
    """The clause, with the rest of a date that its end would cut in two: "on Tuesday, 3 November"."""
    end = match.sentence.find(match.clause) + len(match.clause)
    spans = timespan.find(match.sentence, at)
    rest = next((match.sentence[end : span.end_offset] for span in spans if _cuts(end, span)), "")
    return match.clause + rest


def _cuts(place: int, span: timespan.Span) -> bool:
    return span.start_offset < place < span.end_offset


def _dated(match: WordingMatch, text: str, start: datetime, at: datetime) -> datetime:
    """The period that begins on the date in a text."""
    if start > at and not any(sign.isdigit() for sign in text) and _has_happened(match):
        return start - (_WEEK if start - at <= _WEEK else _YEAR)
    return _to_come(text, start, at) if match.wording.attribute in OFFERED else start


def _to_come(text: str, start: datetime, at: datetime) -> datetime:
    """The next day of the year on which something begins, as in "from 1 March"; other days as they are.

    Such a day is the same a week later and another one a year later, unlike "today" and "1 March 2019".
    """
    if start >= at or not _STARTING.search(text):
        return start
    week, year = (timespan.validity(text, at + step) for step in (_WEEK, _YEAR))
    recurs = week and year and week.start == start and year.start == start + _YEAR
    return start + _YEAR if recurs else start


def _has_happened(match: WordingMatch) -> bool:
    return not match.wording.planned and bool(wordings_of().past.search(match.words))


def _future_dates(message: Message) -> Iterator[Time]:
    """The future days that a text names, clause by clause, since clauses may differ in tense."""
    for clause in _clauses(message.text, message.local_time):
        for span in timespan.find(clause, message.local_time):
            if span.interval.start:
                start = _to_come(clause, span.interval.start, message.local_time)
                if start.date() > message.local_time.date():
                    yield timespan.stated_time(start, span.interval.grain)


def _clauses(text: str, at: datetime) -> Iterator[str]:
    """The clauses of a text; a comma within a date ends none."""
    spans, begin = timespan.find(text, at), 0
    for boundary in wordings_of().clause.finditer(text):
        if not any(_cuts(boundary.start(), span) for span in spans):
            yield text[begin : boundary.start()]
            begin = boundary.end()
    yield text[begin:]


def _has_words(fact: Fact, words: str) -> bool:
    """Whether a fact contains enough of the words to state the same."""
    said, in_fact = _stems(words), _stems(fact.atomic_fact)
    return bool(said) and len(said & in_fact) >= _SHARED * len(said)


def content_prefixes(text: str) -> frozenset[str]:
    """The content words of a text, cut to the letters that identify them."""
    return frozenset(_stems(text))


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in words_of(text) if word not in FUNCTION_WORDS}
