"""Memories with how strong they are, and which of them are archived."""

from dataclasses import replace
from datetime import UTC, datetime

from evermem_cli.cli import lookups
from evermem_cli.cli.lookups import Listing
from evermem_cli.cli.session import Session
from evermem_cli.errors import UsageError
from evermem_cli.memory import CellContents, Episode, Fact, Foresight

WITH_STRENGTH = ("episodes", "facts", "foresights")


def listing(session: Session, kind: str, as_of: str | None, *, archived: bool) -> Listing:
    """`list KIND`: what was told by then, without what is archived, or that alone. Raises UsageError."""
    if kind not in WITH_STRENGTH:
        if as_of or archived:
            raise UsageError("--as-of and --archived are for memories that fade", f"{', '.join(WITH_STRENGTH)} do")
        return lookups.listing(session, kind)
    found, clock = lookups.listing(session, kind), session.now(as_of)
    told = [item for item in found.items if isinstance(item, Episode | Fact | Foresight) and item.said_at <= clock]
    with session.store.read() as reader:
        strengths = reader.strengths((item.id for item in told), clock)
    chosen = tuple(item for item in told if strengths[item.id].archived == archived)
    left_out = 0 if archived else len(told) - len(chosen)
    return replace(found, items=chosen, strengths=strengths, archived=left_out)


def contents(session: Session, prefix: str) -> list[CellContents]:
    """`show ID`: MemCells with the strength of all that is in them. Raises UsageError for an unknown id."""
    found = lookups.contents(session, prefix)
    with session.store.read() as reader:
        strengths = reader.strengths({each for cell in found for each in lookups.ids_of(cell)}, datetime.now(UTC))
    return [replace(each, strengths=strengths) for each in found]
