"""When holidays fall that people name instead of a date. Feasts of other calendars are by the library `holidays`."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import cache

from evermem_cli.timespan.composed import nth_weekday
from evermem_cli.timespan.interval import Reading, day, easter, orthodox_easter, unit, weekday_after

InYear = Callable[[datetime], Reading | None]  # maps any time in a year to the holiday of that year


def fixed(month: int, number: int) -> InYear:
    """The same date each year."""
    return lambda at: day(at.replace(month=month, day=number))


def weekday(nth: int, number: int, month: int, days_later: int = 0) -> InYear:
    """The nth such weekday of a month, or so many days after it. A negative `nth` counts from the end."""

    def in_year(at: datetime) -> Reading | None:
        feast = nth_weekday(unit(at.replace(month=month, day=1), "month"), nth, number)
        return feast and day(feast.start, days_later)

    return in_year


def weekday_before(number: int, month: int, date_day: int) -> InYear:
    """The last such weekday before a date."""
    return lambda at: weekday_after(at.replace(month=month, day=date_day), number, -1)


def from_easter(days_later: int, orthodox: bool = False) -> InYear:
    """So many days after Easter Sunday."""

    def in_year(at: datetime) -> Reading:
        month, number = orthodox_easter(at.year) if orthodox else easter(at.year)
        return day(at.replace(month=month, day=number) + timedelta(days=days_later))

    return in_year


def lasting(first: InYear, days: int) -> InYear:
    """A feast of several days from its first."""

    def in_year(at: datetime) -> Reading | None:
        opening = first(at)
        return opening and replace(opening, end=opening.start + timedelta(days=days))

    return in_year


def until(first: InYear, after: InYear) -> InYear:
    """From one feast to the day before another."""

    def in_year(at: datetime) -> Reading | None:
        opening = first(at)
        ending = opening and after(opening.start)
        return replace(opening, end=ending.start) if opening and ending and opening.start < ending.start else None

    return in_year


@cache
def _first_day(country: str, name: str, year: int) -> date | None:
    """The first day of a country's holiday that begins in a year (`holidays` is imported on the first call)."""
    from holidays import country_holidays

    every = country_holidays(country).supported_categories
    both = country_holidays(country, years=(year - 1, year), language="en_US", categories=every)
    known = set(both.get_named(name, lookup="exact", split_multiple_names=True))
    begun = (feast for feast in known if feast.year == year and feast - timedelta(days=1) not in known)
    return min(begun, default=None)


def by_country(country: str, name: str) -> InYear:
    """A country's holiday by the name that the library gives it."""

    def in_year(at: datetime) -> Reading | None:
        first = _first_day(country, name, at.year)
        return day(at.replace(month=first.month, day=first.day)) if first else None

    return in_year


CHINESE: dict[str, InYear] = {
    "元旦": fixed(1, 1),
    "春节": by_country("SG", "Chinese New Year"),
    "清明节": by_country("CN", "Tomb-Sweeping Day"),
    "端午节": by_country("CN", "Dragon Boat Festival"),
    "中秋节": by_country("CN", "Mid-Autumn Festival"),
    "情人节": fixed(2, 14),
    "妇女节": fixed(3, 8),
    "劳动节": fixed(5, 1),
    "儿童节": fixed(6, 1),
    "教师节": fixed(9, 10),
    "国庆节": fixed(10, 1),
    "国庆": fixed(10, 1),
    "圣诞节": fixed(12, 25),
    "圣诞": fixed(12, 25),
    "母亲节": weekday(2, 6, 5),
    "父亲节": weekday(3, 6, 6),
    "感恩节": weekday(4, 3, 11),
}
