"""Describes the asker from the profile: "Who am I?", "What do you know about me?"."""

from evermem_cli.recollection.descriptions import described
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def describe_asker(question: Question, recollection: Recollection) -> Answer | None:
    """Everything that holds now about the asker, one attribute per line."""
    if not question.profile.is_portrait:
        return None
    histories, now = recollection.histories.values(), recollection.memory.now
    notes = [note for known in histories for note in described(known, question.language, now)]
    return answer_from(notes, question, recollection)
