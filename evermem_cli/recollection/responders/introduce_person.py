"""Introduces a person or a pet: whose and what they are, and their profile: "Who is Ruben?", "Who is Biscuit?"."""

from datetime import datetime

from evermem_cli.memory import Entity, EntityType, Relation, Relationship, seen_from
from evermem_cli.recollection.dates import since_when
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.people.descriptions import described
from evermem_cli.recollection.people.histories import histories_of, local_histories
from evermem_cli.recollection.people.network import Network, read_network
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

_INTRODUCED = frozenset({EntityType.PERSON, EntityType.ANIMAL})
_BONDS = {
    "en": {Relation.PARTNER_OF: "partner", Relation.FAMILY_OF: "family", Relation.OWNS: "pet"},
    "zh": {Relation.PARTNER_OF: "伴侣", Relation.FAMILY_OF: "家人", Relation.OWNS: "宠物"},
}
_MET = {"en": "in your chats", "zh": "在你的聊天里"}
_THEIRS = {"en": "{}'s {}", "zh": "{}的{}"}
_SINCE = {"en": "{} (since {})", "zh": "{}（{}起）"}
_UNTIL = {"en": "{} (until {})", "zh": "{}（到{}为止）"}


def introduce_person(question: Question, recollection: Recollection) -> Answer | None:
    """Whose and what they are at the time, and a person's profile; None where the name is unknown.

    Raises StoreError, StoreBusy.
    """
    memory, name = recollection.memory, question.subject.person
    if not name or memory.user_id is None:
        return None
    network = read_network(memory.store, memory.user_id, memory.known_by)
    person = network.index.find(name)
    if person is None or person.type not in _INTRODUCED or person is network.user:
        return None
    profile: list[Note] = []
    if person.user_id:
        known = histories_of(memory.store, memory.user_id, person.user_id, memory.known_by, memory.now)
        profile = described(local_histories(known, memory.now.tzinfo), question.language, memory.now)
    bond = network.of_user(person, memory.now)
    if bond is None or bond.is_acquaintance:
        bond = network.of_others(person, memory.now) or bond
    text = f"{person.name}: {_bond(bond, person, network, question.language, memory.now)}" if bond else ""
    notes = [Note(text, bond.message_ids)] if bond else []
    return answer_from([*notes, *profile], question, recollection)


def _bond(bond: Relationship, person: Entity, network: Network, tongue: str, now: datetime) -> str:
    """What somebody is to the user, or to somebody else: "vet", "Ann's dog"."""
    role = bond.role if bond.target == person.id else None  # "my sister Lena" says nothing of who said so
    word = role or (_MET[tongue] if bond.is_acquaintance else _BONDS[tongue].get(bond.relation, _other(bond)))
    if network.user is None or network.user.id not in (bond.source, bond.target):
        word = _THEIRS[tongue].format(network.by_id[bond.source].name, word)
    if bond.invalid_at and bond.invalid_at <= now:
        return _UNTIL[tongue].format(word, since_when(seen_from(bond.invalid_at, now.tzinfo), tongue))
    since = bond.valid_at
    return _SINCE[tongue].format(word, since_when(seen_from(since, now.tzinfo), tongue)) if since else word


def _other(bond: Relationship) -> str:
    return bond.relation.replace("_", " ").lower()
