"""The exchange between machines: an export without the rows that are each machine's own."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import duckdb
import numpy as np

from evermem_cli.memory import Conversation, Correction, Fact, Foresight, Message
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.search.searcher import Searcher
from evermem_cli.store.transfer.portable import Portable, Table, plain
from evermem_cli.store.write.corrections import CORRECTION
from evermem_cli.store.write.machines import Exchanged

# Tables that are not exchanged: each machine has its own or derives them anew. An edit is in the line of its message.
OWN = {
    "conversations": ("created_at",),
    "messages": (
        "ordinal", "user_id", "memcell_id", "created_at", "domain", "strength", "last_accessed", "access_count",
    ),
    "message_edits": ("message_id", "version"),
    "event_logs": (
        "created_at", "domain", "strength", "last_accessed", "access_count", "superseded_at", "superseded_told_at",
        "superseded_grain",
    ),
    "foresights": ("created_at", "domain", "strength", "last_accessed", "access_count", "predicted"),
    "corrections": (), "forgotten": (), "privacy": (), "merged": (),
}  # fmt: skip
PLACES = """
    select messages.id, conversation_id, ordinal, said_at, moment, number
    from messages left join exchanged on kind = 'message' and name = messages.id
    where {which} order by conversation_id, ordinal"""
EXCHANGED = """
    select kind, name, revision, digest, moment, number from exchanged
    where (kind <> 'message' or name not in (select id from messages where not {which}))
      and (kind <> 'conversation' or name not in (select id from conversations where not {chats}))"""
# Chats whose title, or one of whose messages, is new or has a digest (see sync/marks.py) that may differ. JSON in
# another spelling, and any edit, selects at worst a chat that has not changed.
CHANGED = """
    select distinct conversation_id from messages left join exchanged on kind = 'message' and name = messages.id
    where digest is distinct from left(sha256('[' || to_json(text)::varchar || ', []]'), 32)
    union select id from conversations left join exchanged on exchanged.kind = 'conversation' and name = id
    where digest is distinct from left(sha256('[' || to_json(title)::varchar || ']'), 32)"""
CHATS_OF = "select distinct conversation_id from messages where id in (select id from wanted)"
NARROWED, NARROWED_CHATS = "conversation_id in (select id from looked_at)", "id in (select id from looked_at)"
OF_CORRECTIONS = "memcell_id in (select memcell_id from messages join corrections on statement_id = messages.id)"


@dataclass(frozen=True, slots=True)
class Placed:
    """A message with its chat, its ordinal there, and the place that all machines share, if the message has one yet."""

    id: str
    chat: str
    ordinal: int
    said_at: datetime
    place: tuple[datetime, float] | None


class Sharing:
    """A read transaction that returns what machines exchange. `reader` has all other queries."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._sql = Sql(connection)
        self.portable = Portable(self._sql)
        self.reader = Searcher(connection)
        self.which = self.which_chats = "true"  # the messages and chats that are returned

    def narrow(self, chats: Iterable[str]) -> None:
        """Leaves out all chats but these, with their messages."""
        self._sql.connection.register("looked_at", {"id": np.array([*chats], dtype=object)})
        self.which, self.which_chats = NARROWED, NARROWED_CHATS

    def changed_chats(self) -> set[str]:
        """Chats that may be new, have another title, or have new or edited messages since the last exchange."""
        return {chat for (chat,) in self._sql.connection.execute(CHANGED).fetchall()}

    def chats_of(self, messages: Iterable[str]) -> set[str]:
        """The chats of messages; those that are not stored are left out."""
        self._sql.want(messages)
        return {chat for (chat,) in self._sql.connection.execute(CHATS_OF).fetchall()}

    def shared(self) -> dict[str, Table]:
        """The tables by the type of their rows, without the columns that are this machine's own."""
        return {
            table.type: replace(table, columns=tuple(c for c in table.columns if c.name not in OWN[table.name]))
            for table in self.portable.tables()
            if table.name in OWN
        }

    def places(self) -> list[Placed]:
        """Every message, chat by chat in order."""
        records = self._sql.connection.execute(PLACES.format(which=self.which)).fetchall()
        return [
            Placed(message, chat, ordinal, _aware(said_at), None if moment is None else (_aware(moment), number))
            for message, chat, ordinal, said_at, moment, number in records
        ]

    def chats(self, ids: Iterable[str]) -> dict[str, Conversation]:
        """Conversations by id."""
        self._sql.want(ids)
        chats = self._sql.rows("select * from conversations where id in (select id from wanted)")
        return {row["id"]: rows.conversation(row) for row in chats}

    def said(self, chats: Iterable[str]) -> dict[str, list[Message]]:
        """The messages of conversations, in order."""
        said: dict[str, list[Message]] = {name: [] for name in chats}
        self._sql.want(said)
        for row in self._sql.rows("select * from messages where conversation_id in (from wanted) order by ordinal"):
            said[row["conversation_id"]].append(rows.message(row))
        return said

    def forgotten_places(self, chats: Iterable[str]) -> dict[str, dict[str, int]]:
        """The forgotten messages of conversations by id, with their places."""
        places: dict[str, dict[str, int]] = {name: {} for name in chats}
        self._sql.want(places)
        query = "select conversation_id, message_id, ordinal from forgotten where conversation_id in (from wanted)"
        for row in self._sql.rows(query):
            places[row["conversation_id"]][row["message_id"]] = row["ordinal"]
        return places

    def edits(self) -> dict[str, list[dict[str, Any]]]:
        """What edited messages said before, oldest first, by message."""
        query = "select message_id, text, replaced_at from message_edits order by message_id, version"
        edits: dict[str, list[dict[str, Any]]] = {}
        for message, text, replaced_at in self._sql.connection.execute(query).fetchall():
            edits.setdefault(message, []).append({"text": text, "replaced_at": plain(replaced_at)})
        return edits

    def stated(self) -> dict[str, dict[str, list[dict[str, Any]]]]:
        """The facts and foresights stored for the user's corrections, by message and type."""
        cells = self._sql.rows(
            "select memcell_id, statement_id from corrections join messages on statement_id = messages.id"
        )
        statements = {row["memcell_id"]: row["statement_id"] for row in cells}
        by_message: dict[str, dict[str, list[dict[str, Any]]]] = {name: {} for name in statements.values()}
        for kind in ("fact", "foresight"):
            for row in self.portable.dump(self.shared()[kind], OF_CORRECTIONS):
                by_message[statements[row["memcell_id"]]].setdefault(kind, []).append(row)
        return by_message

    def exchanged(self) -> dict[tuple[str, str], Exchanged]:
        """The state of each thing at its last exchange, by kind and name."""
        query = EXCHANGED.format(which=self.which, chats=self.which_chats)
        return {
            (kind, name): Exchanged(revision, digest, None if moment is None else (_aware(moment), number))
            for kind, name, revision, digest, moment, number in self._sql.connection.execute(query).fetchall()
        }

    def note_of(self, place: str) -> str:
        """The stored note about a folder or a shared memory; empty if there is none."""
        return self.reader.meta.value(f"sync {place}", "")

    def last_place(self) -> str:
        """The folder or shared memory of the last exchange."""
        return self.reader.meta.value("last sync", "")


def conversation_of(row: rows.Row) -> Conversation:
    """The conversation of a shared row."""
    return rows.conversation(row)


def message_of(row: rows.Row, user_id: str) -> Message:
    """The message of a shared row, without a place yet."""
    return rows.message({**row, "ordinal": 0, "user_id": user_id})


def correction_of(row: rows.Row) -> Correction:
    """The correction of a shared row."""
    values: dict[str, Any] = dict.fromkeys(CORRECTION) | rows.aware(row) | {"message_ids": tuple(row["message_ids"])}
    return Correction(**{name: values[name] for name in CORRECTION})


def stated_of(table: str, row: rows.Row, message: str) -> Fact | Foresight:
    """The fact or foresight of a shared row, stated in one message."""
    noun: type[Any] = {"event_logs": Fact, "foresights": Foresight}[table]
    made: Fact | Foresight = rows.derived(noun, rows.aware(row), (message,))
    return made


def _aware(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC)
