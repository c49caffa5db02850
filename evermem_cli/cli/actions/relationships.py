"""People, entities and relationships: look-ups, JSON documents and screens."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from evermem_cli import visibility
from evermem_cli.cli.lookups import elsewhere
from evermem_cli.cli.presentation.documents import CONFIDENCE_DIGITS, Document, external, pick
from evermem_cli.cli.shared.formatting import DIM, counted, day
from evermem_cli.cli.shared.options import moment
from evermem_cli.cli.shared.session import Session
from evermem_cli.cli.shared.terminal import Fitting, joined, label, styled
from evermem_cli.errors import UsageError
from evermem_cli.memory import (
    Action,
    ActionKind,
    Entity,
    EntityType,
    Message,
    Relation,
    Relationship,
    grain_of,
    name_given,
    utc_text,
)
from evermem_cli.recollection.people import network
from evermem_cli.recollection.people.network import Network
from evermem_cli.terminal.visible import one_line
from evermem_cli.visibility import CountedAs

HAPPENED = (Relation.VISITED, Relation.ATTENDED, Relation.PURCHASED)  # these happen on a day and do not last
STATES = (Relation.FAMILY_OF, Relation.PARTNER_OF)  # these are no verbs: somebody is family of somebody
SHOWN = 10  # messages cited per entity, the latest; there may be thousands


@dataclass(frozen=True, slots=True)
class NetworkView:
    """The network of people and things as of a day, in the user's zone, with the messages behind it."""

    network: Network
    now: datetime
    zone: tzinfo
    messages: dict[str, Message]
    names: dict[str, str]

    def name(self, entity_id: str) -> str:
        """The name of an entity."""
        return self.names[entity_id]


def look(session: Session, as_of: str | None = None, known_at: str | None = None) -> NetworkView:
    """The network in the user's chats. Raises UsageError."""
    known = network.read_network(session.store, session.settings.user, moment(known_at, session.zone, end=True))
    cited = {message_id for entity in known.index.entities for message_id in entity.message_ids[-SHOWN:]}
    cited |= {message_id for relationship in known.relationships for message_id in relationship.message_ids}
    with session.store.read() as reader:
        messages = reader.messages.by_id(cited)
    names = {entity.id: entity.name for entity in known.index.entities}
    return NetworkView(known, session.now(as_of), session.zone, messages, names)


def near(session: Session, view: NetworkView, name: str, depth: int) -> list[Relationship]:
    """The relationships of an entity, nearest first. Raises UsageError for an unknown name."""
    return network.near(session.store, view.network, view.network.named(name), depth, view.now)


def ways(session: Session, view: NetworkView, name: str, goal: str) -> list[list[Relationship]]:
    """The shortest paths between two entities. Raises UsageError for unknown names."""
    start, end = view.network.named(name), view.network.named(goal)
    return network.between(session.store, view.network, start, end, view.now)


def merge(session: Session, one: str, other: str) -> None:
    """Merges two names of one person from now on. Raises UsageError where they are not two people."""
    person, name = _two(network.read_network(session.store, session.settings.user), one, other)
    with session.store.write() as writer:
        writer.actions.begin(Action(kind=ActionKind.MERGE))
        writer.actions.merge(session.settings.user, name.user_id or name.name, person.user_id or person.name)
        session.consolidation.update_conflicts(writer)


def merge_preview(session: Session, one: str, other: str) -> list[str]:
    """Which two people `merge` would make one: a line for each, and what comes of it. Raises UsageError."""
    view = look(session)
    pair = _two(view.network, one, other)
    parts = ((_named(person).plain, _stands(person, view), _message_counts(person)) for person in pair)
    lines = [" · ".join(filter(None, part)) for part in parts]
    return [*lines, "They would be one person everywhere. Split, or `evermem undo`, takes that back."]


def _two(known: Network, one: str, other: str) -> list[Entity]:
    """The people of two names, of whom the second gets the name of the first. Raises UsageError."""
    pair = [known.named(name) for name in (one, other)]
    if any(person.type is not EntityType.PERSON for person in pair):
        raise UsageError(f"{one} and {other} are not both people", "`evermem people` lists everybody")
    if pair[0] is pair[1]:
        raise UsageError(f"{one} and {other} are one person already", "`evermem people split` takes names apart")
    return sorted(pair, key=lambda entity: (entity is not known.user, entity.user_id is None))


