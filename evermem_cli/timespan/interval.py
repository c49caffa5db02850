"""Half-open intervals of local time, and calendar arithmetic on them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from dateutil.relativedelta import relativedelta

from evermem_cli.memory import CalendarTime, Time, wall

STEPS = {
    "second": relativedelta(seconds=1),
    "minute": relativedelta(minutes=1),
    "hour": relativedelta(hours=1),
    "day": relativedelta(days=1),
    "week": relativedelta(weeks=1),
    "weekend": relativedelta(weeks=1),
    "month": relativedelta(months=1),
    "season": relativedelta(months=3),
    "quarter": relativedelta(months=3),
    "half": relativedelta(months=6),
    "year": relativedelta(years=1),
    "decade": relativedelta(years=10),
    "century": relativedelta(years=100),
}
SUB_DAY = frozenset({"second", "minute", "hour"})
GRAINS = tuple(STEPS)
YEARS = range(2, 9999)

Part = str  # "start", "middle" or "end" of a longer interval


@dataclass(frozen=True, slots=True)
class Interval:
    """The time from `start` up to but not including `end`, both aware, in the zone of the reference; None is open.

    `grain` is the unit named, one of `GRAINS`: "in May" has grain month, "May 3" has grain day.
    """

    start: datetime | None
    end: datetime | None
    grain: str

    @property
    def stated_start(self) -> Time | None:
        """`start` in the unit stated. One in the middle of a day is a moment."""
        return stated_time(self.start, self.grain) if self.start and self.start == midnight(self.start) else self.start

    @property
    def stated_end(self) -> Time | None:
        """`end` in the unit stated. What lasts two months ends on a day, not with a month."""
        return self.end and stated_time(self.end, self.grain if floor(self.end, self.grain) == self.end else "day")


@dataclass(frozen=True, slots=True)
class Span:
    """A time phrase in running text: `text[start_offset:end_offset]` and its meaning."""

    text: str
    start_offset: int
    end_offset: int
    interval: Interval


@dataclass(frozen=True, slots=True)
class Reading:
    """A grammar rule's reading of a phrase: a bounded stretch of time.

    `cycle` is the period after which an underspecified phrase recurs ("Friday": a week, "May 3": a year); None where
    the phrase has one meaning only. `bare` marks words that name a time only in a suitable context. `since` and `until`
    mark an open side. `in_year` gives the date of a movable feast in the year of another moment.
    """

    start: datetime
    end: datetime
    grain: str
    cycle: relativedelta | None = None
    bare: bool = False
    open_start: bool = False
    open_end: bool = False
    in_year: "Callable[[datetime], Reading | None] | None" = None

    @property
    def interval(self) -> Interval:
        return Interval(None if self.open_start else self.start, None if self.open_end else self.end, self.grain)

    def moved(self, delta: relativedelta) -> "Reading":
        """The same stretch, later by `delta`."""
        if self.in_year and (feast := self.in_year(self.start.replace(day=1) + delta)):
            return replace(self, start=feast.start, end=feast.end, bare=False)
        return replace(self, start=self.start + delta, end=self.end + delta, bare=False)


def lasting(start: datetime, length: relativedelta, grain: str) -> Interval | None:
    """The time from `start` on, for `length`; None where it ends after the last year."""
    end = moved(start, length)
    return Interval(start, end, grain) if end else None


def moved(moment: datetime, length: relativedelta) -> datetime | None:
    """`moment` plus `length`; None where that is after the last year."""
    try:
        return moment + length
    except (ValueError, OverflowError):
        return None


def in_calendar(interval: Interval | None) -> Interval | None:
    """`interval`; None if an edge does not exist in some zone, as in the first and the last year."""
    if interval is None or any(edge and edge.year not in YEARS for edge in (interval.start, interval.end)):
        return None
    return interval


def stated_time(moment: datetime, grain: str) -> Time:
    """A local time as stated in a unit: a calendar time unless the unit is a time of day."""
    return moment if grain in SUB_DAY else CalendarTime(wall(moment), grain)


def midnight(moment: datetime) -> datetime:
    """The start of the day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def floor(moment: datetime, grain: str) -> datetime:
    """The start of the calendar unit that contains `moment`. Weeks begin on Monday, a week's weekend on Saturday."""
    if grain in SUB_DAY:
        second = moment.second if grain == "second" else 0
        return moment.replace(minute=0 if grain == "hour" else moment.minute, second=second, microsecond=0)
    day = midnight(moment)
    if grain == "week":
        return day - timedelta(days=day.weekday())
    if grain == "weekend":
        return day + timedelta(days=5 - day.weekday())
    if grain == "season":
        return day.replace(day=1) - relativedelta(months=day.month % 3)
    months = {"month": 1, "quarter": 3, "half": 6}.get(grain)
    if months:
        return day.replace(month=day.month - (day.month - 1) % months, day=1)
    years = {"year": 1, "decade": 10, "century": 100}.get(grain)
    return day.replace(year=max(day.year - day.year % years, 1), month=1, day=1) if years else day


def unit(moment: datetime, grain: str, steps: int = 0, count: int = 1) -> Reading:
    """`count` calendar units, the first of them `steps` after the one that contains `moment`."""
    start = floor(moment, grain) + STEPS[grain] * steps
    width = relativedelta(days=2) if grain == "weekend" else STEPS[grain]
    return Reading(start, start + STEPS[grain] * (count - 1) + width, grain)


def day(moment: datetime, days: int = 0) -> Reading:
    """The day `days` after the one of `moment`."""
    return unit(moment, "day", days)


def weekday_after(moment: datetime, weekday: int, nth: int = 1) -> Reading:
    """The `nth` such weekday strictly after the day of `moment`; Monday is 0. A negative `nth` counts backwards."""
    ahead = (weekday - moment.weekday() - 1) % 7 + 1
    back = (moment.weekday() - weekday - 1) % 7 + 1
    return day(moment, ahead + 7 * (nth - 1) if nth > 0 else -back - 7 * (-nth - 1))


def part(whole: Reading, which: Part) -> Reading:
    """The first, middle or last third of a stretch: ten days of a month, two of a week, four months of a year."""
    months = round((whole.end - whole.start) / timedelta(days=30.44))
    if months >= 3:
        third = relativedelta(months=months // 3)
    else:
        third = relativedelta(days=10 if months else max(1, (whole.end - whole.start).days // 3))
    first = whole.start + third
    last = min(first + third, whole.end - STEPS["day"])
    bounds = {"start": (whole.start, first), "middle": (first, last), "end": (last, whole.end)}
    start, end = bounds[which]
    if start >= end:
        raise ValueError(f"a {whole.grain} of so few days has no {which}")
    return Reading(start, end, whole.grain, whole.cycle)


def easter(year: int) -> tuple[int, int]:
    """Month and day of Western Easter (dateutil's implementation of Oudin's algorithm)."""
    from dateutil.easter import easter as sunday

    date = sunday(year)
    return date.month, date.day


def orthodox_easter(year: int) -> tuple[int, int]:
    """Month and day of Orthodox Easter, in the calendar of today."""
    from dateutil.easter import EASTER_ORTHODOX
    from dateutil.easter import easter as sunday

    date = sunday(year, method=EASTER_ORTHODOX)
    return date.month, date.day
