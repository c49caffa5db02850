"""Reckons an age for the day asked about, from the year of birth or from the ages told before: "How old am I?"."""

import re
from collections.abc import Iterable
from datetime import date, datetime

from dateutil.relativedelta import relativedelta

from evermem_cli.consolidation.attributes import date_named
from evermem_cli.memory import ProfileFact, wall
from evermem_cli.reading.statements.labels import Asks
from evermem_cli.recollection.dates import day
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.notes import Note, looked_up
from evermem_cli.recollection.people.histories import Histories
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

_YEARS = re.compile(r"(\d{1,3})(?:\D*\byears?\b.*|\s*岁)?", re.IGNORECASE | re.DOTALL)  # not "8 months"
_OR = {"en": " or ", "zh": "或"}
_TOLD = {"en": "{} ({} on {})", "zh": "{}（{}时{}）"}
_BORN = {"en": "{} (born {})", "zh": "{}（{}出生）"}

Span = tuple[date, date]  # days between which somebody was born, both included


def tell_age(question: Question, recollection: Recollection) -> Answer | None:
    """The age now, exact or of two years; None where that is the one told, or the question is about another time."""
    now = recollection.memory.now
    asked = question.profile
    if asked.attribute != "age" or not asked.asks_for(Asks.VALUE) or not asked.is_of_now(now) or question.wants.story:
        return None
    people = recollection.known_of(question)
    notes = [note for known in people if (note := _reckoned(known, now, question.language))]
    return answer_from(notes[:1], question, recollection)


def _reckoned(known: Histories, now: datetime, tongue: str) -> Note | None:
    born = [(fact, span) for fact in _by_then(known.get("birthday", ()), now) if (span := _named(fact))]
    if born:
        fact, span = born[-1]
        return looked_up(_BORN[tongue].format(_age(span, now, tongue), fact.value), [fact], now)
    ages = [(fact, span) for fact in _by_then(known.get("age", ()), now) if (span := _of_age(fact))]
    if not ages:
        return None
    last, span = ages[-1]
    for _, other in ages:  # ages of one person narrow each other; of two people they exclude each other
        both = max(span[0], other[0]), min(span[1], other[1])
        span = both if both[0] <= both[1] else span
    said = wall(last.valid_at or last.said_at)
    if relativedelta(wall(now), said).years == 0:
        return None
    age = _age(span, now, tongue)
    told_on = day(said, tongue)
    parts = (age, told_on, last.value) if tongue == "zh" else (age, last.value, told_on)
    return looked_up(_TOLD[tongue].format(*parts), [fact for fact, _ in ages], now)


def _by_then(facts: Iterable[ProfileFact], now: datetime) -> list[ProfileFact]:
    return sorted((fact for fact in facts if fact.said_at <= now), key=lambda fact: fact.said_at)


def _named(birthday: ProfileFact) -> Span | None:
    """The days that a birthday with a year may mean: "March 1992" all of that month."""
    parts = {part: int(number) for part, number in map(str.split, date_named(birthday.value))}
    if parts.get("year", birthday.said_at.year) >= birthday.said_at.year:  # the next birthday tells no age
        return None
    first = date(parts["year"], parts.get("month", 1), parts.get("day", 1))
    if "day" in parts:
        return first, first
    return first, first + (relativedelta(months=1, days=-1) if "month" in parts else relativedelta(years=1, days=-1))


def _of_age(fact: ProfileFact) -> Span | None:
    """The days on which somebody can be born who was so old when it was told."""
    if not (match := _YEARS.fullmatch(fact.value.strip())):
        return None
    said = wall(fact.valid_at or fact.said_at).date()
    return said - relativedelta(years=int(match[1]) + 1, days=-1), said - relativedelta(years=int(match[1]))


def _age(born: Span, now: datetime, tongue: str) -> str:
    oldest, youngest = (relativedelta(now.date(), day_of_birth).years for day_of_birth in born)
    return _OR[tongue].join(str(age) for age in range(youngest, oldest + 1))
