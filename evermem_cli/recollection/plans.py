"""Finds plans in messages: mentions of future days, and messages that reschedule something."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

from evermem_cli import timespan
from evermem_cli.formation.pieces import sentences
from evermem_cli.languages.english import ANSWERS, is_adverb
from evermem_cli.languages.word_forms import inflects
from evermem_cli.languages.words import STOP_WORDS, words_of
from evermem_cli.memory import Message
from evermem_cli.recollection.dates import DAY
from evermem_cli.timespan import Interval, Span
from evermem_cli.timespan.english.words import MONTHS, WEEKDAYS, WORDS

# A preselection of messages that may name a day.
DAYS = (
    r"\d|day\b|week|month|tomorrow|\b(mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"|[天日周月号]|星期"
)
# The change has happened; the day is in the future.
_HAPPENED = re.compile(
    r"\b(?:(?:was|were|has|have|had|got|been|to|be)\s){0,3}(?:moved|changed|switched|postponed|rescheduled|rebooked|"
    r"delayed|pushed\sback|brought\sforward)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"(?:\b(?:not|instead\sof|rather\sthan|no\slonger)(?:\s(?:on|the|for))*|不是|不在)\s*$", re.I)
_LATER = frozenset({"after", "later"})
_EARLIER = frozenset({"before", "earlier"})
_FROM, _TICK = "from ", timedelta.resolution
_TO_THE_DAY = ("day", "week", "weekend")
# Words that do not identify an arrangement, beside stop words and those for days and parts of them: in whatever form,
# but for that in -ing, which names one ("letting agent"), and as they stand.
_COMMON = frozenset(
    """
    back book change come date free get go know let like love make move need postpone put reschedule say see take tell
    thank think time want work
""".split()
)
_AS_THEY_STAND = frozenset(
    """
    booking moving changing getting going coming fine good great instead maybe new nice please rather sorry today
    tomorrow yesterday morning noon evening night
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
    """The new day that a message states, which moves something; None where it states none.

    Of several days the last is the new one, as in "they are shut on the 4th, so the 6th". Where there is none, a length
    of time is the step from the old day.
    """
    plans: list[PlannedDay] = []
    instead_of = None
    for sentence in sentences(message.text):
        proposal = _HAPPENED.sub("will be", sentence)
        if move := _from_to(proposal, message):
            return move
        spans = [span for span in _days_ahead(proposal, message) if not _is_step(span)]
        denied = [span for span in spans if _DENIED.search(proposal[: span.start_offset])]
        instead_of = _first_day(denied[0]) if denied else instead_of
        plans += [_plan(message, span, message.text) for span in spans if span not in denied]
    if plans:
        return Rescheduling(message, plans[-1], None, instead_of)
    step = _step(message.text)
    return Rescheduling(message, None, step, instead_of) if step else None


def _from_to(proposal: str, message: Message) -> Rescheduling | None:
    """The move from one day to another: "from 1 to 15 September" names no period where something is moved."""
    for span in timespan.find(proposal, message.local_time):
        start, end = span.interval.start, span.interval.end
        if start and end and end - start > DAY and span.text.lower().startswith(_FROM):
            last = (end - _TICK).replace(hour=0, minute=0, second=0, microsecond=0)
            plan = PlannedDay(message, last.date(), Interval(last, last + DAY, "day"), message.text)
            return Rescheduling(message, plan, None, start.date()) if plan.start > message.local_time.date() else None
    return None


def _is_step(span: Span) -> bool:
    """Whether it counts from the old day, and not from the message: "two days later"."""
    return bool((_LATER | _EARLIER) & {*words_of(span.text)} and timespan.duration(span.text))


def topic(text: str) -> frozenset[str]:
    """The words of a text that may identify an arrangement, without plural endings."""
    words = set(words_of(text)) - STOP_WORDS - ANSWERS
    return frozenset(
        word.removesuffix("s")
        for word in words
        if not word.isdigit() and (len(word) > 2 or not word.isascii())
        if not (word in _AS_THEY_STAND or inflects(word, _COMMON, by_ing=False) or is_adverb(word) or _is_of_time(word))
    )


def _is_of_time(word: str) -> bool:
    """Whether a word is the full name of a day or month, "next", a number, or a length of `_TO_THE_DAY`."""
    labels = WORDS.get(word, {})
    is_towards = "TOWARDS" in labels or "SPELLED" in labels or labels.get("UNIT") in (*_TO_THE_DAY, "month")
    return is_towards or word in (*WEEKDAYS, *MONTHS)


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


def _step(text: str) -> relativedelta | None:
    """How much later or, if negative, earlier: "a week later", "delayed by two days"."""
    length = timespan.duration(text)
    if length is None or not (length.days or length.months):
        return None
    return -length if _EARLIER & {*words_of(text)} else length
