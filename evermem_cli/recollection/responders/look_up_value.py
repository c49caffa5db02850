"""Looks up a value: one that holds now, "Where do I live?", or one that held, "Where did I live before May?"."""

from datetime import datetime

from evermem_cli.languages.words import words_of
from evermem_cli.memory import ProfileFact
from evermem_cli.recollection.descriptions import lasted, since, until
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.histories import Histories, holding, over
from evermem_cli.recollection.notes import Note, looked_up
from evermem_cli.recollection.profile_notes import NONE, values_named
from evermem_cli.recollection.questions.attributes import ProfileQuestion
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.timespan import Interval


def look_up_value(question: Question, recollection: Recollection) -> Answer | None:
    """The value that holds now; if none does, that it ended, with the last value.

    Where the question names a past time, the values that held in it, each with its own period.
    """
    asked, people, now = question.profile, recollection.histories.items(), recollection.memory.now
    for look_up in (_present, _past):
        if notes := [note for name, known in people if (note := look_up(asked, name, known, now))]:
            return answer_from(notes[:1], question, recollection)
    return None


def _present(question: ProfileQuestion, name: str, known: Histories, now: datetime) -> Note | None:
    tongue, asked = question.language, question.now
    for attribute, facts in values_named(question, known) if asked else ():
        present, ended = holding(facts, now), over(facts, now)[-1:]
        if not (asked and asked.asks_only_for(attribute, name)) or not (present or ended):
            continue  # a future value does not hold yet
        telling = [fact for fact in present if not question.words.issuperset(words_of(fact.value))]
        if present and not telling:  # "cat" is no answer to "What is my cat called?"
            continue
        present = telling
        text = ", ".join(since(fact, tongue) for fact in present)
        text = text or "; ".join([NONE[tongue], *(until(fact, tongue) for fact in ended)])
        return looked_up(text, present or ended, now)
    return None


def _past(question: ProfileQuestion, name: str, known: Histories, now: datetime) -> Note | None:
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
