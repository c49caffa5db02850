"""Writes conversations, messages, MemCells and the memories formed from them. One Writer is one transaction."""

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from evermem_cli.engines import Vectors
from evermem_cli.languages.language import searchable
from evermem_cli.memory import (
    Conversation,
    Digest,
    Episode,
    Extraction,
    Fact,
    Foresight,
    Kind,
    MemCell,
    Message,
    Traces,
)
from evermem_cli.store.index import mentions, postings
from evermem_cli.store.index.sketches import sketches
from evermem_cli.store.read.stored_chat import Known
from evermem_cli.store.schema import rows
from evermem_cli.store.search import queries

Item = Message | Episode | Fact | Foresight | Digest  # the kinds of memory that are indexed
INSERT = {
    Conversation: "insert or ignore into conversations by name select * from incoming",
    Message: "insert or ignore into messages by name select * from incoming",
    MemCell: "insert into memcells by name select * from incoming",
    Episode: "insert into episodes by name select * from incoming",
    Fact: "insert into event_logs by name select * from incoming",
    Foresight: "insert into foresights by name select * from incoming",
}
# Removes everything derived from a MemCell before it is formed anew.
FORGET_DERIVED = (
    *postings.without("select id from derived"),
    "delete from sources where memory_id in (select id from derived)",
    "delete from episodes where memcell_id = $cell",
    "delete from event_logs where memcell_id = $cell",
    "delete from foresights where memcell_id = $cell",
    "delete from assertions where memcell_id = $cell",
    "delete from accords where fact_id in (select id from derived) or other_id in (select id from derived)",
    "delete from digests where list_contains(memcell_ids, $cell)",
)


