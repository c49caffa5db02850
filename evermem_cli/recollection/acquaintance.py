"""Who somebody is, where a question asks for that: how the user stands to them, and what they said of themselves."""

from datetime import datetime

from evermem_cli.language import language
from evermem_cli.memory import EntityType, Filter, Relation, Relationship
from evermem_cli.recollection.dated import day
from evermem_cli.recollection.known import portrait
from evermem_cli.recollection.network import network
from evermem_cli.recollection.notes import Note, listed
from evermem_cli.recollection.question import asked_person
from evermem_cli.store import Store

_BONDS = {
    "en": {Relation.PARTNER_OF: "partner", Relation.FAMILY_OF: "family", Relation.KNOWS: "in your chats"},
    "zh": {Relation.PARTNER_OF: "伴侣", Relation.FAMILY_OF: "家人", Relation.KNOWS: "在你的聊天里"},
}
_SINCE = {"en": "{} (since {})", "zh": "{}（{}起）"}
_UNTIL = {"en": "{} (until {})", "zh": "{}（到{}为止）"}


def introduction(question: str, store: Store, where: Filter, now: datetime) -> list[Note]:
    """How the user stood to whom the question names by then, and that person's profile; nothing of whom nobody named.

    Raises StoreError, StoreBusy.
    """
    name = asked_person(question)
    if not name or where.user_id is None:
        return []
    told_by = min(where.known_at or now, now)
    known = network(store, where.user_id, told_by)
    person = known.cast.find(name)
    if person is None or person.type is not EntityType.PERSON or person is known.user:
        return []
    tongue = language(question)
    with store.read() as reader:
        told = reader.assertions(person.user_id, reader=where.user_id, known_at=told_by) if person.user_id else []
    described = portrait(tongue, told, now)
    bond = known.of_user(person, now)
    return listed([*([(f"{person.name}: {_bond(bond, tongue, now)}", bond.message_ids)] if bond else []), *described])


def _bond(bond: Relationship, tongue: str, now: datetime) -> str:
    word = bond.role or _BONDS[tongue].get(bond.relation, bond.relation.replace("_", " ").lower())
    if bond.invalid_at and bond.invalid_at <= now:
        return _UNTIL[tongue].format(word, day(bond.invalid_at.astimezone(now.tzinfo), tongue))
    since = bond.valid_at
    return _SINCE[tongue].format(word, day(since.astimezone(now.tzinfo), tongue)) if since else word
