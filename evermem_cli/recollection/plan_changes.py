"""Rescheduled plans: what was planned for one day and is on another now.

An outdated message does not say so itself: "Flights changed to Friday 13 June" moves the flights mentioned earlier in
that chat, and everything else planned for the same day there.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from dateutil.relativedelta import relativedelta

from evermem_cli.engines import Embedder
from evermem_cli.languages.language import language
from evermem_cli.memory import Evidence, Message
from evermem_cli.reading.rescheduling import rescheduling_messages
from evermem_cli.recollection.dates import DAY, days_of
from evermem_cli.recollection.memory_view import MemoryView
from evermem_cli.recollection.plans import DAYS, PlannedDay, Rescheduling, plans_in, rescheduled, topic
from evermem_cli.recollection.search.folding import messages_of
from evermem_cli.recollection.search.sittings import SITTING
from evermem_cli.store import Searcher
from evermem_cli.timespan import Interval

# Words for what keeps its day when something else on that day moves.
_OWN_DAY = re.compile(
    r"\b(?:birthday|wedding|exam|interview|dentist|doctor|operation|surgery|deadline|race|marathon|funeral)\b"
    r"|生日|婚礼|考试|面试|手术|比赛|截止",
    re.IGNORECASE,
)
_REACH = 8  # messages around a change that may name what is moved or its duration
_LONG_BEFORE = timedelta(days=365)  # how long before the results a plan may have been mentioned
# The least cosine between a change and the plan that it moves without a word in common. Of 70 such pairs by blind hands
# 44 % are so near, and 4 % of changes and plans of different chats.
_ALIKE = 0.35

Day = tuple[str, date]  # a conversation, and a day mentioned in it


@dataclass(frozen=True, slots=True)
class Move:
    """A plan, and its present time by the last message that changed it."""

    plan: PlannedDay
    now: Interval
    change: Message


@dataclass(frozen=True, slots=True)
class _Step:
    """The days that a message moved, the new day, and the duration stated for it."""

    days: frozenset[Day]
    to: PlannedDay
    whole: Interval


def moves_of(hits: Sequence[Evidence], memory: MemoryView, reader: Searcher, embedder: Embedder) -> list[Move]:
    """Which of the plans in the hits have been moved by then. Raises ModelError."""
    plans = list(plans_in(messages_of(hits)))
    if not plans or memory.user_id is None:
        return []
    changes = _changes(plans, reader, embedder, memory.user_id, memory.known_by)
    if not changes:
        return []
    around = reader.messages.neighbours([change.id for change in changes], _REACH)
    words = _pattern(changes)
    since = min(plan.message.said_at for plan in plans) - _LONG_BEFORE
    alike = reader.messages.saying(words, memory.user_id, [(since, memory.known_by)]) if words else []
    return followed_by(plans, changes, [*around.values(), *alike], embedder)


def followed_by(
    plans: Sequence[PlannedDay], changes: Sequence[Message], others: Sequence[Message], embedder: Embedder
) -> list[Move]:
    """Which plans the changes have moved; `others` are messages with what they may move, and with its duration."""
    reschedulings = sorted((one for change in changes if (one := rescheduled(change))), key=_order)
    around = {message.id: message for message in (*others, *changes)}
    pool = {(plan.message.id, plan.start): plan for plan in (*plans, *plans_in(around.values()))}
    steps = _steps(reschedulings, pool, list(around.values()), embedder)
    return [move for plan in plans if (move := _followed(plan, steps))]


def _steps(
    changes: Sequence[Rescheduling],
    pool: dict[tuple[str, date], PlannedDay],
    around: Sequence[Message],
    embedder: Embedder,
) -> list[_Step]:
    """The effect of each change, in order. The new day is a plan that a later change may move again."""
    steps: list[_Step] = []
    for change in changes:
        sitting = [message for message in around if _in_sitting(message, change.message)]
        if plans_moved := _moved_by(change, list(pool.values()), sitting, embedder):
            step = _step(change, plans_moved, sitting)
            gone = [move for plan in plans_moved if (move := _followed(plan, steps))]
            days = {(move.change.conversation_id, start_of(move.now) or date.min) for move in gone}
            steps.append(replace(step, days=step.days | days))
            pool[step.to.message.id, step.to.start] = step.to
    return steps


def _changes(
    plans: Sequence[PlannedDay], reader: Searcher, embedder: Embedder, user_id: str, until: datetime
) -> list[Message]:
    """The messages that reschedule something, while a plan in the hits was still ahead.

    They are in a chat of a plan, or have a word of one. A plan may be rescheduled several times.
    """
    changes: dict[str, Message] = {}
    ahead = list(plans)
    while ahead:
        within = [_until_over(plan, until) for plan in ahead]
        chats = {plan.message.conversation_id for plan in ahead}
        words = _pattern(plan.message for plan in ahead)
        said = reader.messages.saying(DAYS, user_id, within, chats)
        if words:
            said += reader.messages.saying(words, user_id, within)
        unknown = {message.id: message for message in said if message.id not in changes}
        new = {message.id: message for message in rescheduling_messages(unknown.values(), embedder)}
        changes |= new
        ahead = [change.plan for message in new.values() if (change := rescheduled(message)) and change.plan]
    return list(changes.values())


def _pattern(messages: Iterable[Message]) -> str:
    """Matches whatever has a word that may identify what the messages are about; "" where there is none."""
    return "|".join(sorted({re.escape(word) for message in messages for word in topic(message.text)}))


def _order(change: Rescheduling) -> tuple[datetime, int]:
    return change.message.said_at, change.message.ordinal


def _until_over(plan: PlannedDay, until: datetime) -> tuple[datetime, datetime]:
    return plan.message.said_at, min(plan.interval.end or plan.message.said_at, until)


def remarks(moves: Sequence[Move]) -> dict[str, str]:
    """The remarks about outdated messages, by their ids."""
    return {move.plan.message.id: _remark(move) for move in moves}


def _in_sitting(message: Message, change: Message) -> bool:
    return message.conversation_id == change.conversation_id and abs(message.said_at - change.said_at) <= SITTING


def _moved_by(
    change: Rescheduling, pool: Sequence[PlannedDay], sitting: Sequence[Message], embedder: Embedder
) -> list[PlannedDay]:
    """The plans that a change moves: those of one day, the last mentioned of the possible days."""
    at = change.message.local_time
    open_then = [
        plan
        for plan in pool
        if plan.message.said_at < change.message.said_at
        and at.date() <= plan.start
        and change.instead_of in (None, plan.start)
        and (change.plan is None or change.plan.start != plan.start)
    ]
    here = [plan for plan in open_then if plan.message.conversation_id == change.message.conversation_id]
    own = [plan for plan in open_then if plan.message.user_id == change.message.user_id]
    words = topic(change.message.text)
    if any(_repeats(change, plan, words) for plan in pool):
        return []
    before = set().union(*(topic(message.text) for message in sitting if message.ordinal < change.message.ordinal))
    candidates = [plan for plan in here if words & topic(plan.text)] or [
        plan for plan in own if words & topic(plan.text)
    ]
    candidates = candidates or [plan for plan in here if before & topic(plan.text)]
    if change.instead_of and not candidates:
        candidates = here or [plan for plan in open_then if words & topic(f"{plan.message.speaker} {plan.text}")]
    candidates = candidates or _nearest(change.message, here, embedder)
    last = max(candidates, key=lambda plan: plan.message.said_at, default=None)
    return [plan for plan in candidates if last and plan.start == last.start]


def _repeats(change: Rescheduling, plan: PlannedDay, words: frozenset[str]) -> bool:
    """Whether a message names a day that was planned for the same before: "dinner on the 14th is cancelled"."""
    is_before = plan.message.said_at < change.message.said_at
    return is_before and change.plan is not None and plan.start == change.plan.start and bool(words & topic(plan.text))


def _nearest(change: Message, plans: Sequence[PlannedDay], embedder: Embedder) -> list[PlannedDay]:
    """The plan that is most like a change in meaning, if it is enough."""
    if not plans:
        return []
    own, *theirs = embedder.embed([change.text, *(plan.message.text for plan in plans)])
    likeness, place = max((float(own @ vector), place) for place, vector in enumerate(theirs))
    return [plans[place]] if likeness >= _ALIKE else []


def _step(change: Rescheduling, plans: Sequence[PlannedDay], sitting: Sequence[Message]) -> _Step:
    """The new day, and all days that are said in the same sitting to begin on it."""
    days = frozenset((plan.message.conversation_id, plan.start) for plan in plans)
    if change.plan is None:
        interval = _later(plans[-1].interval, change.step)
        return _Step(
            days, PlannedDay(change.message, start_of(interval) or date.min, interval, change.message.text), interval
        )
    same = [plan for plan in plans_in(sitting) if plan.start == change.plan.start]
    longest = max((change.plan, *same), key=lambda plan: _length(plan.interval))
    return _Step(days, change.plan, longest.interval)


def _later(interval: Interval, step: relativedelta | None) -> Interval:
    if step is None or interval.start is None or interval.end is None:
        return interval
    return Interval(interval.start + step, interval.end + step, interval.grain)


def _length(interval: Interval) -> timedelta:
    return interval.end - interval.start if interval.start and interval.end else timedelta()


def _followed(plan: PlannedDay, steps: Sequence[_Step]) -> Move | None:
    """A plan through all changes, in order. A plan of several days keeps its length."""
    day, last = (plan.message.conversation_id, plan.start), None
    for step in steps:
        if day in step.days and step.to.message.said_at > plan.message.said_at and _may_move(plan, step.to):
            day, last = (step.to.message.conversation_id, step.to.start), step
    if last is None or last.to.start == plan.start:
        return None
    return Move(plan, last.whole if _length(plan.interval) > DAY else last.to.interval, last.to.message)


def _may_move(plan: PlannedDay, to: PlannedDay) -> bool:
    own = _OWN_DAY.search(plan.text)
    return not own or own[0].casefold() in to.message.text.casefold()


def start_of(interval: Interval) -> date | None:
    """The first day of an interval; None where it is open."""
    return interval.start.date() if interval.start else None


def _remark(move: Move) -> str:
    tongue = language(move.plan.message.text)
    return f"（改到{days_of(move.now, tongue)}）" if tongue == "zh" else f" (moved to {days_of(move.now, tongue)})"
