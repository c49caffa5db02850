"""Times that are called by a name: weekdays, months, dates, years, seasons, holidays.

Where usage differs: "last X" is the most recent X before the reference, "next Wednesday" the Wednesday of next week,
and a bare name ("Friday", "in May") is the nearest one that the tense of the sentence points at.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from dateutil.relativedelta import relativedelta

from evermem_cli.timespan.interval import STEPS, Reading, day, floor, midnight, unit, weekday_after

WEEK, YEAR = STEPS["week"], STEPS["year"]


@dataclass(frozen=True, slots=True)
class Reference:
    """When and in which tense it was said.

    `direction` is -1 for what is over, 1 for what is to come, 0 where the words do not tell: then a bare name is read
    as to come.
    """

    at: datetime
    direction: int = 0

    @property
    def towards(self) -> int:
        """Where to look for a bare name: -1 back, 1 ahead."""
        return -1 if self.direction < 0 else 1


def choose(ref: Reference, first: Reading) -> Reading:
    """Of a recurring reading, given as any of its times, the one the tense points at: last begun or next to end."""
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
    """A weekday by its name alone: the one before or after today."""
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
    """A day of a month, with or without its year."""
    start = midnight(ref.at).replace(day=1, month=number)
    if year is not None:
        return day(start.replace(year=year, day=date_day))
    for years in range(9):  # eight years at most between two 29ths of February
        candidate = start + relativedelta(years=years * ref.towards)
        try:
            found = day(candidate.replace(day=date_day))
        except ValueError:
            continue
        if found.end > ref.at if ref.direction >= 0 else found.start <= ref.at:
            return replace(found, cycle=YEAR)
    raise ValueError(f"no month {number} has a day {date_day}")


def day_of_month(ref: Reference, number: int) -> Reading:
    """The 15th, the month left out."""
    for months in range(13):
        candidate = midnight(ref.at).replace(day=1) + relativedelta(months=months * ref.towards)
        try:
            found = day(candidate.replace(day=number))
        except ValueError:
            continue
        if found.end > ref.at if ref.direction >= 0 else found.start <= ref.at:
            return replace(found, cycle=STEPS["month"])
    raise ValueError(f"no month has a day {number}")


def weekday_and_day(ref: Reference, number: int, day_number: int) -> Reading | None:
    """Tuesday the 19th: the nearest such day the tense allows, up to two years away."""
    for days in range(731):
        moment = ref.at + timedelta(days=days * ref.towards)
        if moment.day == day_number and moment.weekday() == number:
            return day(moment)
    return None


def weekday_and_date(number: int, found: Reading) -> Reading:
    """Friday, July 18: the year in which they agree, the one the tense chose if none near does."""
    if found.cycle == YEAR:
        for years in (0, 1, -1, 2, -2, 3, -3):
            moved = found.moved(YEAR * years)
            if moved.start.weekday() == number:
                return moved
    return found


def year(ref: Reference, number: int) -> Reading:
    """A year by its number."""
    return unit(ref.at.replace(year=number, month=1, day=1), "year")


def now(ref: Reference) -> Reading:
    """The present second; in running text it names no time."""
    return Reading(ref.at, ref.at + STEPS["second"], "second", bare=True)


def decade(ref: Reference, number: int) -> Reading:
    """The 1990s; the 90s and the nineties are the last such ten years, the 1800s a hundred."""
    if number < 100:
        number += ref.at.year // 100 * 100
        number -= 100 if number > ref.at.year else 0
    grain = "century" if number % 100 == 0 and number < 2000 else "decade"
    return unit(ref.at.replace(year=number, month=1, day=1), grain)


def decade_of(ref: Reference, hundreds: int, number: int) -> Reading | None:
    """The nineteen eighties."""
    return decade(ref, hundreds * 100 + number) if 10 <= hundreds <= 20 and number < 100 else None


def decade_alone(ref: Reference, number: int) -> Reading:
    """A decade without "the": 1990s is one, but people are in their thirties too."""
    return replace(decade(ref, number), bare=number < 100)


def season(ref: Reference, first_month: int, year_number: int) -> Reading:
    """A northern meteorological season of a year; winter is the one that begins in December."""
    return unit(ref.at.replace(year=year_number, month=first_month, day=1), "season")


def season_towards(ref: Reference, towards: int, first_month: int) -> Reading:
    """Last, this, next summer."""
    this = season(ref, first_month, ref.at.year)
    if this.moved(-YEAR).end > ref.at:  # January lies in the winter of the year before
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
        found = in_year(ref.at.replace(day=1) + YEAR * (years * direction))
        if found and (found.end > ref.at if direction > 0 else found.start <= midnight(ref.at)):
            return replace(found, cycle=YEAR, in_year=in_year)
    return None


def weekend(ref: Reference) -> Reading:
    """The weekend: the running one, else the next or the last by the tense."""
    this = unit(ref.at, "weekend")
    return this.moved(-WEEK) if ref.direction < 0 and this.start > ref.at else this


def day_with(ref: Reference, bounds: tuple[int, int]) -> Reading:
    """The day whose morning "the morning" is: today, or tomorrow if it is over and the tense is not past."""
    return day(ref.at, 1 if ref.direction >= 0 and ref.at.hour >= bounds[1] else 0)


def numbered(ref: Reference, grain: str, number: int, year_number: int | None = None) -> Reading | None:
    """Week 10 of this or another year, counted as ISO 8601 does."""
    if grain != "week" or not 1 <= number <= 53:
        return None
    fourth = midnight(ref.at).replace(year=year_number or ref.at.year, month=1, day=4)
    return unit(fourth, "week", number - 1)


def unit_towards(ref: Reference, towards: int, grain: str) -> Reading | None:
    """Last, this, next week; "the last minute" is an idiom, and "the next day" is seldom tomorrow."""
    return None if grain in {"second", "minute", "day"} else unit(ref.at, grain, towards)


def coming(ref: Reference, grain: str) -> Reading:
    """This coming weekend: the next that is still to begin."""
    here = unit(ref.at, grain)
    return here if here.start > ref.at else unit(ref.at, grain, 1)
