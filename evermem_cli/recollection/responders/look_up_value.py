"""Looks up a present value: "Where do I live?"."""

from datetime import datetime

from evermem_cli.languages.words import words_of
from evermem_cli.recollection.descriptions import since, until
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.histories import Histories, holding, over
from evermem_cli.recollection.notes import Note, looked_up
from evermem_cli.recollection.profile_notes import NONE, values_named
from evermem_cli.recollection.questions.attributes import OpenQuestion, ProfileQuestion
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def look_up_value(question: Question, recollection: Recollection) -> Answer | None:
    """The value that holds now; if none does, that it ended, with the last value."""
    asked, now = question.profile.now, recollection.memory.now
    if asked is None:
        return None
    people = recollection.histories.items()
    notes = [note for name, known in people if (note := _note(asked, question.profile, name, known, now))]
    return answer_from(notes[:1], question, recollection)


def _note(asked: OpenQuestion, question: ProfileQuestion, name: str, known: Histories, now: datetime) -> Note | None:
    tongue = question.language
    for attribute, facts in values_named(question, known):
        present, ended = holding(facts, now), over(facts, now)[-1:]
        if not asked.asks_only_for(attribute, name) or not (present or ended):  # a future value does not hold yet
            continue
        telling = [fact for fact in present if not question.words.issuperset(words_of(fact.value))]
        if present and not telling:  # "cat" is no answer to "What is my cat called?"
            continue
        present = telling
        text = ", ".join(since(fact, tongue) for fact in present)
        text = text or "; ".join([NONE[tongue], *(until(fact, tongue) for fact in ended)])
        return looked_up(text, present or ended, now)
    return None
