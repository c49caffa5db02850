"""What people read of memories one below the other: what each says, and under it when, how sure, and its id."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from itertools import groupby
from typing import TYPE_CHECKING, cast

from rich.console import Group, RenderableType
from rich.padding import Padding

from evermem_cli.cli.shared.formatting import DIM, counted, day, excerpt
from evermem_cli.cli.shared.terminal import label, styled
from evermem_cli.memory import (
    Accord,
    CellContents,
    Conversation,
    Digest,
    Episode,
    Extraction,
    Fact,
    Foresight,
    MemCell,
    Scene,
    Time,
)

if TYPE_CHECKING:
    from evermem_cli.cli.lookups.memories import Listing

Item = MemCell | Episode | Fact | Foresight | Conversation | Scene | Digest
INDENT = (0, 0, 0, 4)
# What the language model has made of a topic so far.
FORMED = {
    Extraction.PENDING: "not read by the language model yet",
    Extraction.DONE: "",
    Extraction.FAILED: "the language model gave no usable reply",
}


def listing(found: Listing, zone: tzinfo) -> RenderableType:
    """Memories of one kind; of the narratives of one topic the first, with whose view else there is."""
    if not found.items:
        return styled("none")
    if all(isinstance(item, Episode) for item in found.items):
        return _episodes(cast("Sequence[Episode]", found.items), zone, found)
    return Group(*(item(each, zone, found) for each in found.items))


def foresights(found: Listing, zone: tzinfo) -> RenderableType:
    """What is expected, due first."""
    if not found.items:
        return styled("nothing expected")
    return Group(*(item(each, zone) for each in found.items))


def digests(found: Listing, zone: tzinfo, *, dry_run: bool, undo: bool) -> RenderableType:
    """What is, or would be, summed up, or is no longer."""
    if not found.items:
        return styled("no digests" if undo else "nothing to sum up")
    told = {False: "made", True: "taken away"}[undo]
    count = f"{counted(len(found.items), 'digests')} {'would be ' * dry_run}{told}"
    return Group(listing(found, zone), styled(count))


def item(told: Item, zone: tzinfo, known: Listing | CellContents | None = None) -> RenderableType:
    """A memory, with what is `known` of how strong and how sure it is."""
    match told:
        case MemCell():
            return entry(told.summary or ", ".join(told.participants), _of_topic(told, zone), told.event_id)
        case Episode():
            return _episode([told], zone, known)
        case Fact():
            since = _span(told.valid_at, told.invalid_at, zone) or f"said {day(told.said_at, zone)}"
            return entry(told.atomic_fact, since + _left(told, known), told.id)
        case Foresight():
            return entry(told.foresight, _span(told.start_time, told.end_time, zone) + _left(told, known), told.id)
        case Scene():
            note = f"{told.theme}, {counted(len(told.memcell_ids), 'topics')}"
            return entry(told.summary, note, told.scene_id)
        case Digest():
            days = f"{day(told.start_at, zone)} to {day(told.said_at, zone)}"
            note = f"{counted(len(told.memcell_ids), 'topics')}, {days}" + _left(told, known)
            lines = (Padding(styled(line), INDENT, expand=False) for line in told.digest.splitlines())
            return Group(styled(told.subject, "bold"), *lines, _note(note, told.id))
        case Conversation():
            return entry(told.title or told.key, f"{told.kind}, {told.format}", told.id)


def entry(text: str, note: str, name: str) -> RenderableType:
    """What a memory says, and below it, less bright, a note and its id."""
    return Group(styled(" ".join(text.split())), _note(note, name))


def _note(note: str, name: str) -> RenderableType:
    return Padding(label(f"{note} · {name}" if note else name, DIM), INDENT, expand=False)


def _episodes(told: Sequence[Episode], zone: tzinfo, known: Listing) -> RenderableType:
    topics = groupby(told, key=lambda each: each.memcell_event_id_list)
    views = (sorted(views, key=lambda each: each.user_id is not None) for _, views in topics)
    return Group(*(_episode(each, zone, known) for each in views))


def _episode(views: Sequence[Episode], zone: tzinfo, known: Listing | CellContents | None) -> RenderableType:
    """The narrative of a topic, and who else it is told for."""
    first, others = views[0], [_whose(each, known) for each in views[1:]]
    also = f", also as told for {', '.join(others)}" if others else ""
    note = f"{day(first.said_at, zone)}{also}{_left(first, known)}"
    title = label(first.subject, "bold")
    body = excerpt(first.summary or first.episode)
    same = body.rstrip(".") == first.subject.rstrip(".")  # of a short talk there is no more to tell
    return Group(title, *[Padding(styled(body), INDENT, expand=False)] * (not same), _note(note, first.id))


def _whose(view: Episode, known: Listing | CellContents | None) -> str:
    owner = "" if known is None or isinstance(known, CellContents) else known.owner
    return "you" if view.user_id == owner else view.user_id or "all"


def _of_topic(told: MemCell, zone: tzinfo) -> str:
    parts = (day(told.start_at, zone), counted(len(told.messages), "messages"), FORMED[told.extraction])
    return ", ".join(part for part in parts if part)


def _left(told: Episode | Fact | Foresight | Digest, known: Listing | CellContents | None) -> str:
    """How strong a memory is where it is not as new, and which facts speak for or against it."""
    if known is None or told.id not in known.strengths:
        return ""
    strength, accord = known.strengths[told.id], known.accords.get(told.id, Accord())
    fresh = not strength.access_count and round(strength.strength, 2) == 1
    said = "" if fresh else f", strength {strength.strength:.2f}"
    said += f", shown {strength.access_count}×" if strength.access_count else ""
    said += ", archived" if strength.archived else ""
    said += f", confirmed by {' '.join(accord.confirmed_by)}" if accord.confirmed_by else ""
    return said + (f", ended by {' '.join(accord.ended_by)}" if accord.ended_by else "")


def _span(start: Time | None, end: Time | None, zone: tzinfo) -> str:
    """When something holds; "" where that is not told."""
    if start and end:
        first, last = day(start, zone), day(end, zone)
        return first if first == last else f"{first} to {last}"
    return f"since {day(start, zone)}" if start else f"until {day(end, zone)}" if end else ""
