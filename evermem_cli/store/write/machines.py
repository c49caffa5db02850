"""Writes the changes of other machines, and what was exchanged with them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from evermem_cli.memory import content_id
from evermem_cli.store.read.chats import ChatReader
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.write.chats import ChatWriter

PUT_EXCHANGED = (
    "delete from exchanged where (kind, name) in (select (kind, name) from incoming)",
    """insert into exchanged by name
       select kind, name, revision, digest, moment, number from incoming where digest <> ''""",
)
PUT_EDIT = """
    insert into message_edits by name
    select $id as message_id, $version as version, $text as text, $replaced_at as replaced_at"""
DROP_MERGE = "delete from merged where (owner_id, name, person) = ($owner_id, $name, $person)"
DROP_CORRECTIONS = (
    """update memcells set consolidated = false, extraction = 'pending', model = null where event_id in (
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
class ExchangeWriter:
    """Writes the changes of other machines."""

    sql: Sql
    chats: ChatWriter
    stored: ChatReader

    def entitle(self, titles: Mapping[str, str]) -> None:
        """Changes the titles of conversations."""
        for name, title in titles.items():
            self.sql.execute("update conversations set title = $title where id = $id", id=name, title=title)

    def reorder(self, chat: str, ordered: Sequence[str], *, resegment: bool) -> None:
        """Reorders the messages of a chat.

        With `resegment`, its topics are divided anew from the first moved message on.
        """
        before = [*self.stored.places(chat).items()]
        moved = [place for place, ((name, _), wanted) in enumerate(zip(before, ordered, strict=True)) if name != wanted]
        if not moved:
            return
        if resegment:
            self.chats.change_places(chat, (), (), before[moved[0]][1])
        self.sql.register([{"id": n, "place": place} for n, (_, place) in zip(ordered, before, strict=True)])
        self.sql.execute("""
            update messages set ordinal = place,
                   external_id = if(external_id = ordinal::varchar, place::varchar, external_id)
            from incoming where messages.id = incoming.id""")

    def put_edits(self, message: str, edits: Iterable[Mapping[str, Any]]) -> None:
        """Replaces the stored earlier texts of a message."""
        self.sql.execute("delete from message_edits where message_id = $id", id=message)
        for version, edit in enumerate(edits, start=1):
            at = rows.utc(edit["replaced_at"])
            self.sql.execute(PUT_EDIT, id=message, version=version, text=edit["text"], replaced_at=at)

    def put_tiers(self, tiers: Mapping[str, str | None]) -> None:
        """Stores the tiers that the user set for memories; None removes a tier."""
        self.sql.want(tiers)
        self.sql.execute("delete from privacy where memory_id in (from wanted)")
        if said := [{"memory_id": name, "privacy_tier": tier} for name, tier in tiers.items() if tier]:
            self.sql.register(said)
            self.sql.execute("insert into privacy by name select * from incoming")

    def put_merges(self, merges: Sequence[rows.Row]) -> None:
        """Merges names, given as rows of `merged`."""
        if merges:
            self.sql.register(merges)
            self.sql.execute("insert into merged by name select * from incoming")

    def drop_merges(self, names: Iterable[str]) -> None:
        """Undoes merges, given by the digests of `merge_name`."""
        wanted = {*names}
        for row in self.sql.rows("select owner_id, name, person from merged"):
            if merge_name(row) in wanted:
                self.sql.execute(DROP_MERGE, **row)

    def drop_corrections(self, ids: Iterable[str]) -> None:
        """Removes corrections. The topics concerned wait to be formed again."""
        self.sql.want(ids)
        for statement in DROP_CORRECTIONS:
            self.sql.execute(statement)

    def note_forgotten(self, forgotten: Sequence[rows.Row], recalled: Iterable[str]) -> None:
        """Records messages as forgotten, and removes the record of those that may be read again (`recalled`)."""
        self.sql.want([*recalled, *(row["message_id"] for row in forgotten)])
        self.sql.execute("delete from forgotten where message_id in (from wanted)")
        if forgotten:
            self.sql.register(forgotten)
            self.sql.execute("insert into forgotten by name select * from incoming")

    def put_exchanged(self, changed: Mapping[tuple[str, str], Exchanged | None], place: str, note: str) -> None:
        """Stores the present state of exchanged things (None removes one), and the note about a folder or shared
        memory as the place of the last exchange."""
        if changed:
            states = [state or Exchanged(0, "") for state in changed.values()]
            places = [state.place or (None, None) for state in states]
            self.sql.connection.register("incoming", {
                "kind": np.array([kind for kind, _ in changed], dtype=object),
                "name": np.array([name for _, name in changed], dtype=object),
                "revision": np.array([state.revision for state in states], dtype=np.int32),
                "digest": np.array([state.digest for state in states], dtype=object),
                "moment": np.array([rows.utc(moment) for moment, _ in places], dtype="datetime64[us]"),
                "number": np.ma.masked_invalid([np.nan if n is None else n for _, n in places]),
            })  # fmt: skip
            for statement in PUT_EXCHANGED:
                self.sql.execute(statement)
        for key, value in ((f"sync {place}", note), ("last sync", place)):
            self.sql.execute("delete from meta where key = $key", key=key)
            self.sql.execute("insert into meta values ($key, $note)", key=key, note=value)


def merge_name(row: rows.Row) -> str:
    """An identifier of a merge that does not reveal the two names."""
    return content_id("merged", row["owner_id"], str(row["name"]).lower(), str(row["person"]).lower())
