"""Times with names: weekdays, months, dates, years, seasons, holidays.

Where usage differs: "last X" is the most recent X before the reference, "next Wednesday" the Wednesday of next week,
and a bare name ("Friday", "in May") is the nearest one in the direction of the sentence's tense.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo

from dateutil.relativedelta import relativedelta

from evermem_cli.timespan.grammar import NoSuchDayError
from evermem_cli.timespan.interval import STEPS, Reading, day, floor, midnight, unit, weekday_after

WEEK, YEAR = STEPS["week"], STEPS["year"]
MEANT_AS_DAYS = range(40)  # numbers beside a month that name a day, if only by a slip


@dataclass(frozen=True, slots=True)
class Clock:
    """What a clock shows in a time zone. Equal moments of two zones differ here, since they may have two days."""

    wall: datetime
    zone_name: str
    zone: tzinfo | None = field(compare=False)  # those of dateutil have no hash

    @classmethod
    def of(cls, at: datetime) -> "Clock":
        """The clock of a moment."""
        return cls(at.replace(tzinfo=None), repr(at.tzinfo), at.tzinfo)

    @property
    def at(self) -> datetime:
        """The moment."""
        return self.wall.replace(tzinfo=self.zone)


@dataclass(frozen=True, slots=True)
class Reference:
    """When and in which tense something was said.

    `direction` is -1 for the past, 1 for the future, 0 where the tense is unclear; a bare name then means the future.
    """

    at: datetime
    direction: int = 0

    @property
    def towards(self) -> int:
        """The direction in which to look for a bare name: -1 back, 1 ahead."""
        return -1 if self.direction < 0 else 1


def choose(ref: Reference, first: Reading) -> Reading:
    """The occurrence of a recurring reading that the tense selects: the last begun or the next to end."""
    cycle = first.cycle
    if cycle is None:
        return first
    while first.start > ref.at:
        first = first.moved(-cycle)
    while first.moved(cycle).start <= ref.at:
        first = first.moved(cycle)
    if ref.direction >= 0 and first.end <= ref.at:
        first = first.moved(cycle)
    return first


def weekday(ref: Reference, number: int) -> Reading:
    """A weekday by its bare name: the one before or after today."""
    return replace(weekday_after(ref.at, number, ref.towards), cycle=WEEK)


def weekday_towards(ref: Reference, towards: int, number: int) -> Reading:
    """Last, this, next Wednesday."""
    if towards > 0:
        return day(floor(ref.at, "week"), 7 + number)
    return weekday_after(ref.at, number, -1) if towards < 0 else weekday(ref, number)


def month(ref: Reference, number: int, year: int | None = None) -> Reading:
    """A month, with or without its year."""
    start = midnight(ref.at).replace(day=1, month=number)
    if year is not None:
        return unit(start.replace(year=year), "month")
    return choose(ref, replace(unit(start, "month"), cycle=YEAR))


def month_towards(ref: Reference, towards: int, number: int) -> Reading:
    """Last, this, next May."""
    this = unit(ref.at.replace(day=1, month=number), "month")
    if towards < 0:
        return this if this.end <= ref.at else this.moved(-YEAR)
    return this.moved(YEAR) if towards > 0 and this.start <= ref.at else this


def date(ref: Reference, number: int, date_day: int, year: int | None = None) -> Reading:
    """A day of a month, with or without its year. Raises NoSuchDayError for February 30."""
    try:
        return _date(ref, number, date_day, year)
    except ValueError as error:
        raise (NoSuchDayError if date_day in MEANT_AS_DAYS else ValueError)(*error.args) from error


def _date(ref: Reference, number: int, date_day: int, year: int | None) -> Reading:
    start = midnight(ref.at).replace(day=1, month=number)
    if year is not None:
        return day(start.replace(year=year, day=date_day))
    for years in range(9):  # two 29ths of February are at most eight years apart
        candidate = start + relativedelta(years=years * ref.towards)
        try:
            dated = day(candidate.replace(day=date_day))
        except ValueError:
            continue
        if dated.end > ref.at if ref.direction >= 0 else dated.start <= ref.at:
            return replace(dated, cycle=YEAR)
    raise ValueError(f"no month {number} has a day {date_day}")


def day_of_month(ref: Reference, number: int) -> Reading:
    """The 15th, the month left out."""
    for months in range(13):
        candidate = midnight(ref.at).replace(day=1) + relativedelta(months=months * ref.towards)
        try:
            dated = day(candidate.replace(day=number))
        except ValueError:
            continue
        if dated.end > ref.at if ref.direction >= 0 else dated.start <= ref.at:
            return replace(dated, cycle=STEPS["month"])
    raise ValueError(f"no month has a day {number}")


def weekday_and_day(ref: Reference, number: int, day_number: int) -> Reading | None:
    """Tuesday the 19th: the nearest such day in the tense's direction, up to two years away."""
    for days in range(731):
        moment = ref.at + timedelta(days=days * ref.towards)
        if moment.day == day_number and moment.weekday() == number:
            return day(moment)
    return None


