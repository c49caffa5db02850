"""Resolves words about time and a reference time into intervals of local time, in English and Chinese."""

from datetime import datetime

from dateutil.relativedelta import relativedelta

from evermem_cli.timespan import scanner
from evermem_cli.timespan.interval import Interval, Span, in_calendar, lasting, stated_time
from evermem_cli.timespan.validity import Length, gone_on, lengths, validity
from evermem_cli.timespan.written import written_date

__all__ = ["Interval", "Length", "Span", "duration", "find", "lasted", "lengths", "resolve", "stated_time", "validity"]


def resolve(phrase: str, at: datetime) -> Interval | None:
    """The meaning of a time phrase on its own, said at `at` (aware, the speaker's local time).

    A duration ("for ten days") begins at `at`. None means not understood; nothing is guessed.
    """
    reading = scanner.resolve(phrase, at)
    if reading is not None:
        return in_calendar(reading.interval)
    length = scanner.length(phrase, at)
    return in_calendar(lasting(at, length.delta, length.unit) if length else written_date(phrase, at))


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
