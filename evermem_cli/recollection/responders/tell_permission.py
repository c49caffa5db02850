"""Tells whether something is allowed, where a restriction is known: "Can I drink alcohol?", "When can I run again?"."""

from collections.abc import Sequence
from datetime import datetime

from evermem_cli.consolidation.attributes import translated
from evermem_cli.languages.words import word_beginnings
from evermem_cli.memory import ProfileFact, wall
from evermem_cli.recollection.dates import since_when
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.notes import NO, Note, looked_up
from evermem_cli.recollection.questions.permission import STEM, PermissionQuestion
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

_MAY_NOT = {"en": "No: {} until {}", "zh": "不可以：{}，到{}为止"}
_MAY_AGAIN = {"en": "Yes: the restriction ended on {}", "zh": "可以：限制已于{}结束"}


def tell_permission(question: Question, recollection: Recollection) -> Answer | None:
    """Whether the thing asked about is restricted; None where no restriction is known."""
    asked, now = question.profile.permission, recollection.memory.now
    if asked is None:
        return None
    restrictions = [known.get("restrictions", ()) for known in recollection.known_of(question)]
    notes = [note for facts in restrictions if (note := _note(asked, facts, question.language, now))]
    return answer_from(notes[:1], question, recollection)


def _note(asked: PermissionQuestion, facts: Sequence[ProfileFact], tongue: str, now: datetime) -> Note | None:
    """The note for a restriction. Its last day still belongs to it."""
    restrictions = [fact for fact in facts if asked.stems & word_beginnings(fact.value, STEM)]
    in_force = [
        fact for fact in restrictions if fact.holds_at(now) or (fact.invalid_at and wall(fact.invalid_at) == wall(now))
    ]
    if in_force:
        what, end = translated(in_force[-1].value, tongue), in_force[-1].invalid_at
        if not end and asked.of_the_end:
            return None
        text = _MAY_NOT[tongue].format(what, since_when(end, tongue)) if end else f"{NO[tongue]}{what}"
        return looked_up(text.removeprefix(NO["en"]) if asked.of_the_end else text, in_force[-1:], now)
    for fact in reversed(restrictions):
        if fact.invalid_at and fact.invalid_at <= now:
            return looked_up(_MAY_AGAIN[tongue].format(since_when(fact.invalid_at, tongue)), [fact], now)
    return None
