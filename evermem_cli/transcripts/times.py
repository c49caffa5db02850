"""The time of each message, from the transcript if it states one, else by a reasonable assumption."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo

from dateutil import parser

from evermem_cli.memory import TimeSource
from evermem_cli.transcripts.options import DateOrder

Stamp = str | int | float | timedelta  # a duration counts from the start of the transcript's day
Sent = tuple[datetime, TimeSource]

SPACING = timedelta(minutes=1)  # between messages of which only the day is known, to keep their order
BACKWARDS = timedelta(hours=1)  # a clock that goes back by more has passed midnight; less is disorder
YEARS = range(1900, 3000)  # outside these years a number is not a date
EPOCHS = (1e8, 32503680000)  # seconds from 1973 to the year 3000; other numbers are not times
MILLISECONDS, MICROSECONDS = 1e11, 1e14  # epoch values above these are in that unit

CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\.?)?"
ZONE = r"(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?"
DAY = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}"
STAMP = rf"(?:{DAY}(?:(?:T|,? ){CLOCK}{ZONE})?|{CLOCK}{ZONE})"

_CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d+)?)? ?(?:([AaPp])\.?[Mm]\.?)?")
_DAY = re.compile(rf"(?<!\d){DAY}(?!\d)")
_STAMP = re.compile(rf"({DAY})(?:(?:T|,? )({CLOCK})({ZONE}))?")
# A day or minute in digits, and a week or a day of it (ISO 8601), as names of notes have them.
_NAMED = re.compile(r"(?<!\d)(?:\d{4}-?W\d\d(?:-?\d)?|\d{14}|\d{12}|\d{8})(?!\d)")
_MINUTE = "%Y%m%d%H%M%S"
_NUMBER = re.compile(r"-?\d+(?:\.\d*)?")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_FROM_UTC = re.compile(r"\(?\b(?:UTC|GMT) ?([+-])(\d{1,2})(?::?(\d\d))?\b\)?")  # "(UTC+8)", "GMT-3:30"
_ASIDE = re.compile(r"\([^)]*\)| on ")
_AMBIGUOUS = re.compile(r"(?<!\d)(\d{1,2})[./-](\d{1,2})[./-]\d{4}(?!\d)")


class AmbiguousDateError(ValueError):
    """A date like 03/06/2024, of which nobody has said whether the day or the month stands first."""


def find_day(text: str) -> date | None:
    """The first valid date like 2026-02-14 or 2026/2/14 in `text`."""
    for stated in _DAY.findall(text):
        with suppress(ValueError):
            day = _day(stated)
            if day.year in YEARS:
                return day
    return None


def named_stamp(name: str) -> str | None:
    """The first date in the name of a file, in ISO 8601, with the time where it has one.

    It is like 2026-02-14, 20260214, 202602141030 or 2026-W07, which stands for the Monday of that week.
    """
    if day := find_day(name):
        return day.isoformat()
    for stated in _NAMED.findall(name):
        with suppress(ValueError):
            moment = _of_digits(stated) if len(stated) >= 12 and stated.isdigit() else date.fromisoformat(stated)
            if moment.year in YEARS:
                return moment.isoformat()
    return None


def named_day(name: str) -> date | None:
    """The day of `named_stamp`."""
    stamp = named_stamp(name)
    return datetime.fromisoformat(stamp).date() if stamp else None


def _of_digits(stated: str) -> datetime:
    return datetime.strptime(stated, _MINUTE[: len(stated) - 2])


def day_like(text: str) -> str:
    """What in `text` has the form of 2026-02-14, whether there is such a day or not; "" if nothing has."""
    return next(iter(_DAY.findall(text)), "")


def is_day(text: str) -> bool:
    """Whether `text` is nothing but a valid date like 2026-02-14, and marks."""
    return find_day(text) is not None and not any(map(str.isalnum, text.replace(day_like(text), "", 1)))


def is_undated(stamp: Stamp | None) -> bool:
    """Whether `stamp` states no day."""
    return stamp is None or isinstance(stamp, timedelta) or (isinstance(stamp, str) and bool(_CLOCK.fullmatch(stamp)))


class StampReader:
    """Reads the stamps of one conversation in order. `day` is the date of times without one."""

    def __init__(self, zone: tzinfo, day: date, order: DateOrder | None = None) -> None:
        self._zone = zone
        self._day = day
        self.start = datetime.combine(day, time(), zone)
        self._order = order
        self._last: datetime | None = None

    def sent(self, stamp: Stamp) -> Sent:
        """The aware time of `stamp`, and whether a part was assumed. Raises ValueError if it is not a time."""
        moment, source = self._read(stamp)
        if moment.year not in YEARS:
            raise ValueError(f"no plausible date: {stamp}")
        self._last, self._day = moment, moment.date()
        return moment, source

    def _read(self, stamp: Stamp) -> Sent:
        if isinstance(stamp, timedelta):
            return self.start + stamp, TimeSource.UNKNOWN
        if isinstance(stamp, bool) or not isinstance(stamp, str | int | float):
            raise ValueError(f"not understood as a date: {stamp}")
        if not isinstance(stamp, str):
            return _epoch(stamp, self._zone), TimeSource.EXPLICIT
        stamp = stamp.strip()
        if len(stamp) != 8 and _NUMBER.fullmatch(stamp):
            return _epoch(float(stamp), self._zone), TimeSource.EXPLICIT
        if _CLOCK.fullmatch(stamp):
            return self._on_the_day(_clock(stamp)), TimeSource.UNKNOWN
        moment = _moment(stamp, self._order)
        if not isinstance(moment, datetime):
            return self._spaced(moment), TimeSource.UNKNOWN
        if moment.tzinfo is None:
            return moment.replace(tzinfo=self._zone), TimeSource.ASSUMED
        return moment, TimeSource.EXPLICIT

    def _spaced(self, day: date) -> datetime:
        """Midnight of `day`, or a little after the previous message of that day."""
        if self._last and self._last.date() == day:
            later = self._last + SPACING
            return later if later.date() == day else self._last
        return datetime.combine(day, time(), self._zone)

    def _on_the_day(self, clock: time) -> datetime:
        moment = datetime.combine(self._day, clock, self._zone)
        if self._last and moment < self._last - BACKWARDS:
            moment += timedelta(days=1)
        return moment


def fill(stamps: Sequence[Stamp | None], timeline: StampReader, refused: Callable[[int, str], None]) -> list[Sent]:
    """A time for each message of a conversation. `refused` receives index and reason of each invalid stamp.

    A message without a time has that of the one before, the first ones that of the first known. If none is known, the
    messages are spread over the timeline's day from midnight, SPACING apart, or closer where there are many.
    """
    known: list[Sent | None] = []
    for index, stamp in enumerate(stamps):
        try:
            known.append(None if stamp is None else timeline.sent(stamp))
        except (ValueError, OverflowError) as error:
            refused(index, str(error))
            known.append(None)
    first = next((sent for sent in known if sent), None)
    if first is None:
        spacing = min(SPACING, timedelta(days=1) / max(1, len(known)))
        return [(timeline.start + index * spacing, TimeSource.UNKNOWN) for index in range(len(known))]
    filled, last = [], first[0]
    for sent in known:
        filled.append(sent or (last, TimeSource.UNKNOWN))
        last = filled[-1][0]
    return filled


def _epoch(number: float, zone: tzinfo) -> datetime:
    """Seconds, milliseconds or microseconds since 1970, on the clock of `zone`."""
    seconds = number / (1e6 if number > MICROSECONDS else 1e3 if number > MILLISECONDS else 1)
    if not EPOCHS[0] <= seconds < EPOCHS[1]:
        raise ValueError(f"no plausible date: {number}")
    return datetime.fromtimestamp(seconds, zone)


def _moment(stamp: str, order: DateOrder | None) -> date:
    """The time, or the day of a date without a time."""
    if _DAY.fullmatch(stamp) or (len(stamp) == 8 and stamp.isdigit()):
        return _day(stamp)
    try:
        return datetime.fromisoformat(stamp)
    except ValueError:
        match = _STAMP.fullmatch(stamp)
    if not match:
        return _free(stamp, order)
    return datetime.combine(_day(match[1]), _clock(match[2] or "0:00"), _offset((match[3] or "").strip()))


def _day(stamp: str) -> date:
    if stamp.isdigit() and len(stamp) == 8:
        return date.fromisoformat(stamp)
    parts = re.split("[-/.]", stamp)
    if len(parts) != 3 or len(parts[0]) != 4:
        raise ValueError(f"not understood as a date: {stamp}")
    try:
        return date(*map(int, parts))
    except ValueError as error:
        raise ValueError(f"no such date: {stamp}") from error


def _clock(stamp: str) -> time:
    match = _CLOCK.fullmatch(stamp)
    assert match is not None
    hour, half = int(match[1]), (match[4] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            raise ValueError(f"no such time: {stamp}")
        hour = hour % 12 + (12 if half == "p" else 0)
    try:
        return time(hour, int(match[2]), int(match[3] or 0))
    except ValueError as error:
        raise ValueError(f"no such time: {stamp}") from error


def _offset(stamp: str) -> tzinfo | None:
    if not stamp:
        return None
    if stamp[0] not in "+-":
        return UTC
    minutes = int(stamp[1:3]) * 60 + int(stamp[-2:])
    return timezone(timedelta(minutes=minutes if stamp[0] == "+" else -minutes))


def _offsets(name: str | None, offset: int | None) -> int | None:
    """Zones by their offset only, since names such as "IST" are ambiguous."""
    return offset


def _free(stamp: str, order: DateOrder | None) -> date:
    """A date in words, as "1:56 pm on 8 May, 2023"; a day if it has no time.

    03/06/2024, which differs between countries, is read in `order`.
    """
    if not _YEAR.search(stamp):
        raise ValueError(f"not understood as a date: {stamp}")
    numeric = _AMBIGUOUS.search(stamp)
    if numeric and order is None and numeric[1] != numeric[2] and max(int(numeric[1]), int(numeric[2])) <= 12:
        raise AmbiguousDateError(f"day or month first is not known, --date-order says it: {stamp}")
    # dateutil reads "UTC+8" as POSIX does, west of Greenwich
    words = _ASIDE.sub(" ", _FROM_UTC.sub(lambda zone: f"{zone[1]}{zone[2]:0>2}:{zone[3] or '00'}", stamp))
    readings = []
    for default in (datetime(2000, 1, 1), datetime(2001, 2, 2, 2)):  # parts that differ were not stated
        try:
            readings.append(parser.parse(words, default=default, dayfirst=order is DateOrder.DMY, tzinfos=_offsets))
        except (ValueError, ArithmeticError, TypeError) as error:
            raise ValueError(f"not understood as a date: {stamp}") from error
    readings[0].utcoffset()  # raises ValueError for an offset of more than a day
    if readings[0].date() != readings[1].date():
        raise ValueError(f"not a full date: {stamp}")
    return readings[0] if readings[0] == readings[1] else readings[0].date()
