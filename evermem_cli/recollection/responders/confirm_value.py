"""Answers yes or no about a value that a profile knows: "Do I live in Leeds?", "我对核桃过敏吗？"."""

from datetime import datetime

from evermem_cli.consolidation.attributes import key, same
from evermem_cli.recollection.descriptions import since, until
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.histories import Histories, holding, over, supposed
from evermem_cli.recollection.notes import NO, YES, Note, looked_up
from evermem_cli.recollection.questions.attributes import ProfileQuestion
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def confirm_value(question: Question, recollection: Recollection) -> Answer | None:
    """Yes or no, if the question asks whether a value holds and that value or a different one is known."""
    if not question.profile.is_plain:
        return None
    people, now = recollection.histories.items(), recollection.memory.now
    notes = [note for name, known in people if (note := _note(question.profile, name, known, now))]
    return answer_from(notes[:1], question, recollection)


def _note(question: ProfileQuestion, name: str, known: Histories, now: datetime) -> Note | None:
    tongue = question.language
    for attribute, value_key, denies in supposed(question.polar, name, known):
        facts = known.get(attribute, ())
        alike = [fact for fact in facts if same(attribute, key(attribute, fact.value), value_key)]
        if yes := holding(alike, now):
            return looked_up(f"{YES[tongue]}{since(yes[0], tongue)}", yes[:1], now)
        ended = over(alike, now)[-1:]
        instead = holding(facts, now)[-1:] if denies else []
        if ended or instead:
            values = [*(since(fact, tongue) for fact in instead), *(until(fact, tongue) for fact in ended)]
            return looked_up(f"{NO[tongue]}{'; '.join(values)}", (*instead, *ended), now)
    return None
