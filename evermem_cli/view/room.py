"""What takes how much room: the file, its tables, and the chats."""

from dataclasses import dataclass
from datetime import tzinfo

from evermem_cli.cli.session import Session
from evermem_cli.cli.words import TOPICS, day
from evermem_cli.memory import Status
from evermem_cli.store.overview import ChatSize

MOST = 40  # chats that are named
# What people call the tables that take most room.
TABLES = {
    "documents": "meanings, for search",
    "postings": "words, for search",
    "messages": "messages",
    "event_logs": "facts",
    "memcells": "topics",
    "sources": "what rests on which message",
}


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the file: how many rows, and about how many bytes."""

    name: str
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat with its size and its days."""

    id: str
    title: str
    messages: int
    bytes: int
    span: str


@dataclass(frozen=True, slots=True)
class Room:
    """All of it; `other_chats` are those that are not named, with the messages in them."""

    bytes: int
    counts: dict[str, int]
    parts: tuple[Part, ...]
    chats: tuple[Chat, ...]
    other_chats: int
    other_messages: int
    private: int


def room(session: Session, status: Status) -> Room:
    """What the file holds. The counts are those of `status`, without what is left out of the page."""
    with session.store.read() as reader:
        tables, chats = reader.tables(), reader.chats(session.settings.user)
        private = reader.private_messages()
    return Room(
        bytes=session.settings.db.stat().st_size,
        counts={TOPICS.get(name, name): count for name, count in status.counts.items() if count},
        parts=tuple(Part(TABLES.get(each.name, each.name.replace("_", " ")), each.rows, each.bytes) for each in tables),
        chats=tuple(_chat(each, session.zone) for each in chats[:MOST]),
        other_chats=max(0, len(chats) - MOST),
        other_messages=sum(each.messages for each in chats[MOST:]),
        private=private,
    )


def _chat(each: ChatSize, zone: tzinfo) -> Chat:
    begun, ended = day(each.first_at, zone), day(each.last_at, zone)
    return Chat(each.id, each.title, each.messages, each.bytes, begun if begun == ended else f"{begun} to {ended}")
