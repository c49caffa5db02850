"""Looks up a value: one that holds now, "Where do I live?", or one that held, "Where did I live before May?"."""

from datetime import datetime

from evermem_cli.consolidation.attributes import OTHERS
from evermem_cli.languages.words import words_of
from evermem_cli.memory import ProfileFact
from evermem_cli.naming import NAME
from evermem_cli.reading.statements.labels import Asks, Era
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.notes import Note, looked_up
from evermem_cli.recollection.people.descriptions import lasted, since, until
from evermem_cli.recollection.people.histories import Histories, holding, over
from evermem_cli.recollection.people.profile_notes import NOTHING_LATER
from evermem_cli.recollection.questions.form import Form
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.timespan import Interval

# The attributes whose values are answers of a form: "Which day is my day off?" has none among habits.
_OF_TIMES = frozenset({"birthday", "age"})
_OF_FORM = {
    Form.DATE: _OF_TIMES,
    Form.CLOCK: _OF_TIMES,
    Form.LENGTH: _OF_TIMES,
    Form.PERSON: OTHERS | {"partner", "relationship", "name", "employer", "likes", "dislikes", "avoids"},
}


def look_up_value(question: Question, recollection: Recollection) -> Answer | None:
    """The value that holds now; if none does, that it ended, with the last value.

    Where the question is about the past, the values that held in the time that it names, each with its own period.
    """
    now = recollection.memory.now
    if not question.profile.asks_for(Asks.VALUE) or question.wants.story or question.wants.advice:
        return None
    if question.profile.attribute not in _OF_FORM.get(question.form, {question.profile.attribute}):
        return None
    look_up = _present if question.profile.is_of_now(now) else _past
    people = recollection.known_of(question)
    notes = [note for known in people if (note := look_up(question, known, now))]
    return answer_from(notes[:1], question, recollection)


def _present(question: Question, known: Histories, now: datetime) -> Note | None:
    attribute, tongue = question.profile.attribute, question.language
    facts = question.profile.meant(attribute, known.get(attribute, ()))
    present, ended = holding(facts, now), over(facts, now)[-1:]  # a future value does not hold yet
    telling = [fact for fact in present if _tells(fact.value, question)]
    if not (telling or ended) or (present and not telling):
        return None
    text = ", ".join(since(fact, tongue) for fact in telling)
    text = text or "; ".join([*(until(fact, tongue) for fact in ended), NOTHING_LATER[tongue]])
    return looked_up(text, telling or ended, now)


def _tells(value: str, question: Question) -> bool:
    """Whether a value says more than the question: neither "cat" nor "one cat" answers "What is my cat called?"."""
    if question.profile.words.issuperset(words_of(value)):
        return False
    return not question.named_thing or bool(NAME.search(value))


def _past(question: Question, known: Histories, now: datetime) -> Note | None:
    """The values that held in the time that the question names; all there were where it names none."""
    attribute, time = question.profile.attribute, question.profile.time or Interval(None, None, "")
    if question.profile.era is Era.AHEAD:
        return None
    facts = question.profile.meant(attribute, known.get(attribute, ()))
    past = [fact for fact in facts if _held(fact, time, now)]
    return looked_up(", ".join(lasted(fact, question.language) for fact in past), past, now) if past else None


def _held(fact: ProfileFact, time: Interval, now: datetime) -> bool:
    """Whether a value held in any past part of this time."""
    is_begun = fact.valid_at is None or (fact.valid_at <= now and not (time.end and fact.valid_at >= time.end))
    return is_begun and not (time.start and fact.invalid_at and fact.invalid_at <= time.start)
