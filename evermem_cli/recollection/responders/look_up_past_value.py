"""Looks up the values that held in a time named in the question: "Where did I live before May?"."""

from datetime import datetime

from evermem_cli.memory import ProfileFact
from evermem_cli.recollection.descriptions import lasted
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.histories import Histories
from evermem_cli.recollection.notes import Note, looked_up
from evermem_cli.recollection.profile_notes import values_named
from evermem_cli.recollection.questions.attributes import ProfileQuestion
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.timespan import Interval


def look_up_past_value(question: Question, recollection: Recollection) -> Answer | None:
    """The values that held in the time that the question names, each with its own period."""
    people, now = recollection.histories.items(), recollection.memory.now
    notes = [note for name, known in people if (note := _note(question.profile, name, known, now))]
    return answer_from(notes[:1], question, recollection)


def _note(question: ProfileQuestion, name: str, known: Histories, now: datetime) -> Note | None:
    if question.then is None or question.time is None:
        return None
    for attribute, facts in values_named(question, known):
        past = [fact for fact in facts if _held(fact, question.time, now)]
        if past and question.then.asks_only_for(attribute, name):
            return looked_up(", ".join(lasted(fact, question.language) for fact in past), past, now)
    return None


def _held(fact: ProfileFact, time: Interval, now: datetime) -> bool:
    """Whether a value held in any past part of this time."""
    end = min(time.end or now, now)
    is_begun = fact.valid_at is None or fact.valid_at < end
    return is_begun and not (time.start and fact.invalid_at and fact.invalid_at <= time.start)
