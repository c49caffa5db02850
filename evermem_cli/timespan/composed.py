"""Times composed of other times: parts, ordinals, ranges, open intervals, hours of a day.

The last unit named belongs to a range: "May to July" ends with July, "until the 11th" with the 11th. A time of day is a
point: "until 5 pm" ends there. "Until June" ends where June begins.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from dateutil.relativedelta import relativedelta

from evermem_cli.timespan.counted import Amount
from evermem_cli.timespan.grammar import NoSuchDayError
from evermem_cli.timespan.hours import half_of_hours
from evermem_cli.timespan.interval import (
    GRAINS,
    STEPS,
    SUB_DAY,
    Part,
    Reading,
    day,
    floor,
    midnight,
    part,
    unit,
    weekday_after,
)
from evermem_cli.timespan.named import WEEK, YEAR, Reference, choose, date, weekday_and_date


def nth_unit(whole: Reading, nth: int, grain: str) -> Reading | None:
    """The second week or the third day of a longer time. A negative `nth` counts from the end.

    A week belongs to the period that contains its Thursday (ISO 8601).
    """
    if grain == "weekend":
        saturday = nth_weekday(whole, nth, 5)
        return saturday and unit(saturday.start, "weekend")
    if grain == "week":
        first, last = _first_week(whole.start), _first_week(whole.end) - WEEK
    else:
        first, last = whole.start, whole.end - timedelta(seconds=1)
    reading = unit(first, grain, nth - 1) if nth > 0 else unit(last, grain, nth + 1)
    return reading if reading.start < whole.end and reading.end > whole.start else None


def nth_full_unit(_: Reference, nth: int, grain: str, whole: Reading) -> Reading | None:
    """The first week or month that lies in a longer time entirely."""
    if grain in SUB_DAY:
        return None
    first, last = unit(whole.start, grain), unit(whole.end, grain, -1)
    first = first if first.start >= whole.start else unit(whole.start, grain, 1)
    nth_unit = unit(first.start, grain, nth - 1) if nth > 0 else unit(last.start, grain, nth + 1)
    return nth_unit if whole.start <= nth_unit.start and nth_unit.end <= whole.end else None


def _first_week(start: datetime) -> datetime:
    """The Monday of the first week whose Thursday is not before `start`."""
    monday = floor(start, "week")
    return monday if monday + timedelta(days=3) >= start else monday + WEEK


def half_of(whole: Reading, nth: int) -> Reading | None:
    """The first half of a year, a decade, a month, a week; that of a month ends with the 15th."""
    if whole.grain == "year":
        return nth_unit(whole, nth, "half")
    days = {"month": 15, "week": 3}.get(whole.grain)
    middle = whole.start + (timedelta(days=days) if days else (whole.end - whole.start) / 2)
    if whole.grain in {*SUB_DAY, "day", "weekend"} or nth not in {1, 2}:
        return None
    middle = midnight(middle)
    start, end = (whole.start, middle) if nth == 1 else (middle, whole.end)
    return replace(whole, start=start, end=end)


def weekday_beside(reading: Reading, number: int, nth: int) -> Reading | None:
    """The Friday before Christmas, the second Sunday after Easter."""
    if reading.grain in SUB_DAY or not nth:
        return None
    return weekday_after(reading.start if nth < 0 else reading.end - timedelta(days=1), number, nth)


def nth_weekday(whole: Reading, nth: int, number: int) -> Reading | None:
    """The third Tuesday of a longer time. A negative `nth` counts from the end."""
    anchor = whole.start - timedelta(days=1) if nth > 0 else whole.end
    weekday = weekday_after(anchor, number, nth)
    return weekday if whole.start <= weekday.start < whole.end else None


def nth_of_month(whole: Reading, number: int) -> Reading | None:
    """The 20th of a month, the first of the year. Raises NoSuchDayError for the 31st of a shorter month."""
    if whole.grain == "year" and number == 1:
        return day(whole.start)
    return date(Reference(whole.start), whole.start.month, number, whole.start.year) if whole.grain == "month" else None


def last_day(whole: Reading) -> Reading:
    """The end of a month as a day to count from."""
    return day(whole.end, -1)


def first_units(whole: Reading, towards: int, length: Amount) -> Reading | None:
    """The first ten days, the last three weeks of a longer time."""
    if length.unit in SUB_DAY:
        return None
    if towards > 0:
        return Reading(whole.start, whole.start + length.delta, length.unit)
    end = _first_week(whole.end) if length.unit == "week" else whole.end
    return Reading(end - length.delta, end, length.unit)


def so_far(ref: Reference, whole: Reading) -> Reading | None:
    """Earlier this month: up to today."""
    return replace(whole, end=midnight(ref.at), bare=False) if whole.start < midnight(ref.at) < whole.end else None


def still_to_come(ref: Reference, whole: Reading) -> Reading | None:
    """Later this month: from today on."""
    return replace(whole, start=midnight(ref.at), bare=False) if whole.start <= ref.at < whole.end else None


def between(ref: Reference, left: Reading, right: Reading) -> Reading | None:
    """From one time to another, the last included. A side without year or month takes it from the other."""
    if (left.grain in SUB_DAY) != (right.grain in SUB_DAY) and "second" not in {left.grain, right.grain}:
        return None
    # "March to May" said in April may be this year's; "from Monday to Friday" said on a Tuesday is next week's
    both = left.cycle if right.cycle is not None and left.cycle == right.cycle != WEEK else None
    if left.cycle is not None and (right.cycle is None or left.cycle == STEPS["month"] != right.cycle):
        left = _last_before(left, left.cycle, right.start)
    elif right.cycle is not None:
        right = _first_after(right, right.cycle, left.start)
    if right.start < left.start or right.end <= left.start:
        return None
    end = right.start if right.grain in SUB_DAY else right.end
    reading = Reading(left.start, end, left.grain if left.grain in SUB_DAY else right.grain, both)
    return choose(ref, reading)


def _first_after(moving: Reading, cycle: relativedelta, fixed: datetime) -> Reading:
    """The first occurrence that does not begin before `fixed`."""
    while moving.start < fixed:
        moving = moving.moved(cycle)
    while moving.moved(-cycle).start >= fixed:
        moving = moving.moved(-cycle)
    return moving


def _last_before(moving: Reading, cycle: relativedelta, fixed: datetime) -> Reading:
    """The last occurrence that does not begin after `fixed`."""
    while moving.start > fixed:
        moving = moving.moved(-cycle)
    while moving.moved(cycle).start <= fixed:
        moving = moving.moved(cycle)
    return moving


def since(ref: Reference, reading: Reading) -> Reading:
    """Since March: no end; it has begun already."""
    if reading.cycle is not None and reading.start > ref.at:
        reading = _last_before(reading, reading.cycle, ref.at)
    return onward(ref, reading)


def onward(_: Reference, reading: Reading) -> Reading:
    """Starting Monday, from Monday on: no end."""
    return Reading(reading.start, reading.end, reading.grain, open_end=True)


def until(_: Reference, time: Reading) -> Reading:
    """Until, by: no beginning; the time named is included."""
    return Reading(time.start, time.start if time.grain in SUB_DAY else time.end, time.grain, open_start=True)


def till(ref: Reference, time: Reading) -> Reading:
    """Until: a day named is included, a future month or longer is not: "until June" ends on 1 June."""
    is_long = GRAINS.index(time.grain) >= GRAINS.index("month") and time.end == time.start + STEPS[time.grain]
    return before(ref, time) if is_long and time.start > ref.at else until(ref, time)


def up_to(ref: Reference, reading: Reading) -> Reading:
    """The time up to May. "Up to 2000" may be an amount, and "what are you up to now" names no time."""
    return replace(until(ref, reading), bare=reading.bare)


def before(_: Reference, reading: Reading) -> Reading:
    """Before: no beginning; the time named is excluded."""
    return Reading(reading.start, reading.start, reading.grain, open_start=True)


def after(_: Reference, reading: Reading) -> Reading:
    """After: no end; the time named is excluded."""
    start = reading.start if reading.grain in SUB_DAY else reading.end
    return Reading(start, start, reading.grain, open_end=True)


def third_of(which: Part) -> Callable[[Reference, Reading], Reading | None]:
    """Early, mid, late: a third of anything from a week to a century."""

    def meaning(ref: Reference, whole: Reading) -> Reading | None:
        if whole.grain in SUB_DAY:
            return half_of_hours(whole, which)
        if whole.grain == "day":
            return None
        # "in their early thirties" is not a decade; it is as doubtful as the decade alone
        return replace(part(whole, which), bare=whole.bare and whole.grain == "decade")

    return meaning


def weekday_with(number: int, reading: Reading) -> Reading | None:
    """Monday, next week; Friday, July 18; Thursday, two years from now."""
    return of_week(reading, number) if reading.cycle is None else weekday_on(number, reading)


def weekday_on(number: int, reading: Reading) -> Reading | None:
    """Next Friday, May 12: the date, in the year in which weekday and date agree."""
    return weekday_and_date(number, reading) if reading.cycle == YEAR and reading.grain == "day" else None


def on_weekday(reading: Reading, number: int) -> Reading | None:
    """The 28th, Friday: the day, if it is one."""
    return reading if reading.grain == "day" and reading.start.weekday() == number else None


def of_week(reading: Reading, number: int) -> Reading | None:
    """A weekday of a week, or of the week that contains a day."""
    return day(floor(reading.start, "week"), number) if reading.grain in {"week", "day"} else None


def neighbour(reading: Reading, grain: str, steps: int) -> Reading | None:
    """The week before a week, the year before 2015, the day after a holiday."""
    if reading.grain in SUB_DAY:
        return None
    return unit(reading.start if steps < 0 else reading.end - timedelta(seconds=1), grain, steps)


def containing(reading: Reading, grain: str) -> Reading | None:
    """The week of October 7th."""
    return unit(reading.start, grain) if reading.grain == "day" and grain != "day" else None


def weekend_at(reading: Reading) -> Reading | None:
    """A holiday's weekend: the Saturday and Sunday next to it, and the holiday itself."""
    if reading.grain == "weekend" or reading.grain != "day":
        return None
    nearest = unit(reading.start, "weekend", -1 if reading.start.weekday() <= 1 else 0)
    return replace(nearest, start=min(nearest.start, reading.start), end=max(nearest.end, reading.end))


def in_year(reading: Reading, year: Reading) -> Reading | None:
    """A date followed by its year: "Christmas of last year", "26 June to 28 June in 2020"."""
    if reading.cycle is None or reading.cycle != YEAR or year.grain != "year":
        return None
    moved = reading.moved(YEAR * (year.start.year - reading.start.year))
    if moved.start.day != reading.start.day:
        raise NoSuchDayError("29 February of a year that has none")
    return replace(moved, cycle=None)


def from_day(ref: Reference, number: int, right: Reading) -> Reading | None:
    """5 to 7 April: the first day is in the month of the second, or in the one before."""
    if right.grain != "day":
        return None
    left = day(right.start.replace(day=1)).moved(STEPS["day"] * (number - 1))
    return between(ref, left, replace(right, cycle=None))


def days_of(ref: Reference, first: int, last: int, whole: Reading) -> Reading | None:
    """From the 3rd to the 5th of next month."""
    left, right = nth_of_month(whole, first), nth_of_month(whole, last)
    return between(ref, left, right) if left and right else None


def days_of_month(ref: Reference, month: int, first: int, last: int, year: int | None) -> Reading | None:
    """July 13 to 15."""
    return between(ref, date(ref, month, first, year), date(ref, month, last, year))
