"""Lists of memories: the text of each, and below it the time, confidence and id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import tzinfo
from itertools import groupby
from typing import TYPE_CHECKING, cast

from rich.console import Group, RenderableType
from rich.padding import Padding

from evermem_cli.cli.shared.formatting import DIM, counted, day, excerpt
from evermem_cli.cli.shared.terminal import Fitting, Hanging, OneLine, label, styled
from evermem_cli.memory import (
    CellContents,
    ChatKind,
    Conversation,
    Digest,
    Episode,
    Extraction,
    Fact,
    FactSupport,
    Foresight,
    MemCell,
    Scene,
    Time,
)
from evermem_cli.terminal.visible import one_line

if TYPE_CHECKING:
    from evermem_cli.cli.lookups.memories import Listing, Memory

INDENT = (0, 0, 0, 4)
BETWEEN = {ChatKind.GROUP: "between people", ChatKind.ASSISTANT: "with an assistant"}
_UNTITLED = "(no title)"  # of a topic that had not ended at the time asked for, or that is withheld
# The state in extraction of a topic that has memories.
STATES = {
    Extraction.PENDING: "left for the language model",
    Extraction.DONE: "",
    Extraction.FAILED: "the language model gave no usable reply",
}


def listing(listed: Listing, zone: tzinfo) -> RenderableType:
    """Memories of one kind: facts below their topics; of the narratives of a topic the first, and whose else exist."""
    if not listed.items:
        return styled("none" if listed.archived else "none; `evermem status` says what is still to do")
    if all(isinstance(item, Episode) for item in listed.items):
        return _episodes(cast("Sequence[Episode]", listed.items), zone, listed)
    if listed.outlines:
        return _conversations(cast("Sequence[Conversation]", listed.items), zone, listed)
    if listed.topics:
        return _facts(cast("Sequence[Fact]", listed.items), zone, listed)
    return Group(*(item(memory, zone, listed) for memory in listed.items))


def _facts(facts: Sequence[Fact], zone: tzinfo, known: Listing) -> RenderableType:
    """Facts below the titles of their topics, without which many a fact cannot be understood; topics as they begin."""
    by_topic: dict[str, list[Fact]] = {}
    for fact in facts:
        by_topic.setdefault(fact.parent_id, []).append(fact)
    parts: list[RenderableType] = []
    for topic_id, own in by_topic.items():
        topic = known.topics.get(topic_id)
        parts.append(OneLine(label(topic.subject, "bold")) if topic else styled(_UNTITLED, DIM))
        parts += [Padding(item(fact, zone, known), INDENT) for fact in own]
    return Group(*parts)


def chat(listed: Listing, cells: Sequence[CellContents], zone: tzinfo) -> RenderableType:
    """The name, participants, days and size of the chat that is listed; nothing where none is."""
    names = dict.fromkeys(name for known in cells for name in known.cell.participants)
    return Group(*([listing(listed, zone), _note("", one_line(", ".join(names))), styled("")] if listed.items else []))


def foresights(listed: Listing, zone: tzinfo, waiting: int, endless: int = 0) -> RenderableType:
    """What is expected, by start. `waiting` topics may tell more; `endless` ones that began long ago are left out."""
    left = f" yet, with {counted(waiting, 'topics')} left for `evermem enrich`" if waiting else ""
    shown = [item(memory, zone) for memory in listed.items] or [styled(f"nothing is expected{left}")]
    long_ago = f"{counted(endless, 'foresights')} without an end began more than a month ago (shown by --all)"
    return Group(*shown, *([styled(long_ago)] if endless else []))


def digests(listed: Listing, zone: tzinfo, *, dry_run: bool, undo: bool) -> RenderableType:
    """The digests that were, or would be, made or removed."""
    if not listed.items:
        return styled("no digests" if undo else "no old topics to summarise")
    outcome = {False: "made", True: "removed"}[undo]
    count = f"{counted(len(listed.items), 'digests')} {'would be ' * dry_run}{outcome}"
    return Group(listing(listed, zone), styled(count))


def item(noun: Memory, zone: tzinfo, known: Listing | CellContents | None = None) -> RenderableType:
    """A memory, with its strength and confidence from `known`."""
    match noun:
        case MemCell():
            return entry(noun.summary or ", ".join(noun.participants), _of_topic(noun, zone), noun.event_id)
        case Episode():
            return _episode([noun], zone, known)
        case Fact():
            since = _span(noun.valid_at, noun.invalid_at, zone) or f"said {day(noun.said_at, zone)}"
            return entry(noun.atomic_fact, since + _left(noun, known), noun.id)
        case Foresight():
            span = _span(noun.start_time, noun.end_time, zone) + ", predicted" * noun.predicted
            return entry(noun.foresight, span + _left(noun, known), noun.id)
        case Scene():
            note = f"{noun.theme}, {counted(len(noun.memcell_ids), 'topics')}"
            return entry(noun.summary, note, noun.scene_id)
        case Digest():
            days = f"{day(noun.start_at, zone)} to {day(noun.said_at, zone)}"
            note = f"{counted(len(noun.memcell_ids), 'topics')}, {days}" + _left(noun, known)
            lines = (Padding(styled(line), INDENT, expand=False) for line in noun.digest.splitlines())
            return Group(OneLine(label(noun.subject, "bold")), *lines, _note(note, noun.id))
        case Conversation():
            return entry(noun.title or noun.key, f"{BETWEEN[noun.kind]}, {noun.format}", noun.id)


def entry(text: str, note: str, name: str) -> RenderableType:
    """A memory's text, and below it in dim type a note and its id."""
    return Group(Hanging(styled(" ".join(text.split()))), _note(note, name))


