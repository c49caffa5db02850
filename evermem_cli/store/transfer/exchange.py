"""The exchange between machines: an export without what is each machine's own, and the writing of such exports."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from evermem_cli.memory import Conversation, Correction, Fact, Foresight, Message, content_id
from evermem_cli.store.schema import rows
from evermem_cli.store.transfer.portable import Portable, Table, plain
from evermem_cli.store.write.repair import CORRECTION, Repairer, RepairReader

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
    "foresights": ("created_at", "domain", "strength", "last_accessed", "access_count"),
    "corrections": (), "forgotten": (), "privacy": (), "merged": (),
}  # fmt: skip
PLACES = """
    select messages.id, conversation_id, ordinal, said_at, moment, number
    from messages left join exchanged on kind = 'message' and name = messages.id
    order by conversation_id, ordinal"""
OF_CORRECTIONS = "memcell_id in (select memcell_id from messages join corrections on statement_id = messages.id)"
PUT_EXCHANGED = (
    "delete from exchanged where (kind, name) in (select (kind, name) from incoming)",
    """insert into exchanged by name
       select kind, name, revision, digest, moment, number from incoming where digest <> ''""",
)
PUT_EDIT = """
    insert into message_edits by name
    select $id as message_id, $version as version, $text as text, $replaced_at as replaced_at"""
DROP_CORRECTIONS = (
    """update memcells set consolidated = false, extraction = 'pending' where event_id in (
         select memcell_id from messages join (
           select unnest(message_ids) as id from corrections where id in (from wanted)) using (id))""",
    "delete from corrections where id in (from wanted)",
)


@dataclass(frozen=True, slots=True)
class Exchanged:
    """The state of a thing at its last exchange; for a message also its place in its chat."""

    revision: int
    digest: str
    place: tuple[datetime, float] | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """A message with its chat, its ordinal there, and the place that all machines share, if the message has one yet."""

    id: str
    chat: str
    ordinal: int
    said_at: datetime
    place: tuple[datetime, float] | None


class Sharing(Portable, RepairReader):
    """A read transaction that returns what machines exchange."""

    def shared(self) -> dict[str, Table]:
        """The tables by the type of their rows, without the columns that are this machine's own."""
        return {
            table.type: replace(table, columns=tuple(c for c in table.columns if c.name not in OWN[table.name]))
            for table in self.tables()
            if table.name in OWN
        }

    def places(self) -> list[Placed]:
        """Every message, chat by chat in order."""
        records = self._connection.execute(PLACES).fetchall()
        return [
            Placed(message, chat, ordinal, _aware(said_at), None if moment is None else (_aware(moment), number))
            for message, chat, ordinal, said_at, moment, number in records
        ]

    def chats(self, ids: Iterable[str]) -> dict[str, Conversation]:
        """Conversations by id."""
        self._wanted(ids)
        chats = self._rows("select * from conversations where id in (select id from wanted)")
        return {row["id"]: rows.conversation(row) for row in chats}

    def said(self, chat: str) -> list[Message]:
        """The messages of a conversation, in order."""
        query = "select * from messages where conversation_id = $id order by ordinal"
        return [rows.message(row) for row in self._rows(query, id=chat)]

    def edits(self) -> dict[str, list[dict[str, Any]]]:
        """What edited messages said before, oldest first, by message."""
        query = "select message_id, text, replaced_at from message_edits order by message_id, version"
        edits: dict[str, list[dict[str, Any]]] = {}
        for message, text, replaced_at in self._connection.execute(query).fetchall():
            edits.setdefault(message, []).append({"text": text, "replaced_at": plain(replaced_at)})
        return edits

    def stated(self) -> dict[str, dict[str, list[dict[str, Any]]]]:
        """The facts and foresights stored for the user's corrections, by message and type."""
        cells = self._rows(
            "select memcell_id, statement_id from corrections join messages on statement_id = messages.id"
        )
        statements = {row["memcell_id"]: row["statement_id"] for row in cells}
        by_message: dict[str, dict[str, list[dict[str, Any]]]] = {name: {} for name in statements.values()}
        for kind in ("fact", "foresight"):
            for row in self.dump(self.shared()[kind], OF_CORRECTIONS):
                by_message[statements[row["memcell_id"]]].setdefault(kind, []).append(row)
        return by_message

    def exchanged(self) -> dict[tuple[str, str], Exchanged]:
        """The state of each thing at its last exchange, by kind and name."""
        query = "select kind, name, revision, digest, moment, number from exchanged"
        return {
            (kind, name): Exchanged(revision, digest, None if moment is None else (_aware(moment), number))
            for kind, name, revision, digest, moment, number in self._connection.execute(query).fetchall()
        }

    def note_of(self, folder: str) -> str:
        """The stored note about a folder; empty if there is none."""
        return self._meta(f"sync {folder}", "")


