"""Times of day, on a day or on a part of one."""

from datetime import timedelta

from evermem_cli.timespan.interval import STEPS, Part, Reading, day, midnight
from evermem_cli.timespan.named import Reference

Clock = tuple[int, int, int, str]  # hour, minute, second, grain
Hours = tuple[int, int]  # the first hour of a part of a day, and the hour after its last

MORNING: Hours = (4, 12)


def part_of_day(reading: Reading, bounds: Hours) -> Reading | None:
    """The morning of a day."""
    if reading.grain != "day":
        return None
    return Reading(reading.start + timedelta(hours=bounds[0]), reading.start + timedelta(hours=bounds[1]), "hour")


def is_part_of_day(reading: Reading) -> bool:
    """Whether a time is of several hours."""
    return reading.grain == "hour" and reading.end - reading.start > timedelta(hours=1)


def clock(reading: Reading, time: Clock) -> Reading | None:
    """A time of day on a day: hour, minute, second and its grain."""
    hour, minute, second, grain = time
    if is_part_of_day(reading):  # "tomorrow evening", then "at eight"
        hour += 12 if hour < 12 <= reading.start.hour else 0
    elif reading.grain != "day":
        return None
    start = midnight(reading.start) + timedelta(hours=hour, minutes=minute, seconds=second)
    return Reading(start, start + STEPS[grain], grain)


def between(_: Reference, reading: Reading, first: Clock, last: Clock) -> Reading | None:
    """Tomorrow from 9 am to 5 pm."""
    start, end = clock(reading, first), clock(reading, last)
    return Reading(start.start, end.start, "hour") if start and end and start.start < end.start else None


def morning(reading: Reading) -> Reading | None:
    """First thing on Monday, or on Monday morning."""
    return part_of_day(day(reading.start), MORNING) if reading.grain in {"day", "hour"} else None


def beside(reading: Reading, bounds: Hours, steps: int) -> Reading | None:
    """The night before Halloween, the morning after the party on the 20th."""
    return part_of_day(day(reading.start, steps), bounds) if reading.grain == "day" else None


def half_of_hours(whole: Reading, which: Part) -> Reading | None:
    """Late on Friday night: the last hours of it, half of all; "mid-morning" is left whole."""
    if not is_part_of_day(whole):
        return None
    half = timedelta(hours=(whole.end - whole.start) // timedelta(hours=2))
    bounds = {"start": (whole.start, whole.start + half), "end": (whole.end - half, whole.end)}
    start, end = bounds.get(which, (whole.start, whole.end))
    return Reading(start, end, "hour")


def half_of_part(reading: Reading, bounds: Hours, which: Part) -> Reading | None:
    """Tomorrow late afternoon."""
    part = part_of_day(reading, bounds)
    return part and half_of_hours(part, which)
