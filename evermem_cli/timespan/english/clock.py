"""The English grammar of the time of day."""

from dataclasses import replace
from datetime import timedelta, timezone

from dateutil.relativedelta import relativedelta

from evermem_cli.timespan import hours
from evermem_cli.timespan.english.doubt import bare
from evermem_cli.timespan.grammar import Rule
from evermem_cli.timespan.hours import Clock, is_part_of_day
from evermem_cli.timespan.interval import STEPS, SUB_DAY, Reading, day
from evermem_cli.timespan.named import Reference, choose

_HALF_DAY = relativedelta(hours=12)


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


def _time_of_day(hms: tuple[int, int, int], afternoon: bool | None = None) -> Clock:
    hour = hms[0] if afternoon is None else _half(hms[0], afternoon)
    return hour, hms[1], hms[2], "second" if hms[2] else "minute"


def _hour_of(_: Reference, number: int, afternoon: bool) -> Clock:
    return _hour(number, afternoon)


def _on(time: Clock, reading: Reading) -> Reading | None:
    return hours.clock(reading, time)


def _evening(time: Clock, bounds: tuple[int, int]) -> Clock:
    """Eight in the evening: the hour in that part of the day."""
    hour = time[0]
    return (hour + 12, *time[1:]) if hour < 12 and bounds[0] >= 12 else time


def _next(ref: Reference, time: Clock) -> Reading | None:
    """A time of day alone: the next one, or the last one if the tense is past."""
    today = hours.clock(day(ref.at), time)
    return today and choose(ref, replace(today, cycle=STEPS["day"]))


def _nearest(ref: Reference, time: Clock) -> Reading | None:
    """A time of day without its half of the day: the next one, or the last one if the tense is past."""
    today = hours.clock(day(ref.at), (time[0] % 12, *time[1:]))
    return today and choose(ref, replace(today, cycle=_HALF_DAY))


def _hhmm(ref: Reference, hms: tuple[int, int, int], is_told: bool) -> Reading | None:
    """Half past five as "5:30": the nearest one in the future; in the past it is as written."""
    time = _time_of_day(hms)
    return _next(ref, time) if is_told or ref.direction < 0 else _nearest(ref, time)


def _at_night(hour: int) -> Clock | None:
    """Eleven at night, two at night."""
    return _hour(hour, hour > 5) if 1 <= hour <= 11 else None


def _told(hour: int, minute: int, afternoon: bool = False) -> Clock:
    """Five thirty: two numbers; "4-6 pm" is a range."""
    if minute < 10:
        raise ValueError(f"no minute {minute} without a zero")
    return _minutes(hour, minute, afternoon)


def _in_words(ref: Reference, hour: int, minute: int) -> Reading | None:
    """Five thirty, alone."""
    return _nearest(ref, _told(hour, minute)) if 1 <= hour <= 12 else None


def _to(ref: Reference, minute: int, hour: int) -> Reading | None:
    """Ten to eight, by the minutes that people count so."""
    is_counted = minute in {5, 10, 20, 25} and 1 <= hour <= 12
    return _nearest(ref, _moved(_hour(hour), -minute)) if is_counted else None


def _bare_hour(ref: Reference, hour: int) -> Reading | None:
    """At five: the nearest one."""
    return _nearest(ref, _hour(hour)) if 1 <= hour <= 12 else None


def _by_day(time: Clock) -> Clock:
    """Half past three on a day: in the afternoon, as few mean the night."""
    return (time[0] + 12, time[1], time[2], time[3]) if 1 <= time[0] <= 5 else time


def _working(hour: int) -> Clock | None:
    """Three o'clock on a day: in the afternoon, as few mean the night. From six to eleven it may be either half."""
    return (_half(hour, True), 0, 0, "hour") if hour in {12, 1, 2, 3, 4, 5} else None


def _on_day(hour: int, span: Reading) -> Reading | None:
    """Nine tomorrow evening, tomorrow at three."""
    time = _working(hour) if span.grain == "day" else None
    return _on(time, span) if time else _within(hour, 0, span)


def _hours_on_day(ref: Reference, first: int, last: int, span: Reading) -> Reading | None:
    """From nine to five tomorrow: a morning and the afternoon after it, or both in the afternoon."""
    begins, ends = _working(first), _working(last)
    if span.grain != "day" or ends is None or not 1 <= first <= 12:
        return None
    return hours.between(ref, span, begins or _hour(first), ends)


def _stretch(_: Reference, first: tuple[int, ...], last: tuple[int, ...], span: Reading) -> Reading | None:
    """From 9:30 to 11 on a day, from 7 to 8:30 tonight: hours and minutes.

    The last is within half a day of the first, unless one of them has an hour of 24.
    """
    hour, minute = first[:2]
    most = 12 * 60 if max(hour, last[0]) <= 12 else 24 * 60
    begin = _on(_by_day((hour, minute, 0, "minute")), span) if span.grain == "day" else _within(hour, minute, span)
    length = (60 * (last[0] - hour) + last[1] - minute) % most
    return Reading(begin.start, begin.start + timedelta(minutes=length), "hour") if begin and length else None


