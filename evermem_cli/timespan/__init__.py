"""Resolves words about time and a reference time into intervals of local time, in English and Chinese."""

from datetime import datetime

from dateutil.relativedelta import relativedelta

from evermem_cli.timespan import scanner
from evermem_cli.timespan.interval import STEPS, Interval, Reading, Span, in_calendar, lasting, stated_time
from evermem_cli.timespan.validity import Length, gone_on, lengths, validity
from evermem_cli.timespan.written import written_date

__all__ = ["Interval", "Length", "Span", "duration", "find", "lasted", "lengths", "resolve", "stated_time", "validity"]


def resolve(phrase: str, at: datetime, *, begun: bool = False) -> Interval | None:
    """The meaning of a time phrase on its own, said at `at` (aware, the speaker's local time).

    A bare "Friday" or "May" is the next one, and a duration ("for ten days") begins at `at`. With `begun` it is the
    last one that has begun, and a duration ends at `at`. None means not understood; nothing is guessed.
    """
    reading = (_last_begun(phrase, at) if begun else None) or scanner.resolve(phrase, at)
    if reading is not None:
        return in_calendar(reading.interval)
    length = scanner.length(phrase, at)
    if length is None:
        return in_calendar(written_date(phrase, at, begun=begun))
    return in_calendar(gone_on(at, length) if begun else lasting(at, length.delta, length.unit))


def _last_begun(phrase: str, at: datetime) -> Reading | None:
    """The last time of that name that has begun, today's included; in the past tense a weekday is never today."""
    reading, week = scanner.resolve(phrase, at, -1), STEPS["week"]
    if reading and reading.cycle == week and (later := reading.moved(week)).start <= at:
        return later
    return reading


def find(text: str, at: datetime, *, ahead: bool = False) -> list[Span]:
    """The time phrases of a chat message said at `at` (aware, the speaker's local time), in order, not overlapping.

    A bare "Friday" or "May 3" follows the tense of its sentence; in a text that is known to be `ahead`, it is the next
    one. Durations ("for ten days") and recurring times ("every Friday") name no particular time and are left out.
    """
    return [span for span in scanner.find(text, at, ahead=ahead) if in_calendar(span.interval)]


def duration(phrase: str) -> relativedelta | None:
    """The duration in a phrase: "two weeks", "for ten days", "a ten-day course", "十天"."""
    length = scanner.any_length(phrase)
    return length.delta if length else None


def lasted(phrase: str, at: datetime) -> Interval | None:
    """The time since something began that has lasted as long as the phrase says at `at`: "two weeks"."""
    length = scanner.any_length(phrase)
    return in_calendar(gone_on(at, length)) if length else None
