"""Looks up a present value: "Where do I live?"."""

from datetime import datetime

from evermem_cli.languages.words import words_of
from evermem_cli.naming import NAME
from evermem_cli.recollection.descriptions import since, until
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.histories import Histories, holding, over
from evermem_cli.recollection.notes import Note, looked_up
from evermem_cli.recollection.profile_notes import NONE, values_named
from evermem_cli.recollection.questions.attributes import OpenQuestion
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def look_up_value(question: Question, recollection: Recollection) -> Answer | None:
    """The value that holds now; if none does, that it ended, with the last value."""
    asked, now = question.profile.now, recollection.memory.now
    if asked is None:
        return None
    people = recollection.histories.items()
    notes = [note for name, known in people if (note := _note(asked, question, name, known, now))]
    return answer_from(notes[:1], question, recollection)


def _note(asked: OpenQuestion, question: Question, name: str, known: Histories, now: datetime) -> Note | None:
    tongue = question.language
    for attribute, facts in values_named(question.profile, known):
        present, ended = holding(facts, now), over(facts, now)[-1:]
        if not asked.asks_only_for(attribute, name) or not (present or ended):  # a future value does not hold yet
            continue
        telling = [fact for fact in present if _tells(fact.value, question)]
        if present and not telling:
            continue
        present = telling
        text = ", ".join(since(fact, tongue) for fact in present)
        text = text or "; ".join([NONE[tongue], *(until(fact, tongue) for fact in ended)])
        return looked_up(text, present or ended, now)
    return None


def _tells(value: str, question: Question) -> bool:
    """Whether a value says more than the question: neither "cat" nor "one cat" answers "What is my cat called?"."""
    if question.profile.words.issuperset(words_of(value)):
        return False
    return not question.named_thing or bool(NAME.search(value))