class Exchanger(Repairer):
    """A write transaction that stores the changes of other machines."""

    def entitle(self, titles: Mapping[str, str]) -> None:
        """Changes the titles of conversations."""
        for name, title in titles.items():
            self._execute("update conversations set title = $title where id = $id", id=name, title=title)

    def reorder(self, chat: str, ordered: Sequence[str], *, resegment: bool) -> None:
        """Reorders the messages of a chat.

        With `resegment`, its topics are divided anew from the first moved message on.
        """
        before = [*self.places(chat).items()]
        moved = [place for place, ((name, _), wanted) in enumerate(zip(before, ordered, strict=True)) if name != wanted]
        if not moved:
            return
        if resegment:
            self.change_places(chat, (), (), before[moved[0]][1])
        self._register([{"id": n, "place": place} for n, (_, place) in zip(ordered, before, strict=True)])
        self._execute("""
            update messages set ordinal = place,
                   external_id = if(external_id = ordinal::varchar, place::varchar, external_id)
            from incoming where messages.id = incoming.id""")

    def put_edits(self, message: str, edits: Iterable[Mapping[str, Any]]) -> None:
        """Replaces the stored earlier texts of a message."""
        self._execute("delete from message_edits where message_id = $id", id=message)
        for version, edit in enumerate(edits, start=1):
            at = rows.utc(edit["replaced_at"])
            self._execute(PUT_EDIT, id=message, version=version, text=edit["text"], replaced_at=at)

    def put_tiers(self, tiers: Mapping[str, str | None]) -> None:
        """Stores the tiers that the user set for memories; None removes a tier."""
        self._wanted(tiers)
        self._execute("delete from privacy where memory_id in (from wanted)")
        if said := [{"memory_id": name, "privacy_tier": tier} for name, tier in tiers.items() if tier]:
            self._register(said)
            self._execute("insert into privacy by name select * from incoming")

    def put_merges(self, merges: Sequence[rows.Row]) -> None:
        """Merges names, given as rows of `merged`."""
        if merges:
            self._register(merges)
            self._execute("insert into merged by name select * from incoming")

    def drop_merges(self, names: Iterable[str]) -> None:
        """Undoes merges, given by the digests of `merge_name`."""
        wanted = {*names}
        for row in self._rows("select owner_id, name, person from merged"):
            if merge_name(row) in wanted:
                self._execute("delete from merged where (owner_id, name, person) = ($owner_id, $name, $person)", **row)

    def drop_corrections(self, ids: Iterable[str]) -> None:
        """Removes corrections. The topics concerned wait for the language model again."""
        self._wanted(ids)
        for statement in DROP_CORRECTIONS:
            self._execute(statement)

    def note_forgotten(self, forgotten: Sequence[rows.Row], recalled: Iterable[str]) -> None:
        """Records messages as forgotten, and removes the record of those that may be read again (`recalled`)."""
        self._wanted([*recalled, *(row["message_id"] for row in forgotten)])
        self._execute("delete from forgotten where message_id in (from wanted)")
        if forgotten:
            self._register(forgotten)
            self._execute("insert into forgotten by name select * from incoming")

    def put_exchanged(self, changed: Mapping[tuple[str, str], Exchanged | None], folder: str, note: str) -> None:
        """Stores the present state of exchanged things (None removes one) and the note about a folder."""
        if changed:
            states = [state or Exchanged(0, "") for state in changed.values()]
            places = [state.place or (None, None) for state in states]
            self._connection.register("incoming", {
                "kind": np.array([kind for kind, _ in changed], dtype=object),
                "name": np.array([name for _, name in changed], dtype=object),
                "revision": np.array([state.revision for state in states], dtype=np.int32),
                "digest": np.array([state.digest for state in states], dtype=object),
                "moment": np.array([rows.utc(moment) for moment, _ in places], dtype="datetime64[us]"),
                "number": np.ma.masked_invalid([np.nan if n is None else n for _, n in places]),
            })  # fmt: skip
            for statement in PUT_EXCHANGED:
                self._execute(statement)
        self._execute("delete from meta where key = $key", key=f"sync {folder}")
        self._execute("insert into meta values ($key, $note)", key=f"sync {folder}", note=note)


def merge_name(row: rows.Row) -> str:
    """An identifier of a merge that does not reveal the two names."""
    return content_id("merged", row["owner_id"], str(row["name"]).lower(), str(row["person"]).lower())


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
