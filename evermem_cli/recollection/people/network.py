"""The network of people and things in the chats, with their relationships, from names and from what people said."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

from evermem_cli.consolidation.entities import EntityIndex, resolve_names
from evermem_cli.consolidation.relations import Tie, begun, read_ties, settled
from evermem_cli.errors import UsageError
from evermem_cli.languages.language import HAN
from evermem_cli.memory import Entity, Naming, Relation, Relationship, content_id, moment_in, name_given
from evermem_cli.recollection.people.histories import histories_of_all
from evermem_cli.store import Store
from evermem_cli.store.read.entities import Companions

FARTHEST = 6  # steps between two entities; beyond that everybody knows everybody
MOST_PATHS = 10
# Which of several relationships between two entities is the most specific.
TELLING = {
    relation: place
    for place, relation in enumerate((*[r for r in Relation if r is not Relation.KNOWS], Relation.KNOWS))
}
TIED = frozenset({Relation.PARTNER_OF, Relation.FAMILY_OF, Relation.OWNS})


@dataclass(frozen=True, slots=True)
class Network:
    """All entities in a user's chats, and all relationships that they ever had."""

    user: Entity | None
    index: EntityIndex
    relationships: tuple[Relationship, ...]

    @property
    def by_id(self) -> dict[str, Entity]:
        """All entities by their ids."""
        return {entity.id: entity for entity in self.index.entities}

    def named(self, name: str) -> Entity:
        """The entity with this name or id; else the speaker whose first name or user id this is.

        Raises UsageError where there is none, or more than one.
        """
        name = name_given(name)
        if entity := self.index.find(name) or self.by_id.get(name):
            return entity
        called = [person for person in self.index.by_user.values() if name.casefold() in _short_names(person)]
        alike = {person.id: person for person in called}
        if len(alike) > 1:
            names = ", ".join(person.name for person in alike.values())
            raise UsageError(f"{name} may be any of several people", f"give the whole name: {names}")
        if not alike:
            others = " or ".join(entity.name for entity in self.alike(name))
            hint = f"perhaps {others}" if others else "`evermem people` and `evermem entities` list the known ones"
            raise UsageError(f"no person or thing called {name} is known", hint)
        return called[0]

    def alike(self, name: str) -> list[Entity]:
        """The entities of whose names this is a part: whole words, where their script has spaces."""
        part = f" {name_given(name).casefold()} "

        def is_part(whole: str) -> bool:
            return part in f" {whole.casefold()} " or (HAN.search(part) is not None and part.strip() in whole)

        return [entity for entity in self.index.entities if any(map(is_part, (entity.name, *entity.aliases)))]

    def of_user(self, entity: Entity, now: datetime) -> Relationship | None:
        """The user's relationship to somebody: the present one, else the last."""
        if self.user is None:
            return None
        both = {self.user.id, entity.id}
        return _most_telling((bond for bond in self.relationships if {bond.source, bond.target} == both), now)

    def of_others(self, entity: Entity, now: datetime) -> Relationship | None:
        """Whose relative, contact or pet somebody is who said so: the present relationship, else the last."""
        said = (
            bond for bond in self.relationships if bond.target == entity.id and (bond.role or bond.relation in TIED)
        )
        return _most_telling(said, now)


def _most_telling(bonds: Iterable[Relationship], now: datetime) -> Relationship | None:
    return min(
        bonds,
        key=lambda bond: (not bond.holds_at(now), TELLING[bond.relation], -bond.said_at.timestamp()),
        default=None,
    )


def _short_names(person: Entity) -> set[str]:
    """The first words of somebody's names, and the user id, in lower case."""
    words = [name.split(" ")[0] for name in (person.name, *person.aliases)]
    return {word.casefold() for word in (*words, person.user_id or person.name)}


