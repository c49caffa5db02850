"""Introduces a person: the user's relationship to them, and their profile: "Who is Ruben?"."""

from datetime import datetime

from evermem_cli.memory import EntityType, Relation, Relationship, seen_from
from evermem_cli.recollection.dates import since_when
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.people.descriptions import described
from evermem_cli.recollection.people.histories import histories_of, local_histories
from evermem_cli.recollection.people.network import read_network
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

_BONDS = {
    "en": {Relation.PARTNER_OF: "partner", Relation.FAMILY_OF: "family", Relation.KNOWS: "in your chats"},
    "zh": {Relation.PARTNER_OF: "伴侣", Relation.FAMILY_OF: "家人", Relation.KNOWS: "在你的聊天里"},
}
_SINCE = {"en": "{} (since {})", "zh": "{}（{}起）"}
_UNTIL = {"en": "{} (until {})", "zh": "{}（到{}为止）"}


def introduce_person(question: Question, recollection: Recollection) -> Answer | None:
    """The user's relationship to the person at the time, and the person's profile; None where the name is unknown.

    Raises StoreError, StoreBusy.
    """
    memory, name = recollection.memory, question.subject.person
    if not name or memory.user_id is None:
        return None
    network = read_network(memory.store, memory.user_id, memory.known_by)
    person = network.index.find(name)
    if person is None or person.type is not EntityType.PERSON or person is network.user:
        return None
    profile: list[Note] = []
    if person.user_id:
        known = histories_of(memory.store, memory.user_id, person.user_id, memory.known_by, memory.now)
        profile = described(local_histories(known, memory.now.tzinfo), question.language, memory.now)
    bond = network.of_user(person, memory.now)
    text = f"{person.name}: {_bond(bond, question.language, memory.now)}" if bond else ""
    notes = [Note(text, bond.message_ids), *profile] if bond else profile
    return answer_from(notes, question, recollection)


def _bond(bond: Relationship, tongue: str, now: datetime) -> str:
    word = bond.role or _BONDS[tongue].get(bond.relation, bond.relation.replace("_", " ").lower())
    if bond.invalid_at and bond.invalid_at <= now:
        return _UNTIL[tongue].format(word, since_when(seen_from(bond.invalid_at, now.tzinfo), tongue))
    since = bond.valid_at
    return _SINCE[tongue].format(word, since_when(seen_from(since, now.tzinfo), tongue)) if since else word
