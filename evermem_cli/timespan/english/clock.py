"""The English grammar of the time of day."""

from dataclasses import replace
from datetime import timedelta

from evermem_cli.timespan import composed
from evermem_cli.timespan.grammar import Rule
from evermem_cli.timespan.interval import STEPS, Reading, day
from evermem_cli.timespan.named import Reference, choose

Clock = tuple[int, int, int, str]  # hour, minute, second, grain


def _half(hour: int, afternoon: bool) -> int:
    """The hour of 24 for an hour of 12."""
    if not 0 <= hour <= 24:
        raise ValueError(f"no hour {hour}")
    if afternoon:
        return hour + 12 if hour < 12 else hour
    return 0 if hour == 12 else hour


def _hour(number: int, afternoon: bool = False) -> Clock:
    return _half(number, afternoon), 0, 0, "hour"


def _minutes(number: int, minute: int, afternoon: bool = False) -> Clock:
    if not 0 <= minute < 60:
        raise ValueError(f"no minute {minute}")
    return _half(number, afternoon), minute, 0, "minute"


def _told(hms: tuple[int, int, int], afternoon: bool | None = None) -> Clock:
    hour = hms[0] if afternoon is None else _half(hms[0], afternoon)
    return hour, hms[1], hms[2], "second" if hms[2] else "minute"


def _is_pm(marker: str) -> bool:
    return marker == "pm"


def _on(time: Clock, found: Reading) -> Reading | None:
    return composed.clock(found, time)


def _evening(time: Clock, bounds: tuple[int, int]) -> Clock:
    """Eight in the evening: the hour that lies in that part of the day."""
    hour = time[0]
    return (hour + 12, *time[1:]) if hour < 12 and bounds[0] >= 12 else time


def _next(ref: Reference, time: Clock) -> Reading | None:
    """A time of day alone: the next one, or the last one if the tense is past."""
    today = composed.clock(day(ref.at), time)
    return today and choose(ref, replace(today, cycle=STEPS["day"]))


def _from(ref: Reference, number: int, time: Clock) -> Reading | None:
    """2-3pm, 10 to 4 pm: the first hour lies before the second, in the same half of the day if it can."""
    last = _next(ref, time)
    first = _half(number, time[0] >= 12)
    hours = (time[0] - first) % 12
    return last and Reading(last.start - timedelta(hours=hours), last.start, "hour", last.cycle)


CLOCKS: list[Rule] = [
    ("HHMM", lambda ref, hms: _told(hms)),
    ("HHMM am|a", lambda ref, hms: _told(hms, False)),
    ("HHMM pm|p", lambda ref, hms: _told(hms, True)),
    ("HHMM AMPM", lambda ref, hms, half: _told(hms, _is_pm(half))),
    ("NUM am", lambda ref, number: _hour(number)),
    ("NUM pm", lambda ref, number: _hour(number, True)),
    ("NUM AMPM", lambda ref, number, half: _hour(number, _is_pm(half))),
    ("NUM NUM am", lambda ref, number, minute: _minutes(number, minute)),
    ("NUM NUM pm", lambda ref, number, minute: _minutes(number, minute, True)),
    ("NUM o'clock|oclock", lambda ref, number: _hour(number)),
    ("NUM o'clock|oclock? in the DAYPART", lambda ref, number, bounds: _evening(_hour(number), bounds)),
    ("half past NUM", lambda ref, number: _minutes(number, 30)),
    ("a? quarter past NUM", lambda ref, number: _minutes(number, 15)),
    ("noon|midday", lambda ref: (12, 0, 0, "hour")),
    ("midnight", lambda ref: (24, 0, 0, "hour")),
]
TIMES: list[Rule] = [
    ("at|@? CLOCK on? TIME", lambda ref, time, found: _on(time, found)),
    ("at|@ CLOCK", _next),
    ("CLOCK", _next),
    ("from|between? NUM -|–|to|and|till|until CLOCK", _from),
]
