"""Counts: messages by day, chats by size, and the disk space of each table."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from evermem_cli.memory import Status
from evermem_cli.store.read.chats import chat_names
from evermem_cli.store.read.meta import MetaReader
from evermem_cli.store.schema.sql import READABLE, Sql

DAYS = f"""
    select (said_at + to_seconds(utc_offset))::date as day, count(*) as messages from messages
    where conversation_id in ({READABLE}) group by day order by day"""
CHATS = f"""
    select conversation_id as id, count(*) as messages, sum(strlen(text))::bigint as bytes,
           min(said_at) as first_at, max(said_at) as last_at
    from messages where conversation_id in ({READABLE}) group by all order by bytes desc, id"""
TABLES = """
    select table_name from duckdb_tables() where database_name = 'evermem' and schema_name = 'main'"""
# A block may be filled in part. The length of its last segment is not known and counts as the average of the others.
BYTES = """
    with blocks as (
      select block_id, count(*) as segments, max(block_offset) as last from pragma_storage_info($name)
      where block_id >= 0 group by all),
    more as (
      select unnest(additional_block_ids) as block_id from pragma_storage_info($name)
      except select block_id from blocks)
    select coalesce(sum(if(last = 0, $size, least($size, last * segments / (segments - 1)))), 0)::bigint
      + $size * (select count(*) from more) as bytes from blocks"""
ROWS = "select estimated_size as held from duckdb_tables() where database_name = 'evermem' and table_name = $name"

# The tables of what was said and what was formed from it, by the names that users read.
KEPT = {
    "conversations": "conversations",
    "messages": "messages",
    "memcells": "memcells",
    "episodes": "episodes",
    "facts": "event_logs",
    "foresights": "foresights",
    "digests": "digests",
}
COUNTED = KEPT | {
    "scenes": "scenes",
    "conflicts": "conflicts",
    "interactions": "interactions",
    "rules": "rules where retired_at is null",
}


class ChatSize(NamedTuple):
    """A chat: its name, messages, first and last time, and the bytes of its texts."""

    id: str
    name: str
    messages: int
    bytes: int
    first_at: datetime
    last_at: datetime


class TableSize(NamedTuple):
    """A table: its rows and its approximate size in bytes."""

    name: str
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class OverviewReader:
    """Counts what the file holds."""

    sql: Sql
    meta: MetaReader

    def status(self) -> Status:
        """What the file holds, and what is still to be done."""
        waiting = self.sql.rows("""
            select count(*) filter (extraction <> 'done') as pending,
                   count(*) filter (extraction <> 'done' and model is null) as unformed,
                   count(*) filter (extraction = 'failed') as failed from memcells""")[0]
        return Status(
            schema_version=int(self.meta.value("schema_version")),
            embedder=self.meta.embedder,
            dimension=self.meta.dimension,
            counts={name: self._count(what) for name, what in COUNTED.items()},
            **waiting,
        )

    def _count(self, what: str) -> int:
        return int(self.sql.rows(f"select count(*) as n from {what}")[0]["n"])

    def days(self, user_id: str) -> dict[date, int]:
        """The messages of a user's chats per day, on the speaker's clock."""
        return {row["day"]: row["messages"] for row in self.sql.rows(DAYS, user_id=user_id)}

    def chats(self, user_id: str) -> list[ChatSize]:
        """A user's chats, the largest first."""
        sizes = self.sql.rows(CHATS, user_id=user_id)
        names = chat_names(self.sql, [size["id"] for size in sizes])
        return [ChatSize(**size, name=names[size["id"]]) for size in sizes]

    def tables(self) -> list[TableSize]:
        """All tables that are not empty, the largest first."""
        query = "select block_size from pragma_database_size() where database_name = 'evermem'"
        size = int(self.sql.rows(query)[0]["block_size"])
        sizes = [self._table(row["table_name"], size) for row in self.sql.rows(TABLES)]
        return sorted((size for size in sizes if size.rows), key=lambda size: (-size.bytes, -size.rows, size.name))

    def _table(self, name: str, size: int) -> TableSize:
        filled = int(self.sql.rows(BYTES, name=f"evermem.main.{name}", size=size)[0]["bytes"])
        return TableSize(name, int(self.sql.rows(ROWS, name=name)[0]["held"]), filled)