def weekday_and_date(number: int, reading: Reading) -> Reading:
    """Friday, July 18: the year in which they agree; the year that the tense selects if none nearby does."""
    if reading.cycle == YEAR:
        for years in (0, 1, -1, 2, -2, 3, -3):
            moved = reading.moved(YEAR * years)
            if (moved.start.weekday(), moved.start.day) == (number, reading.start.day):
                return moved
    return reading


def year(ref: Reference, number: int) -> Reading:
    """A year by its number."""
    return unit(ref.at.replace(year=number, month=1, day=1), "year")


def now(ref: Reference) -> Reading:
    """The present second; in running text "now" names no time."""
    return Reading(ref.at, ref.at + STEPS["second"], "second", bare=True)


def decade(ref: Reference, number: int) -> Reading:
    """The 1990s; the 90s and the nineties are the most recent such decade, the 1800s a century."""
    if number < 100:
        number += ref.at.year // 100 * 100
        number -= 100 if number > ref.at.year else 0
    grain = "century" if number % 100 == 0 and number < 2000 else "decade"
    return unit(ref.at.replace(year=number, month=1, day=1), grain)


def decade_of(ref: Reference, hundreds: int, number: int) -> Reading | None:
    """The nineteen eighties."""
    return decade(ref, hundreds * 100 + number) if 10 <= hundreds <= 20 and number < 100 else None


def decade_alone(ref: Reference, number: int) -> Reading:
    """A decade without "the": 1990s is one, but people are also in their thirties."""
    return replace(decade(ref, number), bare=number < 100)


def season(ref: Reference, first_month: int, year_number: int) -> Reading:
    """A northern meteorological season of a year. Winter begins in December."""
    return unit(ref.at.replace(year=year_number, month=first_month, day=1), "season")


def season_towards(ref: Reference, towards: int, first_month: int) -> Reading:
    """Last, this, next summer."""
    this = season(ref, first_month, ref.at.year)
    if this.moved(-YEAR).end > ref.at:  # January belongs to the winter of the year before
        this = this.moved(-YEAR)
    if towards < 0:
        return this if this.end <= ref.at else this.moved(-YEAR)
    if towards > 0:
        return this if this.start > ref.at else this.moved(YEAR)
    return this


def season_alone(ref: Reference, first_month: int) -> Reading:
    """A season by its name alone."""
    return choose(ref, replace(season_towards(ref, 0, first_month), cycle=YEAR))


def holiday(ref: Reference, in_year: Callable[[datetime], Reading | None], towards: int | None) -> Reading | None:
    """Easter, last Christmas: the nearest one before or after, by the word before it or by the tense."""
    direction = towards or ref.towards
    for years in range(2):
        feast = in_year(ref.at.replace(day=1) + YEAR * (years * direction))
        if feast and (feast.end > ref.at if direction > 0 else feast.start <= midnight(ref.at)):
            return replace(feast, cycle=YEAR, in_year=in_year)
    return None


def weekend(ref: Reference) -> Reading:
    """The weekend: the current one, else the next or the last by the tense."""
    this = replace(unit(ref.at, "weekend"), cycle=WEEK)
    return this.moved(-WEEK) if ref.direction < 0 and this.start > ref.at else this


def day_with(ref: Reference, bounds: tuple[int, int]) -> Reading:
    """The day that "the morning" refers to: today, or tomorrow if it is over and the tense is not past."""
    return day(ref.at, 1 if ref.direction >= 0 and ref.at.hour >= bounds[1] else 0)


def numbered(ref: Reference, grain: str, number: int, year_number: int | None = None) -> Reading | None:
    """Week 10 of this or another year, counted as ISO 8601 does."""
    if grain != "week" or not 1 <= number <= 53:
        return None
    fourth = midnight(ref.at).replace(year=year_number or ref.at.year, month=1, day=4)
    return unit(fourth, "week", number - 1)


def unit_towards(ref: Reference, towards: int, grain: str) -> Reading | None:
    """Last, this, next week. "The last minute" is an idiom, and "the next day" is seldom tomorrow."""
    return None if grain in {"second", "minute", "day"} else unit(ref.at, grain, towards)


def coming(ref: Reference, grain: str) -> Reading:
    """This coming weekend: the next one that has not begun."""
    here = unit(ref.at, grain)
    return here if here.start > ref.at else unit(ref.at, grain, 1)
