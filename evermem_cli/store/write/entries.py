"""The search entries of memories: their words, their vectors, and the times that a search filters by."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from evermem_cli.engines import Vectors
from evermem_cli.languages.language import searchable
from evermem_cli.memory import Digest, Episode, Fact, Foresight, Kind, Message
from evermem_cli.store.index import postings
from evermem_cli.store.index.sketches import sketches
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.search import queries

Item = Message | Episode | Fact | Foresight | Digest  # the kinds of memory that are indexed


@dataclass(frozen=True, slots=True)
class SearchEntries:
    """Writes search entries."""

    sql: Sql

    def add(
        self,
        items: Sequence[Item],
        pieces: Sequence[int],
        vectors: Vectors,
        chats: Sequence[str] = (),
    ) -> None:
        """Makes memories searchable, each by as many vectors as it has pieces.

        `chats` are the ids of the conversations that episodes, facts and foresights belong to. An entry is one row per
        piece; the words of the whole memory are in its first row.
        """
        last = self.sql.rows("select number from documents order by number desc limit 1")  # reads one row group
        number = last[0]["number"] if last else 0
        entries: list[rows.Row] = []
        now = datetime.now(UTC)
        for item, count, chat in zip(items, pieces, chats or [""] * len(items), strict=True):
            head = number + 1
            entry = _document(item, chat, now)
            entries += [
                {**entry, "number": head + piece, "head": head, "body": entry["body"] if piece == 0 else ""}
                for piece in range(count)
            ]
            number += count
        count, length = vectors.shape
        numbers = np.array([entry["number"] for entry in entries])
        coordinates = {
            "number": np.repeat(numbers, length),
            "place": np.tile(np.arange(length, dtype=np.int16), count),
            "value": np.ascontiguousarray(vectors).ravel(),
        }
        self.sql.register(entries)
        self.sql.connection.register("coordinates", coordinates)
        self.sql.connection.register("sketches", {"number": numbers} | sketches(vectors))
        self.sql.execute(queries.ADD_DOCUMENTS.replace("float[384]", f"float[{length:d}]"))
        postings.add(self.sql.connection, number)


def _document(item: Item, chat: str, now: datetime) -> dict[str, object]:
    """The search entry of a memory: its text, and the times that a search filters by."""
    match item:
        case Message():
            kind, start, end = Kind.MESSAGE, None, None
        case Episode():
            kind, start, end = Kind.EPISODE, None, None
        case Fact():
            kind, start, end = Kind.FACT, item.valid_at, item.invalid_at
        case Foresight():
            kind, start, end = Kind.FORESIGHT, item.start_time, item.end_time
        case Digest():
            kind, start, end = Kind.DIGEST, None, None
    return {
        "kind": kind.value,
        "memory_id": item.id,
        "conversation_id": item.conversation_id if isinstance(item, Message | Digest) else chat,
        "user_id": item.user_id,
        "said_at": item.said_at,
        "valid_at": start,
        "invalid_at": end,
        "body": searchable(item.search_text),
        "created_at": now,
    }