def read_network(store: Store, user_id: str, known_at: datetime | None = None) -> Network:
    """The network in the chats that a user may read, as known by a time. Raises StoreError, StoreBusy."""
    people = histories_of_all(store, user_id, known_at)
    asserted = [(person, tie) for person, known in people.items() for tie in read_ties(known)]
    with store.read() as reader:
        speakers = reader.entities.who_speaks(user_id, known_at)
        namings = reader.entities.namings(user_id, known_at)
        merged = reader.names.merged(user_id)
        companions = reader.entities.companions(user_id, known_at)
        names = [*(speaker.name for speaker in speakers), *(tie.name for _, tie in asserted)]
        namings += reader.entities.spoken_of((name for name in names if HAN.search(name)), user_id, known_at)
    entities = resolve_names(speakers, namings, (_naming(tie) for _, tie in asserted), merged)
    relationships = [*_relationships(asserted, entities), *_acquaintances(companions, entities, user_id)]
    return Network(
        user=entities.by_user.get(user_id),
        index=entities,
        relationships=tuple(
            sorted(
                {relationship.id: relationship for relationship in relationships}.values(),
                key=lambda relationship: (
                    moment_in(relationship.valid_at or relationship.said_at, UTC),
                    relationship.id,
                ),
            )
        ),
    )


def _naming(tie: Tie) -> Naming:
    said = {
        (assertion.said_at, message_id) for assertion in tie.fact.assertions for message_id in assertion.message_ids
    }
    return Naming(name=tie.name, type=tie.type, said=tuple(sorted(said)))


def _relationships(asserted: Iterable[tuple[str, Tie]], entities: EntityIndex) -> Iterator[Relationship]:
    for person, tie in asserted:
        source, target = entities.by_user.get(person, entities.find(person)), entities.find(tie.name)
        if source is None or target is None or source is target:
            continue
        relation = settled(tie.relation, target.type)
        if relation is not None:
            yield _relationship(source, relation, target, tie)


def _relationship(source: Entity, relation: Relation, target: Entity, tie: Tie) -> Relationship:
    fact = tie.fact
    return Relationship(
        id=content_id("rel", source.id, relation, target.id, fact.assertions[0].id),
        source=source.id,
        relation=relation,
        target=target.id,
        role=tie.role,
        valid_at=begun(relation, fact),
        invalid_at=fact.invalid_at,
        said_at=fact.said_at,
        confidence=fact.confidence,
        message_ids=fact.message_ids,
    )


def _acquaintances(companions: Iterable[Companions], entities: EntityIndex, user_id: str) -> Iterator[Relationship]:
    met: set[frozenset[str]] = set()
    for one, other, since, message_ids in sorted(companions, key=lambda companion: companion.since):
        first, second = (other, one) if other == user_id else (one, other)  # a statement about oneself
        source, target = entities.by_user[first], entities.by_user[second]
        pair = frozenset((source.id, target.id))
        if len(pair) == 2 and pair not in met:
            met.add(pair)
            yield Relationship(
                id=content_id("rel", source.id, Relation.KNOWS, target.id, *message_ids),
                source=source.id,
                relation=Relation.KNOWS,
                target=target.id,
                role=None,
                valid_at=since,
                invalid_at=None,
                said_at=since,
                confidence=1.0,
                message_ids=tuple(message_ids),
            )


def near(store: Store, known: Network, start: Entity, depth: int, moment: datetime) -> list[Relationship]:
    """The relationships at a moment within `depth` steps of `start`, nearest first."""
    with store.read() as reader:
        steps = reader.entities.reached(_links(known, moment), start.id, depth)

    def distance(relationship: Relationship) -> int:
        return min(steps.get(relationship.source, depth), steps.get(relationship.target, depth))

    relationships = [relationship for relationship in _holding(known, moment) if distance(relationship) < depth]
    return sorted(relationships, key=lambda relationship: (distance(relationship), TELLING[relationship.relation]))


def between(store: Store, known: Network, start: Entity, goal: Entity, moment: datetime) -> list[list[Relationship]]:
    """The shortest paths at a moment from one entity to another; of several relationships the most specific."""
    with store.read() as reader:
        paths = reader.entities.paths(_links(known, moment), start.id, goal.id, FARTHEST, MOST_PATHS)
    best: dict[frozenset[str], Relationship] = {}
    for relationship in sorted(_holding(known, moment), key=lambda relationship: -TELLING[relationship.relation]):
        best[frozenset((relationship.source, relationship.target))] = relationship
    return [[best[frozenset(pair)] for pair in pairwise(path)] for path in paths]


def _holding(known: Network, moment: datetime) -> Iterator[Relationship]:
    return (relationship for relationship in known.relationships if relationship.holds_at(moment))


def _links(known: Network, moment: datetime) -> list[tuple[str, str]]:
    return [(relationship.source, relationship.target) for relationship in _holding(known, moment)]
