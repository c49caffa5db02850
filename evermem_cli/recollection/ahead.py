"""What is ahead, where a question asks for nothing else: foresights by their time, without a model."""

import re
from collections.abc import Sequence
from datetime import datetime

from evermem_cli import timespan
from evermem_cli.language import language
from evermem_cli.memory import Foresight
from evermem_cli.recollection.dated import day
from evermem_cli.recollection.notes import Note, listed
from evermem_cli.recollection.question import ASKS_OF_THEN, FUNCTION_WORDS, WORD
from evermem_cli.timespan import Span

MOST = 10
_ASKS = re.compile(
    r"\b(?:plans?|planned|appointments?|deadlines?|agenda|schedule|calendar|reminders?|due|upcoming|coming up|ahead|"
    r"remind me|(?:should|must) i (?:remember|do)|to (?:remember|do)|keep in mind)\b|计划|安排|打算|日程|提醒",
    re.IGNORECASE,
)
# Words that may stand beside these without asking for one thing, as "plans for the garden" and "remind me what" do.
_BESIDE = frozenset(
    """
    plan plans planned planning appointment appointments deadline deadlines agenda schedule scheduled calendar reminder
    reminders due upcoming coming ahead remind remember forget keep mind need needs anything something thing things task
    tasks list tell show please got get there next soon day days week month
    """.split()
)
_BESIDE_ZH = re.compile(r"计划|安排|打算|日程|提醒|接下来|近期|最近|什么|哪些|记得|要做|[我你有的吗呢了在要做得请把下]")


def asks_ahead(question: str, now: datetime) -> bool:
    """Whether the question is for whatever is planned or due, perhaps in a time that it names, and for nothing else."""
    if not _ASKS.search(question) or ASKS_OF_THEN.search(question):
        return False
    return not _asks_for_more(question, timespan.find(question, now))


def ahead(question: str, foresights: Sequence[Foresight], now: datetime) -> list[Note]:
    """What is due in the time that the question names, else from now on: due first, at most `MOST`; all is the answer.

    What goes on without an end is not ahead.
    """
    spans = timespan.find(question, now)
    window = spans[0].interval if spans else None
    since = max(now, window.start) if window and window.start else now
    due = [
        each
        for each in foresights
        if (each.end_time or each.start_time) >= since
        and (window is None or window.end is None or each.start_time < window.end)
    ]
    due = sorted(due, key=lambda each: (each.start_time, each.end_time or each.start_time))[:MOST]
    return listed([(f"{_when(each, now, language(question))}: {each.foresight}", each.message_ids) for each in due])


def _asks_for_more(question: str, spans: Sequence[Span]) -> bool:
    """Whether it has words that are neither of time nor of plans in general."""
    for span in reversed(spans):
        question = f"{question[: span.start_offset]} {question[span.end_offset :]}"
    rest = _BESIDE_ZH.sub("", question) if language(question) == "zh" else question
    return bool(set(WORD.findall(rest.casefold())) - FUNCTION_WORDS - _BESIDE)


def _when(foresight: Foresight, now: datetime, tongue: str) -> str:
    """Its day, or its days; until when it is so where it has begun."""
    start = day(foresight.start_time.astimezone(now.tzinfo), tongue)
    end = foresight.end_time and day(foresight.end_time.astimezone(now.tzinfo), tongue)
    if end in (None, start):
        return start
    if foresight.start_time <= now:
        return f"{end}为止" if tongue == "zh" else f"until {end}"
    return f"{start}至{end}" if tongue == "zh" else f"{start} to {end}"
