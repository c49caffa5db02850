"""A memory ten times over: every row again under other ids, with vectors that lie as far apart as the first."""

import shutil
from pathlib import Path

import duckdb

from evermem_cli.store.sketches import COLUMNS

TIMES = 10
WORD = 64  # places of a vector that change their sign together
# What tells a row, or names one, by table: these are other ones in a copy.
IDS = {
    "conversations": ("id", "key", "group_id"),
    "messages": ("id", "conversation_id", "memcell_id"),
    "memcells": ("event_id", "conversation_id", "group_id"),
    "episodes": ("id", "memcell_id"),
    "event_logs": ("id", "memcell_id", "parent_id", "group_id"),
    "sources": ("memory_id", "message_id"),
    "mentions": ("message_id",),
    "documents": ("memory_id", "conversation_id"),
    "postings": (),
}
NUMBERS = ("number", "head")


def tenfold(small: Path, large: Path) -> None:
    """Makes the memory `large` of ten times `small`, in minutes where storing as many texts would take an hour."""
    draft = large.with_suffix(".draft")
    shutil.copyfile(small, draft)
    with duckdb.connect() as connection:
        connection.execute(f"attach '{draft}' as evermem (row_group_size 10240)")
        connection.execute("use evermem")
        rows = {table: _one(connection, f"select count(*) from {table}") for table in IDS}
        last = _one(connection, "select max(number) from documents")
        for copy in range(1, TIMES):
            for table, ids in IDS.items():
                changes = [f"{name} || '-{copy}' as {name}" for name in ids]
                changes += [f"{name} + {copy * last} as {name}" for name in NUMBERS if _has(connection, table, name)]
                if table == "documents":
                    changes += _turned(copy)
                query = f"select * replace ({', '.join(changes)}) from {table} limit {rows[table]}"
                connection.execute(f"insert into {table} {query}")
        connection.execute("checkpoint evermem")
    draft.rename(large)


def _turned(copy: int) -> list[str]:
    """The vectors with the sign of some words of places changed, and their sketches: angles stay as they are."""
    signs = [-1.0 if copy >> word & 1 else 1.0 for word in range(len(COLUMNS))]
    parts = [
        f"list_transform(embedding[{WORD * word + 1}:{WORD * word + WORD}], x -> x * ({sign}))"
        for word, sign in enumerate(signs)
    ]
    flipped = [
        f"xor({name}, 18446744073709551615) as {name}" for name, sign in zip(COLUMNS, signs, strict=True) if sign < 0
    ]
    return [f"list_concat({', '.join(parts)})::float[384] as embedding", *flipped]


def _has(connection: duckdb.DuckDBPyConnection, table: str, column: str) -> bool:
    query = "select count(*) from duckdb_columns() where table_name = $table and column_name = $column"
    return bool(connection.execute(query, {"table": table, "column": column}).fetchall()[0][0])


def _one(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    return int(connection.execute(query).fetchall()[0][0])
