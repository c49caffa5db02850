"""Reads MemCells and what was formed of them: episodes, facts and foresights."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evermem_cli.memory import CellContents, Episode, Fact, Foresight, MemCell, Message
from evermem_cli.store.lifecycle.forgotten_memories import forgotten_marks
from evermem_cli.store.read.sources import SourceReader
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.ends import OVER_GRAIN
from evermem_cli.store.schema.sql import READABLE, Sql

Vector = NDArray[np.float32]

DERIVED: dict[type[Any], str] = {
    Episode: "select * from episodes where memcell_id in (select id from wanted) order by said_at, user_id nulls first",
    Fact: f"""select * replace (least(invalid_at, superseded_at) as invalid_at, {OVER_GRAIN} as invalid_grain)
             from event_logs
             where memcell_id in (select id from wanted) order by said_at, id""",
    Foresight: "select * from foresights where memcell_id in (select id from wanted) order by start_time, id",
}
# An episode for everybody covers the whole MemCell; in a chat with an assistant the user's is the only one.
TOPIC_VECTORS = """
    select memcell_id, embedding from episodes join documents on memory_id = episodes.id
    where memcell_id in (select id from wanted) and number = head
    qualify row_number() over (partition by memcell_id order by episodes.user_id nulls first, episodes.id) = 1"""


@dataclass(frozen=True, slots=True)
class TopicReader:
    """Reads MemCells with their messages, and the memories formed from them."""

    sql: Sql
    sources: SourceReader

    def memcells(self, ids: Iterable[str] | None = None) -> list[MemCell]:
        """MemCells with their messages, oldest first; all where no ids are given."""
        self.sql.want(ids)
        query = """
            select * from memcells where $every or event_id in (select id from wanted) order by start_at, event_id"""
        records = self.sql.rows(query, every=ids is None)
        query = """
            select * from messages where $every or memcell_id in (select id from wanted) order by ordinal"""
        members: dict[str, list[Message]] = {}
        for row in self.sql.rows(query, every=ids is None):
            members.setdefault(row["memcell_id"], []).append(rows.message(row))
        forgotten = forgotten_marks(self.sql)
        return [rows.memcell(row, members[row["event_id"]], forgotten) for row in records]

    def memcell_ids(self, user_id: str) -> list[str]:
        """MemCells of the chats that a user owns or took part in, oldest first."""
        query = f"""
            select event_id from memcells where conversation_id in ({READABLE})
            order by start_at, event_id"""
        return [row["event_id"] for row in self.sql.rows(query, user_id=user_id)]

    def pending_ids(
        self,
        *,
        closed: bool = False,
        chats: Iterable[str] | None = None,
        unformed: bool = False,
        formed_by: str = "",
    ) -> list[str]:
        """MemCells that wait to be formed or for the language model, or failed, oldest first.

        With `unformed`, only those without any memories; with `closed`, only those of ended topics; with `chats`, only
        those of the conversations with these ids. With `formed_by`, also those that it names as their model.
        """
        self.sql.want(chats)
        asked = {"closed": closed, "unformed": unformed, "formed_by": formed_by}
        query = """
            select event_id from memcells
            where (extraction <> 'done' or model = $formed_by)
            and not ($closed and is_open) and not ($unformed and model is not null)
            and ($every or conversation_id in (select id from wanted)) order by start_at, event_id"""
        return [row["event_id"] for row in self.sql.rows(query, **asked, every=chats is None)]

    def unconsolidated_ids(self) -> list[str]:
        """MemCells without assertions since they were last formed, oldest first."""
        query = "select event_id from memcells where not consolidated order by end_at, event_id"
        return [row["event_id"] for row in self.sql.rows(query)]

    def settled_ids(self, before: datetime) -> set[str]:
        """The MemCells that ended before a time, are formed and closed, and have an episode."""
        query = """
            select event_id from memcells where extraction = 'done' and not is_open and end_at < $before
            and event_id in (select memcell_id from episodes)"""
        return {row["event_id"] for row in self.sql.rows(query, before=rows.utc(before))}

    def ids_of_messages(self, message_ids: Iterable[str]) -> list[str]:
        """The MemCells of these messages."""
        self.sql.want(message_ids)
        query = "select distinct memcell_id from messages where id in (select id from wanted) order by memcell_id"
        return [row["memcell_id"] for row in self.sql.rows(query)]

    def owners(self, memcell_ids: Iterable[str]) -> dict[str, str]:
        """The owner of each MemCell: the user of its conversation."""
        self.sql.want(memcell_ids)
        query = """
            select event_id, user_id from memcells join conversations on conversations.id = conversation_id
            where event_id in (select id from wanted)"""
        return {row["event_id"]: row["user_id"] for row in self.sql.rows(query)}

    def vectors(self, memcell_ids: Iterable[str]) -> dict[str, Vector]:
        """The vector of each MemCell's episode for everybody, of shape (dimension,)."""
        self.sql.want(memcell_ids)
        records = self.sql.rows(TOPIC_VECTORS)
        return {row["memcell_id"]: np.array(row["embedding"], dtype=np.float32) for row in records}

    def has_formed(self) -> bool:
        """Whether any MemCell has been formed, which a scene requires."""
        return bool(self.sql.rows("select 1 from episodes limit 1"))

    def failures(self) -> dict[str, str]:
        """Why the extraction of each failed MemCell failed."""
        query = "select event_id, failure from memcells where extraction = 'failed' order by start_at"
        return {row["event_id"]: row["failure"] for row in self.sql.rows(query)}

    def episodes(self, memcell_ids: Iterable[str] | None = None) -> list[Episode]:
        """The episodes of these MemCells, or all; group episodes before personal ones."""
        return self._derived(Episode, memcell_ids)

    def episodes_for(self, user_id: str) -> list[Episode]:
        """The episodes that a user may read: all of their own chats; of others the group's and their own."""
        query = """
            select event_id from memcells join conversations on conversations.id = conversation_id
            where conversations.user_id = $user_id"""
        owned = {row["event_id"] for row in self.sql.rows(query, user_id=user_id)}
        return [
            episode
            for episode in self.episodes(self.memcell_ids(user_id))
            if set(episode.memcell_event_id_list) <= owned
            or (episode.user_id or user_id).casefold() == user_id.casefold()
        ]

    def facts(self, memcell_ids: Iterable[str] | None = None) -> list[Fact]:
        """The atomic facts of these MemCells, or all, in the order in which they were said."""
        return self._derived(Fact, memcell_ids)

    def foresights(self, memcell_ids: Iterable[str] | None = None) -> list[Foresight]:
        """The foresights of these MemCells, or all, by start."""
        return self._derived(Foresight, memcell_ids)

    def foresights_from(self, message_ids: Iterable[str]) -> list[Foresight]:
        """The foresights that were stated in any of these messages, by start."""
        wanted = set(message_ids)
        self.sql.want(wanted)
        cells = self.sql.rows("select distinct memcell_id from messages where id in (select id from wanted)")
        formed = self.foresights(row["memcell_id"] for row in cells if row["memcell_id"])
        return [one for one in formed if not one.predicted and wanted & set(one.message_ids)]

    def contents(self, memory_id: str) -> list[CellContents]:
        """The MemCells that a memory of any kind belongs to, with everything derived from them, oldest first."""
        query = """
            select event_id from memcells where $id in (event_id, conversation_id, scene_id) union
            select memcell_id from messages where id = $id union select memcell_id from episodes where id = $id union
            select memcell_id from event_logs where id = $id union
            select memcell_id from foresights where id = $id union
            select memcell_id from sources join messages on messages.id = message_id where memory_id = $id
            or memory_id in (select interaction_id from rule_evidence where rule_id = $id)"""
        ids = [row["event_id"] for row in self.sql.rows(query, id=memory_id)]
        return [
            CellContents(
                cell=cell,
                episodes=tuple(self.episodes([cell.event_id])),
                facts=tuple(self.facts([cell.event_id])),
                foresights=tuple(self.foresights([cell.event_id])),
            )
            for cell in self.memcells(ids)
        ]

    def _derived(self, noun: type[rows.Derived], memcell_ids: Iterable[str] | None) -> list[rows.Derived]:
        if memcell_ids is None:
            memcell_ids = [row["event_id"] for row in self.sql.rows("select event_id from memcells")]
        self.sql.want(memcell_ids)
        records = self.sql.rows(DERIVED[noun])
        cited = self.sources.of([row["id"] for row in records])
        return [rows.derived(noun, row, cited.get(row["id"], [])) for row in records]