def _moved(time: Clock, minutes: int) -> Clock:
    """So many minutes after a full hour; negative `minutes` are before it."""
    if not -60 < minutes < 60:
        raise ValueError(f"no {minutes} minutes past or to an hour")
    total = (time[0] * 60 + minutes) % (24 * 60)
    return total // 60, total % 60, 0, "minute"


def _within(number: int, minute: int, reading: Reading) -> Reading | None:
    """Nine tomorrow evening: the hour of that part of the day."""
    if not is_part_of_day(reading) or not 1 <= number <= 12:
        return None
    hour = number % 12 + (12 if reading.start.hour >= 12 else 0)
    return hours.clock(day(reading.start), (hour, minute, 0, "minute" if minute else "hour"))


def _in_zone(reading: Reading | None, minutes: int) -> Reading | None:
    """Eight o'clock GMT, in the speaker's zone."""
    if reading is None or reading.grain not in SUB_DAY:
        return None
    elsewhere = timezone(timedelta(minutes=minutes))
    zone = reading.start.tzinfo
    start, end = (edge.replace(tzinfo=elsewhere).astimezone(zone) for edge in (reading.start, reading.end))
    return replace(reading, start=start, end=end)


def _from(ref: Reference, number: int, time: Clock) -> Reading | None:
    """2-3pm, 10 to 4 pm: the first hour precedes the second, in the same half of the day if possible."""
    return _until(number, time, _next(ref, time))


def _from_on(_: Reference, span: Reading, number: int, time: Clock) -> Reading | None:
    """Tomorrow 9-11am."""
    return _until(number, time, _on(time, span))


def _until(number: int, time: Clock, last: Reading | None) -> Reading | None:
    if last is None or not 1 <= number <= 12:
        return None
    before = (time[0] - _half(number, time[0] >= 12)) % 12
    return Reading(last.start - timedelta(hours=before), last.start, "hour", last.cycle)


