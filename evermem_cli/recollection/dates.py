"""Dates in words, and messages with the dates of their time phrases: "yesterday [6 May 2023]"."""

import re
from datetime import date, datetime, timedelta

from evermem_cli import timespan
from evermem_cli.formation.pieces import sentences
from evermem_cli.languages.language import language
from evermem_cli.memory import CalendarTime, Time, wall
from evermem_cli.timespan import Interval, Span
from evermem_cli.timespan.interval import STEPS, floor

STATES_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
# "16 to 20 May", "May 5-9"; not "3 to 4 days ago".
STATES_RANGE = re.compile(
    r"(?=.*[A-Z][a-z]{2}).*\b\d{1,2}(?:st|nd|rd|th)?(?: [A-Z][a-z]+)?\s?(?:to|until|till|through|[-–])\s?"
    r"(?:[A-Z][a-z]+ )?(?:the )?\d{1,2}"
)
DAY, WEEK = timedelta(days=1), timedelta(days=7)
SATURDAY = 5
_WEEKDAYS_ZH = ("周一", "周二", "周三", "周四", "周五", "周六", "周日")
_SEASONS = {12: ("winter", "冬天"), 3: ("spring", "春天"), 6: ("summer", "夏天"), 9: ("autumn", "秋天")}
_YEARS = ("year", "decade", "century")
CLOCK_ALONE = re.compile(r"(?:at )?\d{1,2}[:.]\d\d(?: ?[ap]\.?m\.?)?", re.IGNORECASE)  # on a day that others mention
NAMES_WEEKDAY = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.IGNORECASE)
_RANGE = re.compile(r"\d(?: \w+)?(?: \d{4})? to \d")  # "16 to 20 May 2025"

Days = tuple[date, date]


def local_days(interval: Interval) -> Days:
    """The days of an interval, half-open. An open end is the first or the last possible day."""
    start = interval.start.date() if interval.start else date.min
    if interval.end is None:
        return start, date.max
    last: datetime = interval.end - timedelta(microseconds=1)
    return start, last.date() + timedelta(days=1)


def days_named(text: str, now: datetime) -> Days | None:
    """The days that an answer names: "the week before 23 August 2023"; None where it names none or an open time.

    A time of several days ("16 to 20 May 2025") counts from its first.
    """
    phrases = timespan.find(text, now)
    named = timespan.resolve(text.strip(" ."), now) or next((span.interval for span in phrases), None)
    if named is None or named.start is None or named.end is None:
        return None
    first, after = local_days(named)
    return first, first + timedelta(days=1) if _RANGE.search(text) else after


def dated(text: str, at: datetime) -> str:
    """A message said at `at` (aware, the speaker's local time) with a date in brackets after each phrase without one.

    A continuing duration ("I have been painting for seven years") gets the time since when it continues.
    """
    spans = [span for span in timespan.find(text, at) if not CLOCK_ALONE.fullmatch(span.text)]
    for span in reversed(spans):
        if not STATES_YEAR.search(span.text) and (date_text := _meant(span, at, language(text))):
            weekday = f"{span.interval.start:%A} " if NAMES_WEEKDAY.search(span.text) and date_text[0].isdigit() else ""
            text = f"{text[: span.end_offset]} [{weekday}{date_text}]{text[span.end_offset :]}"
    return text if spans else _since(text, at)


def _meant(span: Span, at: datetime, tongue: str) -> str:
    start, end = span.interval.start, span.interval.end
    if tongue == "en" and start and end and STATES_RANGE.match(span.text) and end - start > DAY:
        return _from_to(start, end - DAY)
    return date_of(span.interval, at, tongue)


def day(moment: datetime, tongue: str = "en") -> str:
    """A day in words."""
    return f"{moment.year}年{moment.month}月{moment.day}日" if tongue == "zh" else f"{moment.day} {moment:%B %Y}"


def since_when(time: Time, tongue: str = "en") -> str:
    """A time as stated: "the week of 4 May 2026", "May 2026"; the day of a moment, in the asker's zone."""
    if isinstance(time, datetime) or time.grain == "day":
        return day(wall(time), tongue)
    first, grain = time.wall, time.grain
    if grain in ("week", "weekend"):
        whole = "那周" if grain == "week" else "那个周末"
        return f"{day(first, tongue)}{whole}" if tongue == "zh" else f"the {grain} of {day(first)}"
    if floor(first, grain) != first:  # counted back from a day: "for two seasons"
        return _year(first, tongue) if grain in _YEARS else _months(first, first, tongue)
    if grain == "season":
        name, zh = _SEASONS[first.month]
        return f"{first.year}年{zh}" if tongue == "zh" else f"{name} {first.year}"
    if grain in ("decade", "century"):
        return f"{first.year}年代" if tongue == "zh" else f"the {first.year}s"
    return _year(first, tongue) if grain == "year" else _months(first, first + STEPS[grain] - DAY, tongue)