def _note(note: str, name: str) -> RenderableType:
    whole, *parts = (
        Padding(label(line, DIM), INDENT, expand=False)
        for line in (f"{note} · {name}" if note else name, note, f"· {name}")
    )
    return Fitting(whole, Group(*parts)) if note else whole


def _conversations(chats: Sequence[Conversation], zone: tzinfo, known: Listing) -> RenderableType:
    """Chats with their days and sizes. Of several with one name each is told by what a person said first in it, too."""
    alike = Counter(outline.name for outline in known.outlines.values())
    return Group(*(_conversation(chat, zone, known, alike) for chat in chats))


def _conversation(chat: Conversation, zone: tzinfo, known: Listing, alike: Mapping[str, int]) -> RenderableType:
    """A chat; `alike` tells how many chats have each name, which for many untitled ones is that of their file."""
    outline = known.outlines.get(chat.id)
    if outline is None:
        return item(chat, zone)
    opening = excerpt(outline.opening) if alike[outline.name] > 1 else ""
    heading = OneLine(label(f"{outline.name}: {opening}" if opening else outline.name))
    size = counted(outline.message_count, "messages")
    days = _span(outline.first_at, outline.last_at, zone)
    whom = "with yourself" if outline.is_alone else BETWEEN[chat.kind]
    return Group(heading, _note(f"{whom}, {chat.format}, {days}, {size}", chat.id))


def _episodes(episodes: Sequence[Episode], zone: tzinfo, known: Listing) -> RenderableType:
    topics = groupby(episodes, key=lambda episode: episode.memcell_event_id_list)
    views = (sorted(views, key=lambda episode: episode.user_id is not None) for _, views in topics)
    return Group(*(_episode(topic, zone, known) for topic in views))


def _episode(views: Sequence[Episode], zone: tzinfo, known: Listing | CellContents | None) -> RenderableType:
    """The narrative of a topic, and the other views that exist."""
    first, others = views[0], [_whose(episode, known) for episode in views[1:]]
    also = f", also as told for {', '.join(others)}" if others else ""
    note = f"{day(first.said_at, zone)}{also}{_left(first, known)}"
    title = OneLine(label(first.subject, "bold"))
    body = excerpt(first.summary or first.episode)
    same = body.rstrip(".") == first.subject.rstrip(".")  # a short talk has no longer narrative
    return Group(title, *[Padding(styled(body), INDENT, expand=False)] * (not same), _note(note, first.id))


def _whose(view: Episode, known: Listing | CellContents | None) -> str:
    owner = "" if known is None or isinstance(known, CellContents) else known.owner
    return "you" if view.user_id == owner else view.user_id or "all"


def _of_topic(cell: MemCell, zone: tzinfo) -> str:
    parts = (day(cell.start_at, zone), counted(len(cell.messages), "messages"), _state(cell))
    return ", ".join(part for part in parts if part)


def _state(cell: MemCell) -> str:
    is_waiting = cell.extraction is Extraction.PENDING
    return "not formed yet" if is_waiting and not cell.is_formed else STATES[cell.extraction]


def _left(memory: Episode | Fact | Foresight | Digest, known: Listing | CellContents | None) -> str:
    """The strength of a memory that has faded, how often it was shown, and whether others confirm or replaced it."""
    if known is None or memory.id not in known.strengths:
        return ""
    strength, support = known.strengths[memory.id], known.supports.get(memory.id, FactSupport())
    parts: dict[str, object] = {
        f"strength {strength.strength:.2f}": round(strength.strength, 2) < 1,
        f"shown {strength.access_count}×": strength.access_count,
        "archived": strength.archived,
        f"confirmed {len(support.confirmed_by)}×": support.confirmed_by,
        "replaced": support.ended_by,
    }
    return "".join(f", {part}" for part, holds in parts.items() if holds)


def _span(start: Time | None, end: Time | None, zone: tzinfo) -> str:
    """The period in which something holds; "" where it is not stated."""
    if start and end:
        first, last = day(start, zone), day(end, zone)
        return first if first == last else f"{first} to {last}"
    return f"since {day(start, zone)}" if start else f"until {day(end, zone)}" if end else ""
