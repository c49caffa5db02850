"""Finds plans in messages: mentions of future days, and messages that reschedule something."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

from evermem_cli import timespan
from evermem_cli.formation.pieces import sentences
from evermem_cli.languages.words import STOP_WORDS, words_of
from evermem_cli.memory import Message
from evermem_cli.recollection.dates import DAY
from evermem_cli.timespan import Interval, Span

_A_DAY = (
    r"(?:the\s)?(?:\d|next|this|tomorrow|following|day|week|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|"
    r"sep|oct|nov|dec)"
)
# A preselection of messages that may reschedule; `CHANGES` is more precise.
CUES = (
    r"\b(mov(e|ed|ing)|chang(e|ed|ing)|switch(ed|ing)|postpon|reschedul|rebook|delayed|instead|put|push(ed|ing)|brought|"
    r"new date|now)|改|推|延|提前|不是"
)
# Somebody who moves to Leeds, or out, reschedules nothing.
CHANGES = re.compile(
    rf"\bmov(?:e[sd]?|ing)\b(?!\s(?:in|out|into|house|home|away)\b)(?!(?:\s\w+)?\sto\s(?!{_A_DAY}))"
    r"|\b(?:chang(?:e|ed|ing)|switch(?:ed|ing)|postpon\w+|reschedul\w+|rebook\w*|delayed|instead|put\s(?:\w+\s)?off|"
    r"push(?:ed|ing)\s(?:\w+\s)?back|brought\sforward|new\sdate)\b"
    r"|(?:\b(?:is|are|it|that)|'s)\s(?:\w+\s){0,2}now\b|\bnow\s(?:on|in)\b"
    r"|改(?:到|成|为|在|了|签|期)|推迟|推到|延期|延到|提前到|不是.{1,12}是",
    re.IGNORECASE,
)
# The change has happened; the day is in the future.
_HAPPENED = re.compile(
    r"\b(?:(?:was|were|has|have|had|got|been|to|be)\s){0,3}(?:moved|changed|switched|postponed|rescheduled|rebooked|"
    r"delayed|pushed\sback|brought\sforward)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"(?:\b(?:not|instead\sof|rather\sthan|no\slonger)(?:\s(?:on|the|for))*|不是|不在)\s*$", re.I)
# "The trip is now the weekend after", "a week later".
_BY = re.compile(
    r"\b(?P<count>the|one|an?|two|three|four|\d{1,2})\s(?P<unit>day|week|weekend|month)s?\s"
    rf"(?P<way>after|later|earlier|before)\b(?!\s+(?:{_A_DAY}|the|that|my|our))",
    re.IGNORECASE,
)
_COUNTS = {"two": 2, "three": 3, "four": 4}
_EARLIER = ("before", "earlier")
_FROM, _TICK = "from ", timedelta.resolution
_TO_THE_DAY = ("day", "week", "weekend")
# Words that do not identify an arrangement, beside the stop words.
_COMMON = frozenset(
    """
    book booked booking move moved moving change changed changing instead now new date day days week weeks weekend month
    time today tomorrow yesterday morning evening night noon free get got getting go goes going went come comes coming
    take takes took make made one two three four five six seven eight nine ten first last next still back let lets see
    know think want need like love good great nice fine sorry thanks thank please really well yes yeah okay works work
    monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
    october november december sept said say says told tell put postponed rescheduled rather actually maybe
    """.split()
)


@dataclass(frozen=True, slots=True)
class PlannedDay:
    """A future day mentioned in a message: `text` is the text since the previous day mentioned."""

    message: Message
    start: date
    interval: Interval
    text: str


@dataclass(frozen=True, slots=True)
class Rescheduling:
    """A message that reschedules something, to a day stated or relative to the old day.

    `instead_of` is the day that it negates.
    """

    message: Message
    plan: PlannedDay | None
    step: relativedelta | None = None
    instead_of: date | None = None


def plans_in(messages: Iterable[Message]) -> Iterator[PlannedDay]:
    """The future days that messages mention, in order."""
    for message in messages:
        before = ""
        for sentence in sentences(message.text):
            before = f"{before} {sentence}".strip()
            for span in _days_ahead(sentence, message):
                yield _plan(message, span, before)
                before = ""


def rescheduled(message: Message) -> Rescheduling | None:
    """The new day that a message states for something; None where it reschedules nothing."""
    if not CHANGES.search(message.text):  # searching all sentences for days takes 15 times as long
        return None
    before: list[PlannedDay] = []
    for sentence in sentences(message.text):
        proposal = _HAPPENED.sub("will be", sentence)
        spans = _days_ahead(proposal, message)
        if CHANGES.search(sentence):
            if move := _from_to(proposal, message):
                return move
            denied = [span for span in spans if _DENIED.search(proposal[: span.start_offset])]
            instead_of = _first_day(denied[0]) if denied else None
            if step := _step(proposal):
                return Rescheduling(message, None, step, instead_of)
            plans = [_plan(message, span, message.text) for span in spans if span not in denied]
            if plans or before:
                return Rescheduling(message, (plans or before[::-1])[0], None, instead_of)
        before += [_plan(message, span, message.text) for span in spans]
    return None


def _from_to(proposal: str, message: Message) -> Rescheduling | None:
    """The move from one day to another: "from 1 to 15 September" names no period where something is moved."""
    for span in timespan.find(proposal, message.local_time):
        start, end = span.interval.start, span.interval.end
        if start and end and end - start > DAY and span.text.lower().startswith(_FROM):
            last = (end - _TICK).replace(hour=0, minute=0, second=0, microsecond=0)
            plan = PlannedDay(message, last.date(), Interval(last, last + DAY, "day"), message.text)
            return Rescheduling(message, plan, None, start.date()) if plan.start > message.local_time.date() else None
    return None


def topic(text: str) -> frozenset[str]:
    """The words of a text that may identify an arrangement, without plural endings."""
    words = set(words_of(text)) - STOP_WORDS - _COMMON
    return frozenset(
        word.removesuffix("s") for word in words if not word.isdigit() and (len(word) > 2 or not word.isascii())
    )


def _days_ahead(sentence: str, message: Message) -> list[Span]:
    return [span for span in timespan.find(sentence, message.local_time) if _is_day_ahead(span, message)]


def _is_day_ahead(span: Span, message: Message) -> bool:
    start, end = span.interval.start, span.interval.end
    if start is None or end is None or start.date() <= message.local_time.date():
        return False
    return span.interval.grain in _TO_THE_DAY or end - start < timedelta(days=1)


def _first_day(span: Span) -> date:
    start = span.interval.start
    return start.date() if start else date.min


def _plan(message: Message, span: Span, text: str) -> PlannedDay:
    return PlannedDay(message, _first_day(span), span.interval, text)


def _step(sentence: str) -> relativedelta | None:
    match = _BY.search(sentence)
    if not match:
        return None
    count = match["count"].lower()
    steps = int(count) if count.isdigit() else _COUNTS.get(count, 1)
    steps = -steps if match["way"].lower() in _EARLIER else steps
    unit = match["unit"].lower()
    if unit == "month":
        return relativedelta(months=steps)
    return relativedelta(days=steps * (1 if unit == "day" else 7))