def days_of(interval: Interval, tongue: str) -> str:
    """The day or days of a bounded interval, a single one with its weekday: "Friday 13 June 2025"."""
    start, end = interval.start, interval.end
    if start is None or end is None:
        return ""
    last = end - timedelta(microseconds=1)
    if start.date() == last.date():
        return f"{day(start, tongue)}{_WEEKDAYS_ZH[start.weekday()]}" if tongue == "zh" else f"{start:%A} {day(start)}"
    return f"{day(start, tongue)}到{day(last, tongue)}" if tongue == "zh" else _from_to(start, last)


def date_of(interval: Interval, at: datetime, tongue: str) -> str:
    """An interval in words that mean the same on any day; "" where it is open or too long to be useful.

    Anything but a single day, month or year is described relative to the day `at`: "the week before 23 August 2023" is
    what people say, and claims no more than they know.
    """
    start, end = interval.start, interval.end
    if start is None or end is None or interval.grain in ("decade", "century"):
        return ""
    if end - start <= DAY or interval.grain in ("second", "minute", "hour"):
        return day(start, tongue)
    if interval.grain in ("day", "week", "weekend"):
        return _some_days(start, end, at, tongue)
    if interval.grain == "season" and start.year == end.year:  # "winter 2022" would be ambiguous
        return since_when(CalendarTime(wall(start), "season"), tongue)
    if interval.grain == "year":
        return _year(start, tongue)
    return _months(start, end - DAY, tongue)


def in_tongue(text: str, at: datetime, tongue: str) -> str:
    """A day, month or year in another language, translated into this one: "2025年12月25日" as "25 December 2025".

    Other texts are unchanged.
    """
    interval = timespan.resolve(text.strip(" .。"), at) if language(text) != tongue else None
    if interval is None or interval.start is None or interval.end is None:
        return text
    is_one = interval.end - interval.start <= DAY or interval.grain in ("month", "year")
    return date_of(interval, at, tongue) if is_one else text


def _some_days(start: datetime, end: datetime, at: datetime, tongue: str) -> str:
    """Several days, relative to the day `at` where they are within a week of it."""
    if tongue == "zh":
        return f"{day(start, tongue)}到{day(end - DAY, tongue)}"
    if end - start > WEEK:
        return f"{day(start)} to {day(end - DAY)}"
    whole = "the week" if end - start == WEEK else "the weekend" if start.weekday() == SATURDAY else "a few days"
    if start <= at < end:
        return f"{whole} of {day(at)}"
    if end <= at < end + WEEK or at < start <= at + WEEK:
        return f"{whole} {'before' if end <= at else 'after'} {day(at)}"
    return f"about {day(start)}"


def _from_to(start: datetime, end: datetime) -> str:
    """From one day to another: "16 to 20 May 2025"."""
    first = f"{start.day}" if (start.year, start.month) == (end.year, end.month) else day(start)
    return f"{first} to {day(end)}"


def _year(moment: datetime, tongue: str) -> str:
    return f"{moment.year}年" if tongue == "zh" else f"{moment.year}"


def _months(first: datetime, last: datetime, tongue: str) -> str:
    """From one month to another: "December 2022 to February 2023"."""
    same_year = first.year == last.year
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.year}年{first.month}月" if tongue == "zh" else f"{first:%B %Y}"
    if tongue == "zh":
        return f"{first.year}年{first.month}月到{'' if same_year else f'{last.year}年'}{last.month}月"
    return f"{first:{'%B' if same_year else '%B %Y'}} to {last:%B %Y}"


def _since(text: str, at: datetime) -> str:
    """The text with the beginnings of continuing durations."""
    for sentence in sentences(text):
        window = timespan.validity(sentence, at)
        if window and window.start and window.end is None and window.start < at:
            unit = Interval(window.start, window.start + DAY, "day")
            if window.grain in ("month", "year"):
                unit = Interval(window.start, window.start + 2 * DAY, window.grain)
            date_text = date_of(unit, at, language(text))
            since = f"{date_text}起" if language(text) == "zh" else f"since {date_text}"
            text = text.replace(sentence, f"{sentence} [{since}]", 1)
    return text