# An hour with its half of the day, and one without.
HOURS: list[Rule] = [
    ("NUM AMPM", _hour_of),
    ("noon|midday", lambda ref: (12, 0, 0, "hour")),
    ("midnight", lambda ref: (24, 0, 0, "hour")),
    ("NUM noon|midday", lambda ref, number: (12, 0, 0, "hour") if number == 12 else None),
    ("NUM midnight", lambda ref, number: (24, 0, 0, "hour") if number == 12 else None),
    ("NUM o'clock? at night", lambda ref, number: _at_night(number)),
]
TWELVE: list[Rule] = [
    ("NUM o'clock|oclock", lambda ref, number: _hour(number)),
    ("half past NUM", lambda ref, number: _minutes(number, 30)),
    ("a? quarter past|after NUM", lambda ref, number: _minutes(number, 15)),
    ("a? quarter to|till|before NUM", lambda ref, number: _moved(_hour(number), -15)),
    ("NUM past NUM", lambda ref, minute, number: _moved(_hour(number), minute)),
    ("NUM minutes|min|mins past|after NUM", lambda ref, minute, number: _moved(_hour(number), minute)),
    ("NUM minutes|min|mins to|till|before NUM", lambda ref, minute, number: _moved(_hour(number), -minute)),
    ("NUM -? zero|oh -? NUM", lambda ref, number, minute: _minutes(number, minute) if minute < 10 else None),
]
CLOCKS: list[Rule] = [
    ("HHMM", lambda ref, hms: _time_of_day(hms)),
    ("HHMM a", lambda ref, hms: _time_of_day(hms, False)),
    ("HHMM p", lambda ref, hms: _time_of_day(hms, True)),
    ("HHMM AMPM", lambda ref, hms, half: _time_of_day(hms, half)),
    ("DOTTED AMPM", lambda ref, hms, half: _time_of_day(hms, half)),
    ("HHMM o'clock", lambda ref, hms: _time_of_day(hms)),
    ("HOUR", lambda ref, time: time),
    ("TWELVE", lambda ref, time: time),
    ("TWELVE AMPM", lambda ref, time, half: (_half(time[0], half), *time[1:])),
    ("TWELVE in the DAYPART", lambda ref, time, bounds: _evening(time, bounds)),
    ("NUM NUM AMPM", lambda ref, number, minute, half: _told(number, minute, half)),
    ("SPELLED - SPELLED AMPM", lambda ref, number, minute, half: _told(number, minute, half)),
    ("NUM in the DAYPART", lambda ref, number, bounds: _evening(_hour(number), bounds)),
    ("half NUM in the DAYPART", lambda ref, number, bounds: _evening(_minutes(number, 30), bounds)),
    ("NUM NUM in the DAYPART", lambda ref, number, minute, bounds: _evening(_told(number, minute), bounds)),
    ("SPELLED - SPELLED in the DAYPART", lambda ref, number, minute, bounds: _evening(_told(number, minute), bounds)),
    ("MILITARY in the DAYPART", lambda ref, time, bounds: _evening(_minutes(*time), bounds)),
    ("SPELLED hundred hours|hrs", lambda ref, number: _minutes(number, 0)),
    ("MILITARY hours|hrs", lambda ref, time: _minutes(*time)),
    ("half past HOUR", lambda ref, time: _moved(time, 30)),
    ("a? quarter past|after HOUR", lambda ref, time: _moved(time, 15)),
    ("a? quarter to|till|before HOUR", lambda ref, time: _moved(time, -15)),
    ("NUM minutes|min|mins? past|after HOUR", lambda ref, minute, time: _moved(time, minute)),
    ("NUM minutes|min|mins to|till|before HOUR", lambda ref, minute, time: _moved(time, -minute)),
    ("SPELLED to|till|before HOUR", lambda ref, minute, time: _moved(time, -minute)),
]
AFTER_CLOCK: list[Rule] = [
    ("sharp|exactly|precisely", lambda ref, time: time),
    ("on the dot", lambda ref, time: time),
]
TIMES: list[Rule] = [
    ("at|@? TWELVE ,|on? TIME", lambda ref, time, span: _on(_by_day(time), span)),
    ("at|@? ZEROED ,|on? TIME", lambda ref, hms, span: _on(_time_of_day(hms), span)),
    ("at|@? HHMM ,|on? TIME", lambda ref, hms, span: _on(_by_day(_time_of_day(hms)), span)),
    ("at|@? CLOCK ,|on? TIME", lambda ref, time, span: _on(time, span)),
    ("at|@? CLOCK ZONE ,|on? TIME", lambda ref, time, minutes, span: _in_zone(_on(time, span), minutes)),
    ("at|@? TWELVE", _nearest),
    ("at|@? ZEROED", lambda ref, hms: _hhmm(ref, hms, True)),
    ("at|@? HHMM", lambda ref, hms: _hhmm(ref, hms, hms[0] > 11)),
    ("at|@ CLOCK", _next),
    ("CLOCK", _next),
    ("at|@ NUM h", lambda ref, number: _next(ref, _minutes(number, 0))),
    ("at|@ MILITARY h", lambda ref, time: _next(ref, (*time, 0, "minute"))),
    ("at|@ half NUM", lambda ref, number: _nearest(ref, _minutes(number, 30))),
    ("at|@ NUM -? NUM", lambda ref, number, minute: _nearest(ref, _minutes(number, minute)) if minute > 9 else None),
    ("half NUM", bare(lambda ref, number: _nearest(ref, _minutes(number, 30)))),
    ("at|@ DOTTED", lambda ref, hms: _nearest(ref, _time_of_day(hms))),
    ("at|@ NUM", bare(_bare_hour)),
    ("ISH", bare(_bare_hour)),
    ("SPELLED -? SPELLED", bare(_in_words)),
    ("NUM to NUM", bare(_to)),
    ("at|@ MILITARYZERO", lambda ref, time: _next(ref, _minutes(*time))),
    ("from|between NUM to|and|till|until|- NUM on? TIME", _hours_on_day),
    (
        "from|between? NUM to|and|till|until|-|– HHMM ,|on? TIME",
        lambda ref, hour, hms, span: _stretch(ref, (hour, 0), hms, span),
    ),
    (
        "from|between? HHMM to|and|till|until|-|– NUM ,|on? TIME",
        lambda ref, hms, hour, span: _stretch(ref, hms, (hour, 0), span),
    ),
    ("at|@? NUM TIME", bare(lambda ref, number, span: _within(number, 0, span))),
    ("half NUM TIME", bare(lambda ref, number, span: _within(number, 30, span))),
    ("at|@ half NUM TIME", lambda ref, number, span: _within(number, 30, span)),
    ("at|@ NUM TIME", lambda ref, number, span: _within(number, 0, span)),
    ("from|between? NUM -|–|to|and|till|until CLOCK", _from),
]
# What may follow a day or a part of it.
ON_A_DAY: list[Rule] = [
    ("at|@|,? TWELVE", lambda ref, span, time: _on(_by_day(time), span)),
    ("at|@|,|t? ZEROED", lambda ref, span, hms: _on(_time_of_day(hms), span)),
    ("at|@|,? HHMM", lambda ref, span, hms: _on(_by_day(_time_of_day(hms)), span)),
    ("at|@|,|t? CLOCK", lambda ref, span, time: _on(time, span)),
    ("at|@ NUM h", lambda ref, span, number: _on(_minutes(number, 0), span)),
    ("at|@|,? MILITARY h", lambda ref, span, time: _on((*time, 0, "minute"), span)),
    ("at|@ NUM", lambda ref, span, number: _on_day(number, span)),
    (",? at|@|around|about|say DOTTED", lambda ref, span, hms: _on(_time_of_day(hms), span)),
    (",? around|about|approximately|say CLOCK", lambda ref, span, time: _on(time, span)),
    ("from|between NUM to|and|till|until|- NUM", lambda ref, span, first, last: _hours_on_day(ref, first, last, span)),
    ("from|between? NUM -|–|to|and|till|until CLOCK", _from_on),
    ("at|@ NUM -? NUM", lambda ref, span, number, minute: _within(number, minute, span) if minute > 9 else None),
    ("at|@ half NUM", lambda ref, span, number: _within(number, 30, span)),
    ("ZONE", lambda ref, span, minutes: _in_zone(span, minutes)),
]
