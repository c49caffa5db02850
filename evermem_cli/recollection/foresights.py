"""Foresights as later messages left them: what was moved is expected on its new day, what was called off no more."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evermem_cli.engines import Embedder
from evermem_cli.formation.foresights import Window, edges
from evermem_cli.memory import Foresight, Message, moment_in, wall
from evermem_cli.recollection.memory_view import MemoryView
from evermem_cli.recollection.plan_changes import PlanChange, changes_of, remark, start_of
from evermem_cli.recollection.plans import PlannedDay
from evermem_cli.store import Searcher
from evermem_cli.timespan import Interval


@dataclass(frozen=True, slots=True)
class Expected:
    """What is still expected, and what was called off. The text of what was moved or called off says so."""

    ahead: list[Foresight]
    off: list[Foresight]


def as_changed(foresights: Sequence[Foresight], memory: MemoryView, reader: Searcher, embedder: Embedder) -> Expected:
    """The foresights as the messages said by then have changed them. Raises ModelError.

    Only what is planned for some time is read with later messages: a goal without one is neither moved nor called off.
    What was moved is left out where the message that moved it is a foresight of its own.
    """
    stated = [foresight for foresight in foresights if not foresight.predicted and _is_planned(foresight)]
    messages = reader.messages.by_id(foresight.message_ids[-1] for foresight in stated)
    plans = {foresight.id: _plan(foresight, messages[foresight.message_ids[-1]]) for foresight in stated}
    changes = {
        (one.plan.message.id, one.plan.start): one for one in changes_of([*plans.values()], memory, reader, embedder)
    }
    expected = Expected([], [])
    for foresight in foresights:
        plan = plans.get(foresight.id)
        changed = changes.get((plan.message.id, plan.start)) if plan else None
        if changed is None:
            expected.ahead.append(foresight)
        elif changed.now is None:
            expected.off.append(replace(foresight, foresight=foresight.foresight + remark(changed)))
        elif not any(_is_told_by(changed, other) for other in stated):
            expected.ahead.append(_moved(foresight, changed, changed.now))
    return expected


def _is_planned(foresight: Foresight) -> bool:
    """Whether it is for a time that was still to come when it was told."""
    return foresight.end_time is not None and foresight.start_time > foresight.said_at


def _plan(foresight: Foresight, message: Message) -> PlannedDay:
    zone = message.local_time.tzinfo
    start, end = (moment_in(time, zone) for time in (foresight.start_time, foresight.end_time or foresight.start_time))
    return PlannedDay(message, start.date(), Interval(start, end, "day"), foresight.evidence)


def _is_told_by(changed: PlanChange, other: Foresight) -> bool:
    """Whether another foresight is the plan as it was moved."""
    start = start_of(changed.now) if changed.now else None
    return changed.change.id in other.message_ids and wall(other.start_time).date() == start


def _moved(foresight: Foresight, changed: PlanChange, now: Interval) -> Foresight:
    start, end = edges(now, changed.change.local_time)
    window = Window(start=start, end=end, duration_type=foresight.duration_type)
    return replace(
        foresight,
        foresight=foresight.foresight + remark(changed),
        start_time=start,
        end_time=end,
        duration_days=window.duration_days,
        message_ids=(*foresight.message_ids, changed.change.id),
    )
