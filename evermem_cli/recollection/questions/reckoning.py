"""Questions that dates answer: "How many days ago did I …?", "Which did I do first, … or …?".

A small model finds when something was, but counts and compares days badly. So the model is asked for each date
separately, and code does the rest. If a date is unknown, so is the answer; if a date is too vague, the question is
asked unchanged.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from evermem_cli import timespan
from evermem_cli.languages.language import language
from evermem_cli.languages.words import content_words
from evermem_cli.recollection.dates import Days
from evermem_cli.recollection.questions.parts import REFERS, SUBJECTS, is_possessive
from evermem_cli.recollection.questions.wants import FIRST_PERSON

# The days of each unit, and the longest time that may be counted in it.
_LONG = {"year": 365.25, "month": 30.44, "week": 7.0, "day": 1.0}
_LONGEST = {"year": 366, "month": 31, "week": 7, "day": 1}

_HOW_LONG = re.compile(r"how (?:many (?P<unit>day|week|month|year)s|long|much time)\b", re.IGNORECASE)
# What relates two times, between the events: "[had passed] since [I began] when [I bought it]".
_RELATES = re.compile(r"\b(ago|since|until|till|between|before|after|(?<!day )(?<!time )when)\b", re.IGNORECASE)
_FIRST = re.compile(
    r"(?:who (?P<who>did)|(?:which|what)\b.*? (?:(?P<did>did)|happened|came|was|were)) ?(?P<rest>.*?) ?\b"
    r"(?P<order>first|earlier|later|last)\b(?P<tail>[^,]*), (?P<one>.+?),? or (?P<other>.+)",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    r"(?:on )?(?:what|which) (?:day of the week|weekday) (?P<asked>(?:was|were|did) .+)", re.IGNORECASE
)
_LATER = frozenset({"later", "last"})
_AND, _THAT = " and ", " it that "


@dataclass(frozen=True, slots=True)
class Reckoning:
    """The questions for dates, and `work_out`, which derives the answer from their days; None where it cannot."""

    questions: tuple[str, ...]
    work_out: Callable[[Sequence[Days]], str | None]


@dataclass(frozen=True, slots=True)
class _Length:
    """A question for a length of time: what it says before the first relation, the relations, and their events."""

    lead: str
    relations: str
    events: tuple[str, ...]
    unit: str | None

    @property
    def is_bare(self) -> bool:
        """Whether nothing lasted but the time itself: "how many days [had passed]"."""
        return not FIRST_PERSON.search(self.lead) and len(content_words(self.lead).split()) <= 1


def read_reckoning(text: str, now: datetime) -> Reckoning | None:
    """How dates as of `now` answer the question; None for questions of other kinds."""
    if language(text) != "en":
        return None
    bare = text.strip(" ?")
    length = _length_asked(bare)
    reckoning = next((asked for form in _FORMS if (asked := form(length, now))), None) if length else None
    reckoning = reckoning or _order(bare, now) or _weekday(bare)
    return reckoning if reckoning and not any(map(_is_pointing, reckoning.questions)) else None


def _length_asked(text: str) -> _Length | None:
    how = _HOW_LONG.match(text)
    if not how:
        return None
    lead, *rest = map(str.strip, _RELATES.split(text[how.end() :]))
    return _Length(lead, " ".join(rest[::2]).lower(), tuple(rest[1::2]), how["unit"])


def _is_pointing(question: str) -> bool:
    """Whether it is about "it", and not "When was it that …"."""
    references = REFERS.finditer(question.replace(_THAT, " "))
    return not all(map(is_possessive, references))


def _ago(asked: _Length, now: datetime) -> Reckoning | None:
    if asked.relations not in ("ago", "ago when"):
        return None
    questions = (f"When {asked.events[0]}?", *map(_when, asked.events[1:]))
    return Reckoning(questions, lambda days: _length(asked.unit, [*days, _today(now)][:2], " ago"))


def _since(asked: _Length, now: datetime) -> Reckoning | None:
    if asked.relations not in ("since", "since when", "since until") or not asked.is_bare:
        return None
    return Reckoning(tuple(map(_when, asked.events)), lambda days: _length(asked.unit, [*days, _today(now)][:2]))


def _until(asked: _Length, now: datetime) -> Reckoning | None:
    if asked.relations not in ("until", "till") or not asked.is_bare:
        return None
    event = _when(asked.events[0]).replace("When was", "When is", 1)
    return Reckoning((event,), lambda days: _length(asked.unit, [_today(now), *days]))


def _between(asked: _Length, now: datetime) -> Reckoning | None:
    """Two events that begin alike are parted there: "the day I sold this and that and the day I moved"."""
    if asked.relations != "between" or not asked.is_bare:
        return None
    [events] = asked.events
    alike = f"{_AND}{events.split(' ')[0]} "
    one, _, other = events.rpartition(alike if alike in events else _AND)
    if not one:
        return None
    if alike in events:
        other = f"{events.split(' ')[0]} {other}"
    return Reckoning((_when(one), _when(other)), lambda days: _length(asked.unit, sorted(days)))


def _beside(asked: _Length, now: datetime) -> Reckoning | None:
    if asked.relations not in ("before", "after") or asked.lead:
        return None
    event, _, deed = asked.events[0].partition(" did ")
    step = 1 if asked.relations == "before" else -1
    questions = (f"When did {deed}?", _when(event))
    return Reckoning(questions, lambda days: _length(asked.unit, days[::step], f" {asked.relations}")) if deed else None


def _been(asked: _Length, now: datetime) -> Reckoning | None:
    if asked.relations != "when" or "been" not in asked.lead.split(" "):
        return None
    questions = (f"Since when {asked.lead}?", _when(asked.events[0]))
    return Reckoning(questions, lambda days: _length(asked.unit, days))


def _order(text: str, now: datetime) -> Reckoning | None:
    asked = _FIRST.fullmatch(text)
    if not asked or any(
        span.start_offset <= asked.start("order") < span.end_offset for span in timespan.find(text, now)
    ):
        return None
    options = (asked["one"].strip(), asked["other"].strip())
    did = asked["who"] or asked["did"]
    questions = (f"When did {asked['rest']} {option}{asked['tail']}?" if did else _when(option) for option in options)
    is_last = asked["order"].lower() in _LATER
    return Reckoning(tuple(questions), lambda days: _earlier(options, days, is_last=is_last))


def _weekday(text: str) -> Reckoning | None:
    asked = _WEEKDAY.fullmatch(text)
    return Reckoning((f"When {asked['asked']}?",), lambda days: _day_of_the_week(*days[0])) if asked else None


_FORMS = (_ago, _since, _until, _between, _beside, _been)


def _today(now: datetime) -> Days:
    return now.date(), now.date() + timedelta(days=1)


def _when(event: str) -> str:
    """The question for the date of an event: "the day I sold it", "I sold it", "my visit to Rome"."""
    event = event.strip(" ,")
    is_clause = event.split(" ")[0].casefold() in SUBJECTS
    return f"When was{_THAT}{event}?" if is_clause else f"When was {event}?"


def _length(unit: str | None, days: Sequence[Days], side: str = "") -> str | None:
    """The time from the first of two dates to the second.

    None if the order is reversed or the dates are equal, which shows that one is wrong or too vague.
    """
    (start, until), (later, end) = days
    inexact = max((until - start).days, (end - later).days)
    length = ((later - start) + (end - until)) / 2 / timedelta(days=1)
    unit = unit.lower() if unit else next((name for name, long in _LONG.items() if length >= 2 * long), "day")
    count = round(length / _LONG[unit])
    if count < 1 or inexact > _LONGEST[unit]:
        return None
    return f"{count} {unit}{'' if count == 1 else 's'}{side}"


def _earlier(options: Sequence[str], days: Sequence[Days], *, is_last: bool) -> str | None:
    """The option that was first, or last; None where their times overlap."""
    one, other = days
    if one[1] > other[0] and other[1] > one[0]:
        return None
    chosen = options[(one > other) != is_last]
    return f"{chosen[0].upper()}{chosen[1:]}"


def _day_of_the_week(start: date, end: date) -> str | None:
    """The weekday of a single day; None for several days."""
    return f"{start:%A}" if end - start == timedelta(days=1) else None
