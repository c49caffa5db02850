"""Memory as rows of plain values, table by table, and back: what export reads and import writes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import duckdb

from evermem_cli.engines import Vectors
from evermem_cli.memory import Episode, Fact, Foresight, utc_text
from evermem_cli.store.lifecycle.forget import KEYS
from evermem_cli.store.lifecycle.strength import STATES
from evermem_cli.store.privacy.counts import WithheldReader
from evermem_cli.store.read.meta import MetaReader
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.ends import OVER_GRAIN
from evermem_cli.store.schema.migrations import WITH_DAYS, fill_days
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.write.entries import Item, SearchEntries

# The type of each table's rows in an export, in its order: referenced rows come first.
TYPES = {
    "conversations": "conversation",
    "scenes": "scene",
    "memcells": "memcell",
    "messages": "message",
    "episodes": "episode",
    "event_logs": "fact",
    "foresights": "foresight",
    "digests": "digest",
    "sources": "source",
    "assertions": "assertion",
    "conflicts": "conflict",
    "accords": "accord",
    "forgotten": "forgotten_message",
    "forgotten_memories": "forgotten_memory",
    "privacy": "privacy",
    "access_log": "access",
    "interactions": "interaction",
    "rules": "rule",
    "rule_evidence": "rule_evidence",
    "reflections": "reflection",
    "message_edits": "message_edit",
    "mentions": "mention",
    "verdicts": "verdict",
    "merged": "merged_person",
    "corrections": "correction",
}
# Tables that are not exported. The header has the relevant part of meta; search entries, vectors and statements are
# made anew; the record of exchanges is valid for one file only.
LEFT_OUT = ("meta", "documents", "postings", "situations", "statements", "readings", "exchanged")
LABELS = {"conversation_id": "conversation"}
# Fields that lines have beside their row's columns, for readers of an export. Import ignores them.
EXPLAINED = {
    "assertion": {
        "person": """(select last(if(messages.user_id = assertions.user_id, speaker, assertions.user_id) order by place)
                      from sources join messages on messages.id = message_id where memory_id = assertions.id)""",
        "messages": "(select list(message_id order by place) from sources where memory_id = assertions.id)",
    }
}
SEARCHABLE: dict[str, type[Any]] = {"episodes": Episode, "event_logs": Fact, "foresights": Foresight}
BATCH = 1000
# A fact that consolidation ended has ended for search too.
END_ENTRIES = f"""
    update documents set invalid_at = least(event_logs.invalid_at, superseded_at), invalid_grain = {OVER_GRAIN},
                         superseded_told_at = event_logs.superseded_told_at
    from event_logs where event_logs.id = memory_id and superseded_at is not null and memory_id in (from wanted)"""
# Search entries keep the creation time of their memories.
AGE_ENTRIES = f"""
    update documents set created_at = told.created_at from ({STATES}) as told
    where told.memory_id = documents.memory_id and told.created_at <> documents.created_at
    and documents.memory_id in (from wanted)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column by its name in the file and its label in an export; `kind` is DuckDB's type."""

    name: str
    label: str
    kind: str
    optional: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table. `key` identifies its rows if they have ids."""

    name: str
    type: str
    columns: tuple[Column, ...]
    key: str | None


@dataclass(frozen=True, slots=True)
class Portable:
    """A read transaction that returns everything."""

    sql: Sql

    def tables(self) -> list[Table]:
        """The tables of an export, in its order."""
        by_table: dict[str, list[Column]] = {name: [] for name in TYPES}
        query = """
            select table_name, column_name, data_type, is_nullable or column_default is not null as optional
            from duckdb_columns() where schema_name = 'main' and database_name = 'evermem' order by column_index"""
        for row in self.sql.rows(query):
            if row["table_name"] in by_table:
                name = row["column_name"]
                label = LABELS.get(name, name)
                column = Column(name=name, label=label, kind=row["data_type"], optional=row["optional"])
                by_table[row["table_name"]].append(column)
        return [
            Table(name=name, type=TYPES[name], columns=tuple(columns), key=KEYS[name])
            for name, columns in by_table.items()
        ]

    def header(self) -> dict[str, Any]:
        """What an export says of the file itself."""
        meta = MetaReader(self.sql)
        return {"embedder": meta.embedder, "dimension": meta.dimension}

    def withheld(self) -> int:
        """The number of private messages that are left out."""
        return WithheldReader(self.sql).count_messages()

    def dump(self, table: Table, which: str = "true") -> Iterator[dict[str, Any]]:
        """The rows of a table that meet a condition, by label, in the order of writing, one batch at a time."""
        labels = [*(column.label for column in table.columns), *EXPLAINED.get(table.type, {})]
        shown = [*(column.name for column in table.columns), *EXPLAINED.get(table.type, {}).values()]
        # Looking up other columns would lose the order of the rows.
        order = " order by created_at, id" if table.type in EXPLAINED else ""
        cursor = self.sql.connection.execute(f"select {', '.join(shown)} from {table.name} where {which}{order}")
        while batch := cursor.fetchmany(BATCH):
            for values in batch:
                yield {label: plain(value) for label, value in zip(labels, values, strict=True)}


@dataclass(frozen=True, slots=True)
class Loader:
    """A write transaction on a new file that takes rows unchanged."""

    sql: Sql
    entries: SearchEntries

    @classmethod
    def of(cls, connection: duckdb.DuckDBPyConnection) -> "Loader":
        """The loader of one transaction."""
        sql = Sql(connection)
        return cls(sql, SearchEntries(sql))

    def load(self, table: Table, records: Sequence[rows.Row]) -> None:
        """Adds rows, by column name."""
        vectors_as_text = [
            {name: str(value) if isinstance(value, list) else value for name, value in row.items()} for row in records
        ]
        self.sql.register(vectors_as_text)
        self.sql.execute(f"insert into {table.name} by name select * from incoming")

    def items(self, table: Table, records: Sequence[rows.Row]) -> list[Item]:
        """The rows that search indexes, as nouns."""
        if table.name in ("messages", "digests"):
            return [rows.message(row) if table.name == "messages" else rows.digest(row, ()) for row in records]
        noun = SEARCHABLE.get(table.name)
        return [rows.derived(noun, rows.aware(row), ()) for row in records] if noun else []

    def fill_days(self, version: int) -> None:
        """Distinguishes days from moments in the rows of a file of this version."""
        if version < WITH_DAYS:
            fill_days(self.sql.connection)

    def add_entries(self, items: Sequence[Item], pieces: Sequence[int], vectors: Vectors, chats: Sequence[str]) -> None:
        """Makes items searchable; `pieces` as in `ChatWriter.add_messages`, `chats` the conversation of each."""
        self.entries.add(items, pieces, vectors, chats)
        self.sql.want(item.id for item in items)
        self.sql.execute(END_ENTRIES)
        self.sql.execute(AGE_ENTRIES)


def plain(value: Any) -> Any:
    """A value in a form that JSON allows; times are in UTC."""
    match value:
        case datetime():
            return utc_text(value.replace(tzinfo=UTC))
        case tuple():
            return list(value)
        case _:
            return value
