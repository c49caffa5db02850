"""Describes the asker from the profile: "Who am I?", "What do you know about me?"."""

from evermem_cli.languages.labels import label_of
from evermem_cli.memory import UNNAMED
from evermem_cli.reading.statements.labels import Owner
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.people.descriptions import described
from evermem_cli.recollection.questions.question import NOBODY, Question
from evermem_cli.recollection.recollection import Recollection

NAME = "name"


def describe_asker(question: Question, recollection: Recollection) -> Answer | None:
    """The asker's name and everything that holds now about them, one attribute per line."""
    if not (question.profile.is_portrait and question.profile.owner is Owner.ASKER):
        return None
    histories, now = recollection.known_of(question), recollection.memory.now
    notes = [note for known in histories for note in described(known, question.language, now)]
    if not any(NAME in known for known in histories):
        notes = [*_name(question, recollection, notes), *notes]
    return answer_from(notes, question, recollection)


def _name(question: Question, recollection: Recollection, notes: list[Note]) -> list[Note]:
    """The name under which the asker speaks, with messages of theirs; none where no name is known."""
    name = question.whose.asker
    own = [m.id for hit in recollection.hits for m in hit.messages if m.speaker == name]
    cited = tuple(dict.fromkeys([message_id for note in notes for message_id in note.message_ids] or own))
    if name in (NOBODY, UNNAMED) or not cited:
        return []
    return [Note(f"{label_of(NAME, question.language)}: {name}", cited)]