class Writer(Known):
    """The base of the write transaction that `Store.write` makes (see `Repairer`)."""

    def add_conversation(self, *conversations: Conversation) -> None:
        """Stores conversations; ignores known ones."""
        now = {"created_at": datetime.now(UTC)}
        self._insert(Conversation, [rows.plain(conversation) | now for conversation in conversations])

    def add_messages(self, messages: Sequence[Message], pieces: Sequence[int], vectors: Vectors) -> None:
        """Stores messages and makes them searchable by meaning.

        `pieces` is the number of texts embedded per message; `vectors` has one row for each text.
        """
        now = datetime.now(UTC)
        self._insert(Message, [rows.message_row(message, now) for message in messages])
        self._execute("delete from forgotten where message_id in (select id from incoming)")
        self._add_documents(list(messages), pieces, vectors)
        mentions.note(self._connection, [(m.id, m.role, m.text) for m in messages])

    def put_open_cells(self, conversation_id: str, cells: Sequence[MemCell]) -> int:
        """Replaces the conversation's open MemCell by these; only the last of them may be open.

        A MemCell's id is derived from its messages: an unchanged one keeps its memories, a grown one is new and waits
        for the language model. Returns how many are new.
        """
        kept = {cell.event_id for cell in cells}
        for event_id in self._open_cell(conversation_id):
            if event_id not in kept:
                self._forget_derived(event_id)
                self._execute("delete from memcells where event_id = $cell", cell=event_id)
        self._wanted(kept)
        known = {row["event_id"] for row in self._rows("select event_id from memcells where event_id in (from wanted)")}
        for cell in cells:
            if cell.event_id in known:
                change = "update memcells set is_open = $open, boundary_reason = $reason where event_id = $cell"
                self._execute(change, open=cell.open, reason=cell.boundary_reason, cell=cell.event_id)
        return self.put_new_cells([cell for cell in cells if cell.event_id not in known])

    def put_new_cells(self, cells: Sequence[MemCell]) -> int:
        """Stores unknown MemCells of any conversations; returns how many."""
        if cells:
            now = datetime.now(UTC)
            self._insert(MemCell, [rows.memcell_row(cell, now) for cell in cells])
            self._register([{"id": m.id, "cell": cell.event_id} for cell in cells for m in cell.messages])
            self._execute("update messages set memcell_id = cell from incoming where messages.id = incoming.id")
        return len(cells)

    def put_traces(self, cell: MemCell, traces: Traces, vectors: Vectors, model: str) -> None:
        """Replaces everything that was formed from a MemCell.

        `vectors` has one row for each episode, fact and foresight, in this order.
        """
        self._forget_derived(cell.event_id)
        now = datetime.now(UTC)
        made = traces.memories
        for noun in (Episode, Fact, Foresight):
            same = [rows.derived_row(item, cell, now) for item in made if isinstance(item, noun)]
            if same:
                self._insert(noun, same)
        cited = [
            {"memory_id": item.id, "place": place, "message_id": message_id}
            for item in made
            for place, message_id in enumerate(_message_ids(item, cell))
        ]
        if cited:
            self._register(cited)
            self._execute("insert into sources by name select * from incoming")
            self._add_documents(made, [1] * len(made), vectors, cell.conversation_id)
        self._execute(
            """update memcells set extraction = 'done', consolidated = false, failure = null,
               summary = $summary, model = $model where event_id = $cell""",
            summary=traces.summary,
            model=model,
            cell=cell.event_id,
        )

    def mark_failed(self, event_id: str, reason: str) -> None:
        """Records that the language model failed on a MemCell; `enrich` tries again."""
        change = "update memcells set extraction = $state, failure = $reason where event_id = $cell"
        self._execute(change, state=Extraction.FAILED.value, reason=reason, cell=event_id)

    def _open_cell(self, conversation_id: str) -> list[str]:
        query = "select event_id from memcells where conversation_id = $id and is_open"
        return [row["event_id"] for row in self._rows(query, id=conversation_id)]

    def _forget_derived(self, event_id: str) -> None:
        self._execute(
            """create or replace temp table derived as
               select id from episodes where memcell_id = $cell union all
               select id from event_logs where memcell_id = $cell union all
               select id from foresights where memcell_id = $cell union all
               select id from assertions where memcell_id = $cell union all
               select id from digests where list_contains(memcell_ids, $cell)""",
            cell=event_id,
        )
        for statement in FORGET_DERIVED:
            self._execute(statement, **({"cell": event_id} if "$cell" in statement else {}))

    def _add_documents(
        self,
        items: Sequence[Item],
        pieces: Sequence[int],
        vectors: Vectors,
        conversation_id: str = "",
    ) -> None:
        """One row per piece; the words of the whole memory are in its first row."""
        number = self._rows("select coalesce(max(number), 0) as last from documents")[0]["last"]
        entries: list[rows.Row] = []
        now = datetime.now(UTC)
        for item, count in zip(items, pieces, strict=True):
            head = number + 1
            entry = _document(item, conversation_id, now)
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
        self._register(entries)
        self._connection.register("coordinates", coordinates)
        self._connection.register("sketches", {"number": numbers} | sketches(vectors))
        self._execute(queries.ADD_DOCUMENTS.replace("float[384]", f"float[{length:d}]"))
        postings.add(self._connection, number)

    def _insert(self, noun: type, records: Sequence[rows.Row]) -> None:
        self._register(records)
        self._execute(INSERT[noun])

    def _register(self, records: Sequence[rows.Row]) -> None:
        self._connection.register("incoming", rows.columns(records))

    def _execute(self, statement: str, /, **parameters: object) -> None:
        self._connection.execute(statement, parameters)


def _message_ids(item: Episode | Fact | Foresight, cell: MemCell) -> tuple[str, ...]:
    if isinstance(item, Episode):
        return tuple(message.id for message in cell.messages)
    return item.message_ids


def _document(item: Item, conversation_id: str, now: datetime) -> dict[str, object]:
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
        "conversation_id": item.conversation_id if isinstance(item, Message | Digest) else conversation_id,
        "user_id": item.user_id,
        "said_at": item.said_at,
        "valid_at": start,
        "invalid_at": end,
        "body": searchable(item.search_text),
        "created_at": now,
    }
