"""Answers yes or no about a value that a profile knows: "Do I live in Leeds?", "我对核桃过敏吗？"."""

from datetime import datetime

from evermem_cli.consolidation.attributes import excluded, key, same
from evermem_cli.languages.words import words_of
from evermem_cli.recollection.descriptions import since, until
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.histories import Histories, holding, over
from evermem_cli.recollection.notes import NO, YES, Note, looked_up
from evermem_cli.recollection.questions.attributes import ProfileQuestion
from evermem_cli.recollection.questions.polar import supposed
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

DIET = "diet"


def confirm_value(question: Question, recollection: Recollection) -> Answer | None:
    """Yes or no, if the question asks whether a value holds and that value or a different one is known."""
    if not question.profile.is_plain:
        return None
    people, now = recollection.histories.items(), recollection.memory.now
    notes = [note for name, known in people if (note := _note(question.profile, name, known, now))]
    return answer_from(notes[:1], question, recollection)


def _note(question: ProfileQuestion, name: str, known: Histories, now: datetime) -> Note | None:
    tongue = question.language
    for attribute, value, denies in supposed(question.polar, name, known):
        facts = known.get(attribute, ())
        alike = [fact for fact in facts if _says(attribute, fact.value, value)]
        if yes := holding(alike, now):
            return looked_up(f"{YES[tongue]}{since(yes[0], tongue)}", yes[:1], now)
        ended = over(alike, now)[-1:]
        others = (fact for fact in holding(facts, now) if attribute != DIET or _excludes(fact.value, value))
        instead = list(others)[-1:] if denies or attribute == DIET else []
        if ended or instead:
            values = [*(since(fact, tongue) for fact in instead), *(until(fact, tongue) for fact in ended)]
            return looked_up(f"{NO[tongue]}{'; '.join(values)}", (*instead, *ended), now)
    return None


def _says(attribute: str, known: str, asked: str) -> bool:
    """Whether a known value is the one asked about, or implies it: who eats "no meat" is no eater of meat."""
    if attribute != DIET or bool(excluded(known)) == bool(excluded(asked)):
        alike = same(attribute, key(attribute, known), key(attribute, asked))
        return alike or (attribute == DIET and frozenset() < excluded(asked) <= excluded(known))
    return False


def _excludes(known: str, asked: str) -> bool:
    """Whether one of a known and an asked diet or food leaves no place for the other."""
    foods, diet = set(words_of(asked)), excluded(known)
    if excluded(asked):
        foods, diet = set(words_of(known)) | diet, excluded(asked)
    return not diet.isdisjoint(foods)
