"""Counted times: durations, and times that lie so long before or after.

The past is blurred to the unit counted in ("ten years ago" is a year), the future is a day ("in two months"), and "the
next three days" begin tomorrow. What is counted from now in hours or less is a moment ("in two hours" is a minute).
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from dateutil.relativedelta import relativedelta

from evermem_cli.timespan.interval import STEPS, SUB_DAY, Reading, day, midnight, unit
from evermem_cli.timespan.named import Reference

_FINER = {"decade": "year", "year": "month", "quarter": "month", "month": "day", "week": "day", "day": "hour",
          "hour": "minute", "minute": "second"}  # fmt: skip
_MOST = 999  # the largest count that is understood


@dataclass(frozen=True, slots=True)
class Amount:
    """A duration in units of `unit`. `low` and `high` are its limits where the words are vague ("a few days")."""

    delta: relativedelta
    unit: str
    low: relativedelta | None = None
    high: relativedelta | None = None

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.delta + other.delta, other.unit)


def amount(count: float, grain: str) -> Amount:
    """`count` units. Fractions are rounded to days, fractions of a day to seconds."""
    if count > _MOST:
        raise ValueError(f"{count} is a year or an amount of something else")
    whole = int(count)
    delta = STEPS[grain] * whole
    if count != whole:
        length = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}.get(grain)
        if length:
            delta += relativedelta(seconds=round((count - whole) * length))
        else:
            months = (count - whole) * (STEPS[grain].years * 12 + STEPS[grain].months)
            delta += relativedelta(months=int(months), days=round(months % 1 * 30))
        grain = _FINER.get(grain, grain)
    if delta.years > _MOST:
        raise ValueError(f"{count} {grain} reach past the calendar")
    return Amount(delta, grain)


def vague(limits: tuple[int, int], grain: str) -> Amount:
    """A vague count of units; where one duration is needed, three."""
    low, high = limits
    return Amount(STEPS[grain] * 3, grain, STEPS[grain] * low, STEPS[grain] * high)


def some(grain: str) -> Amount | None:
    """A plural without a number: the coming weeks, the past months."""
    return None if grain in SUB_DAY else vague((2, 5), grain)


def this_time(ref: Reference, grain: str, steps: int) -> Reading | None:
    """This time next week: that day; in another year, that month."""
    reading = this_day(ref, grain, steps)
    return unit(reading.start, "month") if reading and grain == "year" else reading


def this_day(ref: Reference, grain: str, steps: int) -> Reading | None:
    """This day last year: that day."""
    return day(ref.at + STEPS[grain] * steps) if steps and grain not in SUB_DAY else None


def between(low: int, high: int, grain: str) -> Amount | None:
    """An hour or two; three to four days; where one duration is needed, the longer."""
    return Amount(STEPS[grain] * high, grain, STEPS[grain] * low, STEPS[grain] * high) if low < high <= _MOST else None


def ago(ref: Reference, length: Amount) -> Reading:
    """Three years ago: a time in the unit counted in; for weeks and a single year, in the next finer one."""
    return back_from(day(ref.at) if length.unit not in SUB_DAY else Reading(ref.at, ref.at, "second"), length)


def back_from(anchor: Reading, length: Amount) -> Reading:
    """So long before an anchor, blurred as in `ago`."""
    if length.unit in SUB_DAY:
        start = _passed(anchor.start, -length.delta)
        return Reading(start, _passed(start, STEPS[length.unit]), length.unit)
    grain = "day" if length.unit == "week" else length.unit
    if length.unit == "year" and length.delta.years == 1:
        grain = "month"
    if length.low is not None and length.high is not None:
        first, last = unit(anchor.start - length.high, grain), unit(anchor.start - length.low, grain)
        return Reading(first.start, last.end, grain)
    return unit(anchor.start - length.delta, grain)


def ahead(ref: Reference, length: Amount) -> Reading | None:
    """In two months: that day; with hours and minutes, that moment. "I read it in a week" names no time."""
    if ref.direction < 0:
        return None
    if length.unit == "weekend":
        return unit(ref.at, "weekend", round(length.delta.days / 7) - (ref.at.weekday() < 5))
    if length.unit in SUB_DAY:
        start, grain = _passed(ref.at, length.delta), _FINER.get(length.unit, length.unit)
        return Reading(start, _passed(start, STEPS[grain]), grain)
    return forward_from(day(ref.at), length)


def weeks_on(ref: Reference, length: Amount, anchor: Reading) -> Reading | None:
    """A week on Tuesday, a fortnight tomorrow: so many weeks after that day."""
    if ref.direction < 0 or length.unit != "week":
        return None
    return forward_from(anchor, length)


def forward_from(anchor: Reading, length: Amount) -> Reading:
    """So long after an anchor."""
    if length.unit in SUB_DAY:
        start = _passed(anchor.start, length.delta)
        return Reading(start, _passed(start, STEPS[length.unit]), length.unit)
    if anchor.grain in SUB_DAY:
        if length.unit == "quarter":
            raise ValueError("a quarter past noon is no three months")
        return anchor.moved(length.delta)
    if length.low is not None and length.high is not None:
        return Reading(anchor.start + length.low, (anchor.start + length.high) + STEPS["day"], "day")
    return day(anchor.start + length.delta)


def _passed(moment: datetime, time: relativedelta) -> datetime:
    """The moment after so many hours or less have passed, also where clocks change in between."""
    return moment + time if moment.tzinfo is None else (moment.astimezone(UTC) + time).astimezone(moment.tzinfo)


def exactly_before(anchor: Reading, length: Amount) -> Reading | None:
    """Two weeks before May 13: that day; an hour before noon: that moment."""
    if length.unit not in SUB_DAY:
        return day(anchor.start - length.delta)
    return back_from(anchor, length) if anchor.grain in SUB_DAY else None


def rolling(ref: Reference, towards: int, length: Amount | None) -> Reading | None:
    """The last or next three months: up to today, or from tomorrow on. Quarters and longer units are whole."""
    if towards == 0 or length is None or length.unit == "weekend":
        return None
    if length.unit in SUB_DAY:
        edges = sorted((ref.at, ref.at + length.delta * towards))
        return Reading(edges[0], edges[1], length.unit)
    if length.unit in {"quarter", "decade", "century"}:
        here = unit(ref.at, length.unit)
        start, end = (here.start - length.delta, here.start) if towards < 0 else (here.end, here.end + length.delta)
        return Reading(start, end, length.unit)
    today = day(ref.at)
    if towards < 0:
        return Reading(today.start - length.delta, today.start, length.unit)
    return Reading(today.end, today.end + length.delta, length.unit)


def within(ref: Reference, length: Amount) -> Reading:
    """Within three weeks: from now to then."""
    start = ref.at if length.unit in SUB_DAY else midnight(ref.at)
    return Reading(start, start + length.delta, length.unit)


def starting_at(reading: Reading, length: Amount) -> Reading:
    """A week starting tomorrow."""
    return Reading(reading.start, reading.start + length.delta, length.unit)