def split(session: Session, name: str) -> None:
    """Undoes the merges of a name. Raises UsageError where there were none."""
    person = network.read_network(session.store, session.settings.user).named(name)
    with session.store.write() as writer:
        writer.actions.begin(Action(kind=ActionKind.SPLIT))
        undone = writer.actions.split(
            session.settings.user, [name_given(name), person.name, person.user_id or person.name]
        )
        if not undone:
            hint = "`evermem people` shows names of one person together"
            raise UsageError(f"{name} was not merged with anybody", hint)
        session.consolidation.update_conflicts(writer)


def withheld(session: Session, ask: Callable[[Session], Iterable[Entity | Relationship]]) -> int | None:
    """How many more entities the owner would get than the agent; None where the owner asks."""
    return visibility.withheld(session, lambda side: {memory.id for memory in ask(side)}, CountedAs.WORKED_OUT)


def chosen(view: NetworkView, kind: EntityType | None) -> list[Entity]:
    """The entities of one type, or all."""
    return [entity for entity in view.network.index.entities if kind in (None, entity.type)]


def people(view: NetworkView, name: str | None = None) -> list[Entity]:
    """The person with this name, or everybody: the user first, then those who speak and are mentioned most."""
    if name is not None:
        return [view.network.named(name)]
    return sorted(chosen(view, EntityType.PERSON), key=lambda person: person is not view.network.user)


def people_document(view: NetworkView, name: str | None = None) -> Document:
    """`people --json`."""
    return {"people": [_person(person, view) for person in people(view, name)]}


def entities_document(view: NetworkView, kind: EntityType | None) -> Document:
    """`entities --json`."""
    return {"entities": [_entity(entity, view) for entity in chosen(view, kind)]}


def related_document(view: NetworkView, name: str, near_ones: Sequence[Relationship]) -> Document:
    """`related --json`."""
    about = _entity(view.network.named(name), view)
    return {
        "entity": about,
        "as_of": utc_text(view.now),
        "relationships": [_relationship(relationship, view) for relationship in near_ones],
    }


def ways_document(view: NetworkView, name: str, goal: str, paths: Sequence[Sequence[Relationship]]) -> Document:
    """`related --to --json`: each path is a list of relationships from the first entity to the last."""
    ends = {"entity": _entity(view.network.named(name), view), "to": _entity(view.network.named(goal), view)}
    return ends | {
        "as_of": utc_text(view.now),
        "paths": [[_relationship(relationship, view) for relationship in path] for path in paths],
    }


def people_screen(view: NetworkView, name: str | None = None) -> RenderableType:
    """One line per person: name, relationship to the user, messages by and about them, and the last time."""
    persons = people(view, name)
    if not persons:
        return styled("nobody yet; `evermem ingest` reads chats")
    table, entries = Table.grid(padding=(0, 2)), []
    for person in persons:
        bond, counts, last = _stands(person, view), _message_counts(person), day(person.last_mentioned, view.zone)
        table.add_row(_named(person), label(bond), styled(counts, DIM), styled(last, DIM))
        note = ", ".join(part for part in (bond, counts, last) if part)
        entries.append(Group(_named(person), Padding(label(note, DIM), (0, 0, 0, 4), expand=False)))
    return Fitting(table, Group(*entries))


def entities_screen(view: NetworkView, kind: EntityType | None) -> RenderableType:
    """One line per entity: type, names, number of mentions, and the last time."""
    entities = chosen(view, kind)
    if not entities:
        return styled(f"no {kind or 'entity'} is known")
    table = Table.grid(padding=(0, 2))
    for entity in entities:
        count, last = styled(f"{entity.mention_count}×", DIM), styled(day(entity.last_mentioned, view.zone), DIM)
        count.justify = "right"
        table.add_row(styled(entity.type, DIM), _named(entity), count, last)
    return table


def related_screen(
    session: Session, view: NetworkView, name: str, relationships: Sequence[Relationship]
) -> RenderableType:
    """One line per relationship, with a message that states it."""
    if not relationships:
        return styled(_unrelated(session, view.network.named(name), view))
    return Group(*(part for relationship in relationships for part in _line(relationship, view)))


