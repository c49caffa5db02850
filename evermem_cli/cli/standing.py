"""Memories with how strong and how sure they are, and which of them are archived."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from evermem_cli.cli import lookups
from evermem_cli.cli.lookups import Listing
from evermem_cli.cli.session import Session
from evermem_cli.consolidation.accord import confidence
from evermem_cli.errors import UsageError
from evermem_cli.memory import Accord, CellContents, Digest, Episode, Fact, Foresight

WITH_STRENGTH = ("episodes", "facts", "foresights", "digests")


def listing(session: Session, kind: str, as_of: str | None, *, archived: bool) -> Listing:
    """`list KIND`: what was told by then, without what is archived, or that alone. Raises UsageError."""
    if kind not in WITH_STRENGTH:
        if as_of or archived:
            raise UsageError("--as-of and --archived are for memories that fade", f"{', '.join(WITH_STRENGTH)} do")
        return lookups.listing(session, kind)
    found, clock = lookups.listing(session, kind), session.now(as_of)
    told = [
        item for item in found.items if isinstance(item, Episode | Fact | Foresight | Digest) and item.said_at <= clock
    ]
    with session.store.read() as reader:
        strengths = reader.strengths((item.id for item in told), clock)
        known = reader.accords((item.id for item in told), clock)
    sure = (_sure(item, known) if isinstance(item, Fact) else item for item in told)
    chosen = tuple(item for item in sure if strengths[item.id].archived == archived)
    left_out = 0 if archived else len(told) - len(chosen)
    return replace(found, items=chosen, strengths=strengths, accords=known, archived=left_out)


def contents(session: Session, prefix: str) -> list[CellContents]:
    """`show ID`: MemCells with how strong and how sure all in them is. Raises UsageError for an unknown id."""
    found = lookups.contents(session, prefix)
    with session.store.read() as reader:
        ids = {each for cell in found for each in lookups.ids_of(cell)}
        strengths, known = reader.strengths(ids, datetime.now(UTC)), reader.accords(ids)
    return [
        replace(
            each,
            facts=tuple(_sure(fact, known) for fact in each.facts),
            strengths=strengths,
            accords=known,
        )
        for each in found
    ]


def _sure(fact: Fact, known: Mapping[str, Accord]) -> Fact:
    """The fact as sure as it is with what others say of it."""
    return replace(fact, confidence=confidence(fact.confidence, known.get(fact.id, Accord())))
