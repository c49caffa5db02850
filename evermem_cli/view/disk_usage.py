"""Disk usage: the size of the file, its tables and the chats in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from evermem_cli.cli.shared.formatting import TOPICS, day
from evermem_cli.cli.shared.session import Session
from evermem_cli.memory import Status, Tier
from evermem_cli.store.read.overview import ChatSize, TableSize

MOST = 40  # chats listed
PARTS = 8  # tables listed
# Plain names of the largest tables.
TABLES = {
    "documents": "meanings, for search",
    "postings": "words, for search",
    "messages": "messages",
    "event_logs": "facts",
    "memcells": "topics",
    "sources": "what rests on which message",
}


@dataclass(frozen=True, slots=True)
class FilePart:
    """A part of the file: its number of rows and its approximate size in bytes."""

    name: str
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ChatRow:
    """A chat with its size and its days."""

    id: str
    title: str
    messages: int
    bytes: int
    span: str


@dataclass(frozen=True, slots=True)
class DiskUsage:
    """The whole file. `other_chats` counts the chats that are not listed, `other_messages` their messages.

    `private` and `sensitive` messages are not on the page: the first are for the owner alone, a reason opens the rest.
    """

    bytes: int
    counts: dict[str, int]
    parts: tuple[FilePart, ...]
    chats: tuple[ChatRow, ...]
    other_chats: int
    other_messages: int
    private: int
    sensitive: int


def disk_usage(session: Session, status: Status) -> DiskUsage:
    """What the file holds. The counts are those of `status`, without what the page leaves out."""
    with session.store.read() as reader:
        tables, chats = reader.overview.tables(), reader.overview.chats(session.settings.user)
        withheld = reader.withheld.count_messages()
    private = _private(session, withheld)
    return DiskUsage(
        bytes=session.settings.db.stat().st_size,
        counts={TOPICS.get(name, name): count for name, count in status.counts.items() if count},
        parts=_parts(tables),
        chats=tuple(_chat(chat, session.zone) for chat in chats[:MOST]),
        other_chats=max(0, len(chats) - MOST),
        other_messages=sum(chat.messages for chat in chats[MOST:]),
        private=private,
        sensitive=withheld - private,
    )


def _private(session: Session, withheld: int) -> int:
    """How many of the withheld messages are private. Whatever else an assistant may not see, a reason opens."""
    if not session.settings.agent:
        return withheld
    return session.as_owner().store.count_withheld((Tier.PRIVATE,), session.settings.privacy)


def chat_row(session: Session, chat_id: str) -> ChatRow | None:
    """One chat of the user's memory; None where no chat has the id."""
    with session.store.read() as reader:
        chats = reader.overview.chats(session.settings.user)
    return next((_chat(chat, session.zone) for chat in chats if chat.id == chat_id), None)


def _parts(tables: Sequence[TableSize]) -> tuple[FilePart, ...]:
    named = [
        FilePart(TABLES.get(table.name, table.name.replace("_", " ")), table.rows, table.bytes)
        for table in tables[:PARTS]
    ]
    rest = tables[PARTS:]
    other = FilePart("all else", sum(table.rows for table in rest), sum(table.bytes for table in rest))
    return (*named, *([other] if rest else []))


def _chat(chat: ChatSize, zone: tzinfo) -> ChatRow:
    begun, ended = day(chat.first_at, zone), day(chat.last_at, zone)
    return ChatRow(chat.id, chat.name, chat.messages, chat.bytes, begun if begun == ended else f"{begun} to {ended}")
