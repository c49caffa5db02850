"""Memories with their strength and confidence, and which of them are archived."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from evermem_cli.cli.lookups import memories, people
from evermem_cli.cli.lookups.memories import Listing, Memory
from evermem_cli.cli.shared.session import Session
from evermem_cli.consolidation.fact_support import confidence
from evermem_cli.errors import UsageError
from evermem_cli.memory import (
    CellContents,
    Digest,
    Episode,
    Fact,
    FactSupport,
    Foresight,
    MemCell,
    Record,
    Strength,
    Tier,
)

WITH_STRENGTH = ("episodes", "facts", "foresights", "digests")
WITH_PERSON = ("memcells", "episodes", "facts", "foresights", "assertions")


def require_fading(kind: str) -> None:
    """Raises UsageError for a kind of which memories do not fade."""
    if kind not in WITH_STRENGTH:
        raise UsageError("--as-of and --archived are for memories that fade", f"{', '.join(WITH_STRENGTH)} do")


def require_person(kind: str) -> None:
    """Raises UsageError for a kind of which nobody is the one who said it."""
    if kind not in WITH_PERSON:
        raise UsageError("--person is for what somebody said", f"{', '.join(WITH_PERSON)} can be listed with it")


def listing(session: Session, kind: str, as_of: str | None, person: str | None = None, *, archived: bool) -> Listing:
    """`list KIND`: what was known by a time, without archived memories or only those; with a `person` what is theirs.

    Raises UsageError.
    """
    whole, clock = memories.listing(session, kind), session.now(as_of)
    if person is not None:
        whole = replace(whole, items=_theirs(session, whole, people.ids_of(session, person)))
    if kind not in WITH_STRENGTH:
        return whole
    known_then = [
        item for item in whole.items if isinstance(item, Episode | Fact | Foresight | Digest) and item.said_at <= clock
    ]
    with session.store.read() as reader:
        # As of a day that is past, what is archived is what is archived today.
        strengths = reader.strengths.at((item.id for item in known_then), max(clock, session.now(None)))
        known = reader.consolidation.supports((item.id for item in known_then), clock)
    sure = (_sure(item, known) if isinstance(item, Fact) else item for item in known_then)
    chosen = tuple(item for item in sure if strengths[item.id].archived == archived)
    left_out = 0 if archived else len(known_then) - len(chosen)
    topics = {id_: topic for id_, topic in whole.topics.items() if topic.said_at <= clock}
    return replace(whole, items=chosen, strengths=strengths, supports=known, topics=topics, archived=left_out)


def _theirs(session: Session, listed: Listing, person: frozenset[str]) -> tuple[Memory, ...]:
    """The facts and foresights of a person, by ids in lower case; and the topics and episodes in which they speak."""
    with session.store.read() as reader:
        cells = reader.topics.memcells(reader.topics.memcell_ids(session.settings.user))
    topics = {cell.event_id for cell in cells for message in cell.messages if message.user_id.lower() in person}

    def is_theirs(item: Memory) -> bool:
        match item:
            case Fact() | Foresight():
                return item.user_id.lower() in person
            case Episode():
                return not topics.isdisjoint(item.memcell_event_id_list)
            case MemCell():
                return item.event_id in topics
            case _:
                return False

    return tuple(item for item in listed.items if is_theirs(item))


def contents(session: Session, prefix: str) -> list[CellContents]:
    """`show ID`: MemCells with the strength and confidence of everything in them.

    Raises UsageError for an unknown id.
    """
    cells = memories.contents(session, prefix)
    with session.store.read() as reader:
        ids = {memory_id for cell in cells for memory_id in memories.ids_of(cell)}
        strengths, known = reader.strengths.at(ids, datetime.now(UTC)), reader.consolidation.supports(ids)
    return [
        replace(
            cell,
            facts=tuple(_sure(fact, known) for fact in cell.facts),
            strengths=strengths,
            supports=known,
        )
        for cell in cells
    ]


@dataclass(frozen=True, slots=True)
class MemoryState:
    """A memory's properties, strength and privacy tier."""

    record: Record
    strength: Strength
    tier: Tier


def memory_state(session: Session, prefix: str) -> MemoryState | None:
    """The state of the memory with an id or the beginning of one. None for a conversation or a withheld memory.

    A MemCell or scene is as strong as its strongest part, and was shown whenever a part was.
    """
    with replace(session.store, access=None).read() as owner:
        memory_id = owner.records.resolve(prefix)
    with session.store.read() as reader:
        record = reader.records.record(memory_id)
        if record is None:
            return None
        parts = reader.strengths.at(reader.records.parts(memory_id), datetime.now(UTC)).values()
        tier = reader.records.strictest(memory_id, session.settings.privacy)
    return MemoryState(replace(record, confidence=_confidence(session, record)), _joint_strength(parts), tier)


def _confidence(session: Session, record: Record) -> float:
    if record.kind == "rule":
        with session.store.read_experience() as reader:
            return reader.rule(record.id, session.settings.user).confidence
    return confidence(record.confidence, record.support or FactSupport())


def _joint_strength(parts: Collection[Strength]) -> Strength:
    return Strength(
        strength=max(part.strength for part in parts),
        last_accessed=max((part.last_accessed for part in parts if part.last_accessed), default=None),
        access_count=sum(part.access_count for part in parts),
        archived=all(part.archived for part in parts),
    )


def _sure(fact: Fact, known: Mapping[str, FactSupport]) -> Fact:
    """The fact with its confidence after what others say about it."""
    return replace(fact, confidence=confidence(fact.confidence, known.get(fact.id, FactSupport())))
