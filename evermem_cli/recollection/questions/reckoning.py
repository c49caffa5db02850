"""Questions that dates answer: "How many days ago did I …?", "Which did I do first, … or …?".

A small model finds when something was, but counts and compares days badly. So the model is asked for each date
separately, and code does the rest. If a date is unknown, so is the answer; if a date is too vague, the question is
asked unchanged.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from evermem_cli.languages.language import CAPITALS, language
from evermem_cli.recollection.dates import Days

# The days of each unit, and the longest time that may be counted in it.
_LONG = {"year": 365.25, "month": 30.44, "week": 7.0, "day": 1.0}
_LONGEST = {"year": 366, "month": 31, "week": 7, "day": 1}

_HOW_LONG = r"\s*how (?:many (?P<unit>day|week|month|year)s|long|much time)"
_AGO = re.compile(rf"{_HOW_LONG} ago (?P<asked>(?:did|was|were) [^?]+?)(?: when (?P<other>[^?]+))?\s*\?*\s*$", re.I)
_SINCE = re.compile(
    rf"{_HOW_LONG} (?:is it|has it been|was it|(?:have|has|had) passed|passed) since (?P<one>[^?]+?)"
    r"(?: (?:when|until) (?P<other>[^?]+))?\s*\?*\s*$",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    rf"{_HOW_LONG} (?:is it |is there |are there |(?:are )?left |to go )?(?:until|till) (?P<one>[^?]+?)\s*\?*\s*$", re.I
)
# "… between the day I bought it and the day I sold it", "… between my visit to Rome and the wedding".
_EVENT = rf"(?=(?:the|my|our|his|her|their|when)\b|['\"(]|(?-i:[{CAPITALS}]))"
_BETWEEN = re.compile(
    rf"{_HOW_LONG} [\w ]{{0,20}}?between (?P<one>[^?]+?)"
    rf"(?: and (?=the (?:day|time|date)\b)| and (?![^?]* and the (?:day|time|date)\b){_EVENT})"
    r"(?P<other>[^?]+?)\s*\?*\s*$",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    rf"{_HOW_LONG} (?P<side>before|after) (?P<one>[^?]+?) (?P<asked>did [^?]+?)\s*\?*\s*$", re.IGNORECASE
)
_BEEN = re.compile(
    rf"{_HOW_LONG} (?P<asked>(?:had|have|has) (?:[\w'’-]+ ){{1,3}}?been [^?]+?) when (?P<other>[^?]+?)\s*\?*\s*$",
    re.IGNORECASE,
)
_PERIOD = r"(?:time|week|month|year|night|spring|summer|autumn|fall|winter|\w+day)\b"  # "last week" gives no order
_FIRST = re.compile(
    r"\s*(?:(?:which|what)\b(?: [\w-]+){0,4}? (?P<asked>did|happened|was|were|came)|who (?P<did>did)) ?"
    rf"(?P<rest>[^?,]*?) ?\b(?P<order>first|earlier|later|last)\b(?! {_PERIOD})(?P<tail>[^?,]*),? "
    r"(?P<one>[^?]+?),? or (?P<other>[^?]+?)\s*\?*\s*$",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    r"\s*(?:on )?(?:what|which) (?:day of the week|weekday) (?P<asked>(?:was|were|did|will) [^?]+?)\s*\?*\s*$", re.I
)
_CLAUSE = re.compile(r"(?:the (?:day|time|date|moment)(?: that| when| on which)?|when) (?P<what>.+)", re.IGNORECASE)
_LAST = ("later", "last")
_POINTING = re.compile(r"(?<!When was )(?<!When is )\b(?:it|them|him|he|she|they)\b", re.IGNORECASE)
_IS_CLAUSE = re.compile(r"(?:i|we)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reckoning:
    """The questions for dates, and `work_out`, which derives the answer from their days; None where it cannot."""

    questions: tuple[str, ...]
    work_out: Callable[[Sequence[Days]], str | None]


def read_reckoning(text: str, now: datetime) -> Reckoning | None:
    """How dates as of `now` answer the question; None for questions of other kinds."""
    forms = _FORMS if language(text) == "en" else ()
    asked = next((form(match, now) for pattern, form in forms if (match := pattern.match(text))), None)
    return asked if asked and not any(_POINTING.search(part) for part in asked.questions) else None


def _ago(asked: re.Match[str], now: datetime) -> Reckoning:
    then = [_when(asked["other"])] if asked["other"] else []
    return Reckoning(
        (f"When {asked['asked']}?", *then), lambda days: _length(asked["unit"], [*days, _today(now)][:2], " ago")
    )


def _since(asked: re.Match[str], now: datetime) -> Reckoning:
    events = tuple(_when(event) for event in (asked["one"], asked["other"]) if event)
    return Reckoning(events, lambda days: _length(asked["unit"], [*days, _today(now)][:2]))


def _until(asked: re.Match[str], now: datetime) -> Reckoning:
    event = _when(asked["one"]).replace("When was", "When is", 1)
    return Reckoning((event,), lambda days: _length(asked["unit"], [_today(now), *days]))


def _between(asked: re.Match[str], now: datetime) -> Reckoning:
    events = (_when(asked["one"]), _when(asked["other"]))
    return Reckoning(events, lambda days: _length(asked["unit"], sorted(days)))


def _beside(asked: re.Match[str], now: datetime) -> Reckoning:
    step = 1 if asked["side"].lower() == "before" else -1
    events = (f"When {asked['asked']}?", _when(asked["one"]))
    return Reckoning(events, lambda days: _length(asked["unit"], days[::step], f" {asked['side']}"))


def _been(asked: re.Match[str], now: datetime) -> Reckoning:
    events = (f"Since when {asked['asked']}?", _when(asked["other"]))
    return Reckoning(events, lambda days: _length(asked["unit"], days))


def _first(asked: re.Match[str], now: datetime) -> Reckoning:
    options = (asked["one"].strip(), asked["other"].strip())
    did = (asked["asked"] or asked["did"]).lower() == "did"
    events = (f"When did {asked['rest']} {option}{asked['tail']}?" if did else _when(option) for option in options)
    return Reckoning(tuple(events), lambda days: _earlier(options, days, is_last=asked["order"].lower() in _LAST))


def _weekday(asked: re.Match[str], now: datetime) -> Reckoning:
    return Reckoning((f"When {asked['asked']}?",), lambda days: _day_of_the_week(*days[0]))


_FORMS = (
    (_AGO, _ago),
    (_SINCE, _since),
    (_UNTIL, _until),
    (_BETWEEN, _between),
    (_BESIDE, _beside),
    (_BEEN, _been),
    (_FIRST, _first),
    (_WEEKDAY, _weekday),
)


def _today(now: datetime) -> Days:
    return now.date(), now.date() + timedelta(days=1)


def _when(event: str) -> str:
    """The question for the date of an event: "the day I sold it", "I sold it", "my visit to Rome"."""
    event = event.strip(" ,")
    clause = _CLAUSE.fullmatch(event)
    what = clause["what"] if clause else event
    return f"When was it that {what}?" if clause or _IS_CLAUSE.match(what) else f"When was {what}?"


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
