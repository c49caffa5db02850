"""Reads conversations, messages, MemCells and the memories formed from them, as nouns."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from evermem_cli.engines import Vectors
from evermem_cli.errors import UsageError
from evermem_cli.memory import (
    CellContents,
    Conversation,
    Episode,
    Extraction,
    Fact,
    Foresight,
    MemCell,
    Message,
    Status,
)
from evermem_cli.store.read.meta import MetaReader
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.ends import OVER_GRAIN

COUNTED = {
    "conversations": "select count(*) from conversations",
    "messages": "select count(*) from messages",
    "memcells": "select count(*) from memcells",
    "episodes": "select count(*) from episodes",
    "facts": "select count(*) from event_logs",
    "foresights": "select count(*) from foresights",
    "digests": "select count(*) from digests",
    "scenes": "select count(*) from scenes",
    "conflicts": "select count(*) from conflicts",
    "interactions": "select count(*) from interactions",
    "rules": "select count(*) from rules where retired_at is null",
}
DERIVED: dict[type[Any], str] = {
    Episode: "select * from episodes where memcell_id in (select id from wanted) order by said_at, user_id nulls first",
    Fact: f"""select * replace (least(invalid_at, superseded_at) as invalid_at, {OVER_GRAIN} as invalid_grain)
             from event_logs
             where memcell_id in (select id from wanted) order by said_at, id""",
    Foresight: "select * from foresights where memcell_id in (select id from wanted) order by start_time, id",
}


class Reader(MetaReader):
    """A read transaction, with queries that return nouns. `Store.read` makes a `Searcher`, which has more queries."""

    def message_ids(self, conversation_id: str) -> list[str]:
        """The ids of a conversation's messages in order, forgotten ones included; empty for an unknown conversation."""
        query = """
            select id, ordinal from messages where conversation_id = $id union all
            select message_id, ordinal from forgotten where conversation_id = $id order by ordinal"""
        return [row["id"] for row in self._rows(query, id=conversation_id)]

    def forgotten_places(self, conversation_id: str) -> dict[str, int]:
        """The forgotten messages of a conversation by id, with their places in it."""
        query = "select message_id, ordinal from forgotten where conversation_id = $id"
        return {row["message_id"]: row["ordinal"] for row in self._rows(query, id=conversation_id)}

    def conversations(self, user_id: str) -> list[Conversation]:
        """The chats that a user owns or took part in, by title."""
        query = """
            select * from conversations where user_id = $user_id
            or id in (select conversation_id from messages where lower(user_id) = lower($user_id)) order by title, id"""
        return [rows.conversation(row) for row in self._rows(query, user_id=user_id)]

    def open_messages(self, conversation_id: str) -> tuple[list[Message], list[int], Vectors]:
        """Messages that no closed MemCell holds, with pieces and vectors as in `ChatWriter.add_messages`."""
        query = """
            select messages.* from messages left join memcells on event_id = memcell_id
            where messages.conversation_id = $id and coalesce(is_open, true) order by ordinal"""
        messages = [rows.message(row) for row in self._rows(query, id=conversation_id)]
        counts, vectors = self._vectors_of([message.id for message in messages])
        return messages, counts, vectors

    def last_reason(self, conversation_id: str) -> str | None:
        """Why the last closed MemCell of a conversation ended; None where none is closed."""
        query = """
            select boundary_reason from memcells where conversation_id = $id and not is_open
            order by end_at desc, start_at desc limit 1"""
        records = self._rows(query, id=conversation_id)
        return records[0]["boundary_reason"] if records else None

    def memcells(
        self, ids: Iterable[str] | None = None, *, extraction: Sequence[Extraction] = tuple(Extraction)
    ) -> list[MemCell]:
        """MemCells with their messages, oldest first; all where no ids are given."""
        self._wanted(ids)
        query = """
            select * from memcells where extraction in (select unnest($states))
            and ($every or event_id in (select id from wanted)) order by start_at, event_id"""
        records = self._rows(query, states=[state.value for state in extraction], every=ids is None)
        query = """
            select * from messages where $every or memcell_id in (select id from wanted) order by ordinal"""
        members: dict[str, list[Message]] = {}
        for row in self._rows(query, every=ids is None):
            members.setdefault(row["memcell_id"], []).append(rows.message(row))
        return [rows.memcell(row, members[row["event_id"]]) for row in records]

    def memcell_ids(self, user_id: str) -> list[str]:
        """MemCells of the chats that a user owns or took part in, oldest first."""
        query = """
            select event_id from memcells where conversation_id in (
              select id from conversations where user_id = $user_id union
              select conversation_id from messages where lower(user_id) = lower($user_id))
            order by start_at, event_id"""
        return [row["event_id"] for row in self._rows(query, user_id=user_id)]

    def pending_ids(self, *, closed: bool = False) -> list[str]:
        """MemCells that wait for the language model or failed, oldest first; `closed`: only those of ended topics."""
        query = """
            select event_id from memcells where extraction <> 'done' and not ($closed and is_open)
            order by start_at, event_id"""
        return [row["event_id"] for row in self._rows(query, closed=closed)]

    def failures(self) -> dict[str, str]:
        """Why the extraction of each failed MemCell failed."""
        query = "select event_id, failure from memcells where extraction = 'failed' order by start_at"
        return {row["event_id"]: row["failure"] for row in self._rows(query)}

    def episodes(self, memcell_ids: Iterable[str] | None = None) -> list[Episode]:
        """The episodes of these MemCells, or all; group episodes before personal ones."""
        return self._derived(Episode, memcell_ids)

    def episodes_for(self, user_id: str) -> list[Episode]:
        """The episodes that a user may read: all of their own chats; of others the group's and their own."""
        query = """
            select event_id from memcells join conversations on conversations.id = conversation_id
            where conversations.user_id = $user_id"""
        owned = {row["event_id"] for row in self._rows(query, user_id=user_id)}
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

    def messages(self, ids: Iterable[str]) -> dict[str, Message]:
        """Messages by id."""
        self._wanted(ids)
        records = self._rows("select * from messages where id in (select id from wanted)")
        return {row["id"]: rows.message(row) for row in records}

    def neighbours(self, ids: Iterable[str], reach: int) -> dict[str, Message]:
        """These messages and those up to `reach` places before and after them in their conversations."""
        self._wanted(ids)
        query = """
            select distinct near.* from messages as near join messages as hit
              on near.conversation_id = hit.conversation_id and abs(near.ordinal - hit.ordinal) <= $reach
            where hit.id in (select id from wanted)"""
        return {row["id"]: rows.message(row) for row in self._rows(query, reach=reach)}

    def resolve(self, prefix: str) -> str:
        """The one id of a memory, MemCell, scene or conversation that begins with the prefix.

        Raises UsageError where none or several do.
        """
        query = """
            select id from (
              select id from messages union all select event_id from memcells union all select id from episodes
              union all select id from event_logs union all select id from foresights union all select id from digests
              union all select id from conversations union all select scene_id from scenes
              union all select id from interactions union all select id from rules)
            where starts_with(id, $prefix) limit 2"""
        ids = [row["id"] for row in self._rows(query, prefix=prefix)]
        if len(ids) != 1:
            problem = "matches several memories" if ids else "is not in this memory"
            raise UsageError(f"{prefix} {problem}", "`evermem list memcells` and `evermem search` show ids")
        return str(ids[0])

    def contents(self, memory_id: str) -> list[CellContents]:
        """The MemCells that a memory of any kind belongs to, with everything derived from them, oldest first."""
        query = """
            select event_id from memcells where $id in (event_id, conversation_id, scene_id) union
            select memcell_id from messages where id = $id union select memcell_id from episodes where id = $id union
            select memcell_id from event_logs where id = $id union
            select memcell_id from foresights where id = $id union
            select memcell_id from sources join messages on messages.id = message_id where memory_id = $id
            or memory_id in (select interaction_id from rule_evidence where rule_id = $id)"""
        ids = [row["event_id"] for row in self._rows(query, id=memory_id)]
        return [
            CellContents(
                cell=cell,
                episodes=tuple(self.episodes([cell.event_id])),
                facts=tuple(self.facts([cell.event_id])),
                foresights=tuple(self.foresights([cell.event_id])),
            )
            for cell in self.memcells(ids)
        ]

    def withholds(self) -> bool:
        """Whether there is anything that the agent who reads may not see."""
        return bool(self._rows("from withheld limit 1"))

    def count_withheld(self, ids: Iterable[str]) -> int:
        """How many of these memories the agent that reads may not see."""
        return len(self._withheld(ids))

    def count_unsaid(self, ids: Iterable[str]) -> int:
        """The same, counting a message and what was derived from it as one."""
        hidden = self._withheld(ids)
        self._wanted(hidden)
        query = "select * from evermem.main.sources where memory_id in (select id from wanted)"
        said: dict[str, set[str]] = {memory_id: set() for memory_id in hidden}
        for row in self._rows(query):
            said[row["memory_id"]].add(row["message_id"])
        counted: set[str] = set()
        count = 0
        for memory_id, messages in sorted(said.items(), key=lambda entry: len(entry[1])):
            own = messages or {memory_id}  # a message is derived from nothing
            count += not own & counted
            counted |= own
        return count

    def _withheld(self, ids: Iterable[str]) -> set[str]:
        self._wanted(ids)
        return {row["id"] for row in self._rows("select id from wanted where id in (from withheld)")}

    def status(self) -> Status:
        """What the file holds, and what is still to be done."""
        waiting = self._rows("""
            select count(*) filter (extraction <> 'done') pending, count(*) filter (extraction = 'failed') failed
            from memcells""")[0]
        return Status(
            schema_version=int(self._meta("schema_version")),
            embedder=self.embedder,
            dimension=int(self._meta("dimension")),
            counts={name: int(self._rows(query)[0]["count_star()"]) for name, query in COUNTED.items()},
            pending=waiting["pending"],
            failed=waiting["failed"],
        )

    def _derived(self, noun: type[rows.Derived], memcell_ids: Iterable[str] | None) -> list[rows.Derived]:
        if memcell_ids is None:
            memcell_ids = [row["event_id"] for row in self._rows("select event_id from memcells")]
        self._wanted(memcell_ids)
        records = self._rows(DERIVED[noun])
        cited = self._sources([row["id"] for row in records])
        return [rows.derived(noun, row, cited.get(row["id"], [])) for row in records]

    def _sources(self, memory_ids: Iterable[str]) -> dict[str, list[str]]:
        self._wanted(memory_ids)
        cited: dict[str, list[str]] = {}
        query = "select * from sources where memory_id in (select id from wanted) order by memory_id, place"
        for row in self._rows(query):
            cited.setdefault(row["memory_id"], []).append(row["message_id"])
        return cited

    def _vectors_of(self, message_ids: Sequence[str]) -> tuple[list[int], Vectors]:
        """How many vectors each of these messages has, and the vectors, message by message in the order given."""
        self._wanted(message_ids)
        query = "select min(number) as first, max(number) as last from documents where memory_id in (from wanted)"
        [span] = self._rows(query)
        query = """
            select memory_id, embedding from documents
            where number between $first and $last and memory_id in (from wanted) order by number"""
        columns = self._connection.execute(query, span).fetchnumpy()
        place = {message_id: row for row, message_id in enumerate(message_ids)}
        owner = np.array([place[message_id] for message_id in columns["memory_id"]], dtype=np.int64)
        vectors = np.array([*columns["embedding"]], dtype=np.float32).reshape(-1, int(self._meta("dimension")))
        return np.bincount(owner, minlength=len(message_ids)).tolist(), vectors[np.argsort(owner, kind="stable")]

    def _wanted(self, ids: Iterable[str] | None) -> None:
        self._sql.want(ids)
