"""Tells the new day of something that was rescheduled: "When is the trip to Bohinj?"."""

from collections.abc import Sequence

from evermem_cli.memory import Evidence
from evermem_cli.recollection.dates import days_of
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.plan_changes import Move, start_of
from evermem_cli.recollection.plans import PlannedDay, plans_in, topic
from evermem_cli.recollection.questions.form import Form
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.recollection.search.folding import messages_of

_BEST = 5  # results that may contain the day asked for
_MOVED = {"en": "moved from", "zh": "原定"}


def tell_moved_day(question: Question, recollection: Recollection) -> Answer | None:
    """The new and the old day, if the best result about the subject was rescheduled, or rescheduled it."""
    if question.form is not Form.DATE:
        return None
    asked, messages = question.terms.topic, messages_of(recollection.hits[:_BEST])
    plan = next((plan for plan in plans_in(messages) if _is_asked(asked, plan)), None)
    likely = {message.id for message in messages_of(_likely(recollection.hits))}
    moves = [move for move in recollection.moves if plan and _is_of(plan, move) and move.change.id in likely]
    moves.sort(key=lambda move: _is_asked(asked, move.plan), reverse=True)
    return answer_from([_note(move, question.language) for move in moves[:1]], question, recollection)


def _likely(hits: Sequence[Evidence]) -> list[Evidence]:
    """The hits that the learned check does not rule out: of what it ruled out, most moved something else."""
    return [hit for hit in hits if hit.answers is None or hit.answers >= 0]


def _is_asked(asked: frozenset[str], plan: PlannedDay) -> bool:
    """Whether it is about the subject of the question. A speaker who is named need not say the name."""
    names = topic(plan.message.speaker)
    return bool(asked & topic(plan.text)) or (bool(asked) and asked <= names)


def _is_of(plan: PlannedDay, move: Move) -> bool:
    """Whether it is the message that was superseded, or the one that superseded it."""
    if plan.message.id == move.plan.message.id:
        return plan.start == move.plan.start
    return plan.message.id == move.change.id and plan.start == start_of(move.now)


def _note(move: Move, tongue: str) -> Note:
    now, was = days_of(move.now, tongue), days_of(move.plan.interval, tongue)
    text = f"{now}（{_MOVED['zh']}{was}）" if tongue == "zh" else f"{now} ({_MOVED['en']} {was})"
    return Note(text, (move.plan.message.id, move.change.id))
