"""What became of plans: what was planned for one day and is on another now, or is off.

An outdated message does not say so itself: "Flights changed to Friday 13 June" moves the flights mentioned earlier in
that chat, and everything else planned for the same day there.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from dateutil.relativedelta import relativedelta

from evermem_cli.engines import Embedder
from evermem_cli.languages.language import language
from evermem_cli.memory import Evidence, Message, Role
from evermem_cli.reading.outcomes import PlanOutcome, outcomes
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
Key = tuple[str, date]  # a message, and a day that it plans something for
Changes = Mapping[str, tuple[Message, frozenset[PlanOutcome]]]  # messages that may change plans, by id, and how


@dataclass(frozen=True, slots=True)
class PlanChange:
    """A plan, its present time, and the last message that changed it.

    The time is None where the plan is off.
    """

    plan: PlannedDay
    now: Interval | None
    change: Message


@dataclass(frozen=True, slots=True)
class _Move:
    """The days that a message moved, the new day, and the duration stated for it."""

    days: frozenset[Day]
    to: PlannedDay
    whole: Interval


@dataclass(frozen=True, slots=True)
class _End:
    """The plans that a message called off."""

    plans: frozenset[Key]
    by: Message


def changes_of(
    plans: Sequence[PlannedDay], memory: MemoryView, reader: Searcher, embedder: Embedder
) -> list[PlanChange]:
    """Which of the plans have been moved or called off by then. Raises ModelError."""
    if not plans or memory.user_id is None:
        return []
    changes = _changes(plans, reader, embedder, memory.user_id, memory.known_by)
    if not changes:
        return []
    around = reader.messages.neighbours(changes, _REACH)
    words = _pattern(message for message, _ in changes.values())
    since = min(plan.message.said_at for plan in plans) - _LONG_BEFORE
    alike = reader.messages.saying(words, memory.user_id, [(since, memory.known_by)]) if words else []
    return followed_by(plans, changes, [*around.values(), *alike], embedder)


def planned_in(hits: Sequence[Evidence]) -> list[PlannedDay]:
    """The plans in the messages of the hits."""
    return list(plans_in(messages_of(hits)))


def followed_by(
    plans: Sequence[PlannedDay], changes: Changes, others: Iterable[Message], embedder: Embedder
) -> list[PlanChange]:
    """What the changes have made of plans; `others` are messages with what they may change, and with its duration."""
    around = {message.id: message for message in (*others, *(message for message, _ in changes.values()))}
    pool = {_key(plan): plan for plan in (*plans_in(around.values()), *plans)}
    steps = _steps(changes, pool, list(around.values()), embedder)
    return [changed for plan in plans if (changed := _followed(plan, steps))]


def _steps(
    changes: Changes, pool: dict[Key, PlannedDay], around: Sequence[Message], embedder: Embedder
) -> list[_Move | _End]:
    """The effect of each change, in order. The new day is a plan that a later change may move again."""
    steps: list[_Move | _End] = []
    for message, may_be in sorted(changes.values(), key=lambda change: (change[0].said_at, change[0].ordinal)):
        change = rescheduled(message) if PlanOutcome.MOVED in may_be else None
        sitting = [other for other in around if _in_sitting(other, message)]
        if change and (meant := _moved_by(change, list(pool.values()), sitting, embedder)):
            step = _move(change, meant, sitting)
            gone = [moved for plan in meant if (moved := _followed(plan, steps))]
            days = {(moved.change.conversation_id, start_of(moved.now) or date.min) for moved in gone if moved.now}
            steps.append(_Move(step.days | days, step.to, step.whole))
            pool[_key(step.to)] = step.to
        elif PlanOutcome.OFF in may_be:
            steps.append(_End(frozenset(map(_key, _ended_by(message, [*pool.values()], around))), message))
    return steps


def _changes(
    plans: Sequence[PlannedDay], reader: Searcher, embedder: Embedder, user_id: str, until: datetime
) -> dict[str, tuple[Message, frozenset[PlanOutcome]]]:
    """The messages that may change a plan, while one of the plans was still ahead.

    They name a day in a chat of a plan, or have a word of one or stand behind one that has. A plan may be moved several
    times.
    """
    changes: dict[str, tuple[Message, frozenset[PlanOutcome]]] = {}
    ahead = list(plans)
    while ahead:
        within = [_until_over(plan, until) for plan in ahead]
        chats = {plan.message.conversation_id for plan in ahead}
        words = _pattern(plan.message for plan in ahead)
        said = reader.messages.saying(DAYS, user_id, within, chats)
        if words:
            sharing = reader.messages.saying(words, user_id, within)
            said += reader.messages.neighbours([message.id for message in sharing], 1).values()
        known = (m for m in said if m.said_at <= until and m.role is not Role.ASSISTANT)
        unknown = {message.id: message for message in known if message.id not in changes}
        new = {name: (unknown[name], may_be) for name, may_be in outcomes(unknown.values(), embedder).items()}
        changes |= new
        moves = [rescheduled(message) for message, may_be in new.values() if PlanOutcome.MOVED in may_be]
        ahead = [move.plan for move in moves if move and move.plan]
    return changes


def _pattern(messages: Iterable[Message]) -> str:
    """Matches whatever has a word that may identify what the messages are about; "" where there is none."""
    return "|".join(sorted({re.escape(word) for message in messages for word in topic(message.text)}))


def _until_over(plan: PlannedDay, until: datetime) -> tuple[datetime, datetime]:
    return plan.message.said_at, min(plan.interval.end or plan.message.said_at, until)


def remark(changed: PlanChange) -> str:
    """What goes behind the text of a plan that was changed."""
    tongue = language(changed.plan.message.text)
    if changed.now is None:
        return "（已取消）" if tongue == "zh" else " (no longer planned)"
    now = days_of(changed.now, tongue)
    return f"（改到{now}）" if tongue == "zh" else f" (moved to {now})"


def remarks(changes: Sequence[PlanChange]) -> dict[str, str]:
    """The remarks about outdated messages, by their ids."""
    return {changed.plan.message.id: remark(changed) for changed in changes}


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


def _ended_by(message: Message, pool: Sequence[PlannedDay], around: Iterable[Message]) -> list[PlannedDay]:
    """The plans that a message calls off: of which it, or the message right before it, has most words.

    In another chat, where plans of the same person count, it must be its own. Where it names the day of one of them,
    those of this day.
    """
    place = message.conversation_id, message.ordinal - 1
    last = " ".join(other.text for other in around if (other.conversation_id, other.ordinal) == place)
    ahead = [
        plan for plan in pool if plan.message.said_at < message.said_at and message.local_time.date() <= plan.start
    ]
    here = [plan for plan in ahead if plan.message.conversation_id == message.conversation_id]
    own = [plan for plan in ahead if plan.message.user_id == message.user_id]
    words = topic(message.text)
    named = _of_most_words(words, here) or _of_most_words(words, own) or _of_most_words(topic(last), here)
    days = {plan.start for plan in plans_in([message])}
    return [plan for plan in named if plan.start in days] or named


def _of_most_words(words: frozenset[str], plans: Sequence[PlannedDay]) -> list[PlannedDay]:
    """The plans that have most of these words; none where none has any."""
    shared = [len(words & topic(plan.text)) for plan in plans]
    most = max(shared, default=0)
    return [plan for plan, count in zip(plans, shared, strict=True) if most and count == most]


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


def _move(change: Rescheduling, plans: Sequence[PlannedDay], sitting: Sequence[Message]) -> _Move:
    """The new day, and all days that are said in the same sitting to begin on it."""
    days = frozenset((plan.message.conversation_id, plan.start) for plan in plans)
    if change.plan is None:
        interval = _later(plans[-1].interval, change.step)
        return _Move(
            days, PlannedDay(change.message, start_of(interval) or date.min, interval, change.message.text), interval
        )
    same = [plan for plan in plans_in(sitting) if plan.start == change.plan.start]
    longest = max((change.plan, *same), key=lambda plan: _length(plan.interval))
    return _Move(days, change.plan, longest.interval)


def _later(interval: Interval, step: relativedelta | None) -> Interval:
    if step is None or interval.start is None or interval.end is None:
        return interval
    return Interval(interval.start + step, interval.end + step, interval.grain)


def _length(interval: Interval) -> timedelta:
    return interval.end - interval.start if interval.start and interval.end else timedelta()


def _key(plan: PlannedDay) -> Key:
    return plan.message.id, plan.start


def _followed(plan: PlannedDay, steps: Sequence[_Move | _End]) -> PlanChange | None:
    """A plan through all changes, in order. A plan of several days keeps its length."""
    at, last = plan, PlanChange(plan, plan.interval, plan.message)
    for step in steps:
        if isinstance(step, _End):
            if _key(at) in step.plans:
                last = PlanChange(plan, None, step.by)
            continue
        day, to = (at.message.conversation_id, at.start), step.to
        if day in step.days and to.message.said_at > plan.message.said_at and _may_move(plan, to):
            whole = step.whole if _length(plan.interval) > DAY else to.interval
            at, last = to, PlanChange(plan, whole, to.message)
    return None if at.start == plan.start and last.now is not None else last


def _may_move(plan: PlannedDay, to: PlannedDay) -> bool:
    own = _OWN_DAY.search(plan.text)
    return not own or own[0].casefold() in to.message.text.casefold()


def start_of(interval: Interval) -> date | None:
    """The first day of an interval; None where it is open."""
    return interval.start.date() if interval.start else None
