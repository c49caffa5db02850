"""The properties of any memory, as a JSON document and as a screen."""

from datetime import tzinfo

from rich.console import Group, RenderableType
from rich.padding import Padding

from evermem_cli.cli.lookups.strengths import MemoryState
from evermem_cli.cli.presentation.documents import CONFIDENCE_DIGITS, STRENGTH_DIGITS, Document, pick, plain
from evermem_cli.cli.shared.formatting import DIM, counted, day
from evermem_cli.cli.shared.terminal import styled
from evermem_cli.memory import Tier, Time
from evermem_cli.memory.privacy import Ground


def document(state: MemoryState | None) -> Document:
    """`memory` of `show --json`: the fields of every memory; null for a conversation."""
    if state is None:
        return {"memory": None}
    record, strength = state.record, state.strength
    fields = pick(record, "id", "kind", "content", "context", "valid_at", "invalid_at", "created_at")
    fields |= {"strength": round(strength.strength, STRENGTH_DIGITS)}
    fields |= pick(strength, "last_accessed", "access_count", "archived") | pick(record, "sources")
    fields |= {"confidence": round(record.confidence, CONFIDENCE_DIGITS)} | pick(record, "contradictions")
    return {"memory": fields | {"privacy_tier": plain(state.tier)}}


def ground_document(ground: Ground | None) -> Document:
    """`withheld_because` of `show --json`; null where every assistant is shown the memory."""
    because = pick(ground, "id", "domain") | {"privacy_tier": plain(ground.tier)} if ground else None
    return {"withheld_because": because}


def ground_line(memory_id: str, ground: Ground | None) -> str:
    """Why an assistant is not shown a memory, as the end of a line; "" where every assistant is."""
    if ground is None:
        return ""
    whom = "no assistant is shown it" if ground.tier is Tier.PRIVATE else "an assistant is shown it only with a reason"
    about = f" ({ground.domain})" if ground.domain else ""
    return f"{whom}, since {'it' if ground.id == memory_id else ground.id} is {ground.tier}{about}"


def screen(state: MemoryState | None, ground: Ground | None, zone: tzinfo) -> RenderableType:
    """The same in four lines, without the ids of its sources, which follow; and why an assistant is not shown it.

    Of a conversation only the latter.
    """
    if state is None:
        return Group(*map(styled, filter(None, [ground_line("", ground)])))
    record, strength = state.record, state.strength
    shown = f", shown {strength.access_count}×, last on {_day(strength.last_accessed, zone)}"
    faded = f"strength {strength.strength:.2f}{shown * bool(strength.access_count)}{', archived' * strength.archived}"
    ended = f", contradicted by {' '.join(record.contradictions)}" if record.contradictions else ""
    true = f"true from {_day(record.valid_at, zone)} to {_day(record.invalid_at, zone)}"
    lines = (
        f"{record.context or 'no domain'}, {state.tier}; {true}; written {_day(record.created_at, zone)}",
        *filter(None, [ground_line(record.id, ground)]),
        f"{faded}; confidence {record.confidence:.2f}{ended}; {counted(len(record.sources), 'sources')}",
    )
    head = styled(record.id, style=DIM) + styled(f"  {record.kind}", style="bold")
    return Group(
        head, *(Padding(styled(line), (0, 0, 0, 2), expand=False) for line in (record.content, *lines)), styled("")
    )


def _day(moment: Time | None, zone: tzinfo) -> str:
    return day(moment, zone) if moment else "…"