def _unrelated(session: Session, entity: Entity, view: NetworkView) -> str:
    """That no relationships of an entity are known, and what to try."""
    unknown = f"no relationships of {entity.name} are known"
    if any(entity.id in (relationship.source, relationship.target) for relationship in view.network.relationships):
        return f"{unknown} at that time; --as-of names another day"
    return f"{unknown}; {elsewhere.known_of(session, view.network, entity)}"


def ways_screen(view: NetworkView, name: str, goal: str, paths: Sequence[Sequence[Relationship]]) -> RenderableType:
    """Each path as its relationships, one below the other."""
    if not paths:
        return styled(f"no path from {view.network.named(name).name} to {view.network.named(goal).name} is known")
    return Group(
        *(part for path in paths for part in (*(_sentence(relationship, view) for relationship in path), styled("")))
    )


def _entity(entity: Entity, view: NetworkView) -> Document:
    names = ("id", "name", "type", "aliases", "user_id", "mention_count", "first_seen", "last_mentioned")
    shown = external(view.messages[message_id] for message_id in entity.message_ids[-SHOWN:])
    return pick(entity, *names) | {"messages": shown}


def _person(person: Entity, view: NetworkView) -> Document:
    bond = view.network.of_user(person, view.now)
    return _entity(person, view) | {
        "said": person.said,
        "is_user": person is view.network.user,
        "relationship": _relationship(bond, view) if bond else None,
    }


def _relationship(relationship: Relationship, view: NetworkView) -> Document:
    ends = {
        "from": view.name(relationship.source),
        "type": relationship.relation.value,
        "to": view.name(relationship.target),
    }
    ids = {"from_id": relationship.source, "to_id": relationship.target}
    times = pick(relationship, "role", "valid_at", "invalid_at", "said_at")
    return (
        {"id": relationship.id}
        | ends
        | ids
        | times
        | {
            "confidence": round(relationship.confidence, CONFIDENCE_DIGITS),
            "messages": external(view.messages[message_id] for message_id in relationship.message_ids),
        }
    )


def _stands(person: Entity, view: NetworkView) -> str:
    bond = view.network.of_user(person, view.now)
    return "you" if person is view.network.user else _bond(bond, view) if bond else ""


def _message_counts(person: Entity) -> str:
    """How many messages somebody wrote, and how many mention that person."""
    said = counted(person.said, "messages") if person.said else ""
    return ", ".join(part for part in (said, f"named {person.mention_count}×" * bool(person.mention_count)) if part)


def _named(entity: Entity) -> Text:
    also = f" ({', '.join(entity.aliases)})" if entity.aliases else ""
    return label(entity.name, "bold") + label(also, DIM)


def _bond(relationship: Relationship, view: NetworkView) -> str:
    """The user's relationship to somebody: "cousin", "known to you", "partner until 28 Mar 2025"."""
    known = relationship.relation is Relation.KNOWS
    word = relationship.role or ("known to you" if known else relationship.relation.split("_")[0].lower())
    over = relationship.invalid_at is not None and relationship.invalid_at <= view.now
    return f"{word} until {day(relationship.invalid_at, view.zone)}" if over and relationship.invalid_at else word


def _line(relationship: Relationship, view: NetworkView) -> tuple[RenderableType, RenderableType]:
    said = view.messages[relationship.message_ids[0]]
    quote = f"{day(said.said_at, view.zone)}, {one_line(said.speaker)}: {' '.join(said.text.split())}"
    return _sentence(relationship, view), Padding(styled(quote, style=DIM), (0, 0, 0, 4), expand=False)


def _sentence(relationship: Relationship, view: NetworkView) -> Text:
    role = f" ({relationship.role})" if relationship.role else ""
    word = f"{'is ' * (relationship.relation in STATES)}{relationship.relation.replace('_', ' ').lower()}"
    source, target = label(view.name(relationship.source), "bold"), label(view.name(relationship.target), "bold")
    return joined(source, f" {word} ", target, label(role), (_span(relationship, view), DIM))


def _span(relationship: Relationship, view: NetworkView) -> str:
    at = "on" if grain_of(relationship.valid_at) in (None, "day") else "in"
    word = at if relationship.relation in HAPPENED else "from" if relationship.invalid_at else "since"
    since = f"  {word} {day(relationship.valid_at, view.zone)}" if relationship.valid_at else ""
    return f"{since} until {day(relationship.invalid_at, view.zone)}" if relationship.invalid_at else since
