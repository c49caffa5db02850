"""The repetition of a calendar entry in words: how often, on which days, until when, and on which days not."""

import calendar
from collections.abc import Iterable, Sequence
from datetime import date, datetime, tzinfo
from typing import Any

_UNITS = {"YEARLY": "year", "MONTHLY": "month", "WEEKLY": "week", "DAILY": "day", "HOURLY": "hour"}
_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_PLACES = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last", -2: "second last"}


def repetition(item: Any, zone: tzinfo) -> str:
    """The repetition of an entry, as "every 2 weeks on Monday, until 1 May 2026, but not on 6 April 2026".

    "" for a single event. Days of times in UTC are those of `zone`.
    """
    rule = item.get("RRULE")
    rule = rule[0] if isinstance(rule, list) and rule else rule
    also, never = (_listed(map(written_day, _days(item, name, zone))) for name in ("RDATE", "EXDATE"))
    parts = (_rule(rule) if rule else "", also and f"also on {also}", never and f"but not on {never}")
    return ", ".join(filter(None, parts))


def on_clock(moment: date, zone: tzinfo) -> date:
    """A day, or a time; one in UTC, as calendars store it, on the clock of `zone`."""
    if isinstance(moment, datetime) and moment.tzname() == "UTC":
        return moment.astimezone(zone)
    return moment


def written_day(day: date) -> str:
    """A day in words: "6 April 2026"."""
    return f"{day.day} {day:%B %Y}"


def _rule(rule: Any) -> str:
    unit = _UNITS.get(str(_first(rule, "FREQ")).upper())
    if not unit:
        return ""
    interval = int(_first(rule, "INTERVAL") or 1)
    words = f"every {unit}" if interval == 1 else f"every {interval} {unit}s"
    days = _listed([*_weekdays(rule), *map(_day_of_month, rule.get("BYMONTHDAY", ()))])
    months = _listed(calendar.month_name[int(month)] for month in rule.get("BYMONTH", ()))
    until, count = _first(rule, "UNTIL"), _first(rule, "COUNT")
    end = f"until {written_day(until)}" if isinstance(until, date) else f"{count} times" if count else ""
    often = " ".join(filter(None, (words, days and f"on {days}", months and f"in {months}")))
    return ", ".join(filter(None, (often, end)))


def _weekdays(rule: Any) -> list[str]:
    """The days of the week: "Monday", or "the first Sunday" of a month or year."""
    stated = [(int(code[:-2] or 0), code[-2:]) for code in map(str, rule.get("BYDAY", ()))]
    names = [(place, calendar.day_name[_CODES.index(code.upper())]) for place, code in stated]
    chosen = [int(place) for place in rule.get("BYSETPOS", ())]
    if chosen and len(names) > 1:
        return [f"{_placed(place)} of {_listed(name for _, name in names)}" for place in chosen]
    return [f"{_placed(at)} {name}" if at else name for place, name in names for at in chosen or [place]]


def _placed(place: int) -> str:
    return f"the {_PLACES[place]}" if place in _PLACES else f"number {place} of"


def _day_of_month(day: Any) -> str:
    return f"day {day}" if int(day) > 0 else f"{_placed(int(day))} day"


def _days(item: Any, name: str, zone: tzinfo) -> Sequence[date]:
    """The days of a property that holds several, in order; of a period the day on which it starts."""
    stated = item.get(name) or []
    times = [time.dt for dates in (stated if isinstance(stated, list) else [stated]) for time in dates.dts]
    moments = [time[0] if isinstance(time, tuple) else time for time in times]
    return sorted({_day(moment, zone) for moment in moments if isinstance(moment, date)})


def _day(moment: date, zone: tzinfo) -> date:
    shown = on_clock(moment, zone)
    return shown.date() if isinstance(shown, datetime) else shown


def _listed(words: Iterable[str]) -> str:
    """Words as in a sentence: "a, b and c"."""
    *some, last = [*words] or [""]
    return f"{', '.join(some)} and {last}" if some else last


def _first(rule: Any, name: str) -> Any:
    values = rule.get(name) or [None]
    return values[0]
