"""Looks up a value: one that holds now, "Where do I live?", or one that held, "Where did I live before May?"."""

from datetime import datetime

from evermem_cli.languages.words import words_of
from evermem_cli.memory import ProfileFact
from evermem_cli.naming import NAME
from evermem_cli.recollection.descriptions import lasted, since, until
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.histories import Histories, holding, over
from evermem_cli.recollection.notes import Note, looked_up
from evermem_cli.recollection.profile_notes import NOTHING_LATER, values_named
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.timespan import Interval


def look_up_value(question: Question, recollection: Recollection) -> Answer | None:
    """The value that holds now; if none does, that it ended, with the last value.

    Where the question names a past time, the values that held in it, each with its own period.
    """
    people, now = recollection.histories.items(), recollection.memory.now
    for look_up in (_present, _past):
        if notes := [note for name, known in people if (note := look_up(question, name, known, now))]:
            return answer_from(notes[:1], question, recollection)
    return None


def _present(question: Question, name: str, known: Histories, now: datetime) -> Note | None:
    tongue, asked = question.language, question.profile.now
    if asked is None:
        return None
    for attribute, facts in values_named(question.profile, known):
        present, ended = holding(facts, now), over(facts, now)[-1:]
        if not asked.asks_only_for(attribute, name) or not (present or ended):  # a future value does not hold yet
            continue
        telling = [fact for fact in present if _tells(fact.value, question)]
        if present and not telling:
            continue
        text = ", ".join(since(fact, tongue) for fact in telling)
        text = text or "; ".join([*(until(fact, tongue) for fact in ended), NOTHING_LATER[tongue]])
        return looked_up(text, telling or ended, now)
    return None


def _tells(value: str, question: Question) -> bool:
    """Whether a value says more than the question: neither "cat" nor "one cat" answers "What is my cat called?"."""
    if question.profile.words.issuperset(words_of(value)):
        return False
    return not question.named_thing or bool(NAME.search(value))


def _past(question: Question, name: str, known: Histories, now: datetime) -> Note | None:
    asked, time = question.profile.then, question.profile.time
    if asked is None or time is None:
        return None
    for attribute, facts in values_named(question.profile, known):
        past = [fact for fact in facts if _held(fact, time, now)]
        if past and asked.asks_only_for(attribute, name):
            return looked_up(", ".join(lasted(fact, question.language) for fact in past), past, now)
    return None


def _held(fact: ProfileFact, time: Interval, now: datetime) -> bool:
    """Whether a value held in any past part of this time."""
    end = min(time.end or now, now)
    is_begun = fact.valid_at is None or fact.valid_at < end
    return is_begun and not (time.start and fact.invalid_at and fact.invalid_at <= time.start)
