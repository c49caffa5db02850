"""Tells what became of a plan that was moved or called off: "When is the trip?", "Did I run the Harbour Half?"."""

from collections.abc import Sequence

from evermem_cli.memory import Evidence
from evermem_cli.recollection.dates import day, days_of
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.notes import NO, Note
from evermem_cli.recollection.plan_changes import PlanChange, planned_in, start_of
from evermem_cli.recollection.plans import PlannedDay, topic
from evermem_cli.recollection.questions.form import Form
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.recollection.search.folding import messages_of

_BEST = 5  # results that may contain the day asked for
_MOVED = {"en": "moved from", "zh": "原定"}
_OFF = {"en": "no longer planned: ", "zh": "已取消："}


def tell_plan_change(question: Question, recollection: Recollection) -> Answer | None:
    """The new and the old day, or who called it off in which words; None where the plan asked about was not changed."""
    changes = _changes_of_event(question, recollection) if question.event else _changes_of_day(question, recollection)
    return answer_from([_note(changed, question) for changed in changes[:1]], question, recollection)


def _changes_of_event(question: Question, recollection: Recollection) -> list[PlanChange]:
    """The last cancellation of what the question names."""
    asked = question.event
    off = [one for one in recollection.plan_changes if one.now is None and asked <= topic(one.plan.text)]
    return sorted(off, key=lambda changed: changed.change.said_at, reverse=True)


def _changes_of_day(question: Question, recollection: Recollection) -> list[PlanChange]:
    """Of the best result about the subject: if it was changed, or changed something. What is off has no hour either."""
    if question.form not in (Form.DATE, Form.CLOCK):
        return []
    asked = question.terms.topic
    plan = next((plan for plan in planned_in(recollection.hits[:_BEST]) if _is_asked(asked, plan)), None)
    likely = {message.id for message in messages_of(_likely(recollection.hits))}
    changes = [one for one in recollection.plan_changes if plan and _is_of(plan, one)]
    moved = question.form is Form.DATE
    changes = [one for one in changes if one.now is None or (moved and one.change.id in likely)]
    return sorted(changes, key=lambda changed: _is_asked(asked, changed.plan), reverse=True)


def _likely(hits: Sequence[Evidence]) -> list[Evidence]:
    """The hits that the learned check does not rule out: of what it ruled out, most moved something else."""
    return [hit for hit in hits if hit.answers is None or hit.answers >= 0]


def _is_asked(asked: frozenset[str], plan: PlannedDay) -> bool:
    """Whether it is about the subject of the question. A speaker who is named need not say the name."""
    names = topic(plan.message.speaker)
    return bool(asked & topic(plan.text)) or (bool(asked) and asked <= names)


def _is_of(plan: PlannedDay, changed: PlanChange) -> bool:
    """Whether it is the message that was superseded, or the one that superseded it."""
    if plan.message.id == changed.plan.message.id:
        return plan.start == changed.plan.start
    return plan.message.id == changed.change.id and changed.now is not None and plan.start == start_of(changed.now)


def _note(changed: PlanChange, question: Question) -> Note:
    tongue, plan, change = question.language, changed.plan, changed.change
    if changed.now is None:
        quoted = f'"{" ".join(change.text.split())}" ({day(change.local_time, tongue)})'
        return Note(f"{NO[tongue] if question.event else _OFF[tongue]}{quoted}", (change.id,))
    now, was = days_of(changed.now, tongue), days_of(plan.interval, tongue)
    text = f"{now}（{_MOVED['zh']}{was}）" if tongue == "zh" else f"{now} ({_MOVED['en']} {was})"
    return Note(text, (plan.message.id, change.id))
