"""Files of every earlier schema, each with rows in all of its tables, brought up to date and compared row by row.

tests/schemas has each schema as it was when the next one came.
"""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from evermem_cli.archive import export
from evermem_cli.errors import StoreError
from evermem_cli.store import Store
from evermem_cli.store.file import connection
from evermem_cli.store.file.connection import SCHEMA_VERSION
from evermem_cli.store.schema.layout import columns
from tests.support.lives import EMBEDDER

SCHEMAS = Path(__file__).parents[1] / "schemas"
ROWS = 3
# No clock shows these times when a day begins, nor does one stand whole days from another.
START = datetime(2025, 3, 1, 9, 17, 23)
COLUMNS = """
    select table_name, column_name, data_type from duckdb_columns()
    where database_name = current_database() and schema_name = 'main' order by table_name, column_index"""
LAYOUT = """
    select table_name, column_name, data_type, is_nullable, column_default from duckdb_columns()
    where database_name = 'evermem' and schema_name = 'main' order by all"""
# What only a few words are allowed for, and what refers to other rows, by column; {n} is the number of the row.
SAID = {
    "kind": "assistant", "role": "user", "time_source": "explicit", "policy": "v1.1", "extraction": "done",
    "duration_type": "indefinite", "parent_type": "memcell", "stance": "holds", "effect": "confirms",
    "outcome": "success", "scope": "profile", "resolution": "recency_wins", "privacy_tier": "private",
    "whose": "me", "boundary_reason": "end", "format": "text", "domain": "work",
    "conversation_id": "conversations-{n}", "message_id": "messages-{n}", "memcell_id": "memcells-{n}",
    "memory_id": "messages-{n}", "event_id": "memcells-{n}", "scene_id": "scenes-{n}", "parent_id": "memcells-{n}",
}  # fmt: skip
OF_TABLE = {("documents", "kind"): "message", ("rules", "stance"): "prefer", ("corrections", "kind"): "fact"}
META = {"dimension": "384", "embedder": EMBEDDER.name, "created_at": "2025-03-01T09:17:23+00:00"}
# Tables whose rows are drawn anew, by the version that does so.
DRAWN_ANEW = {"profile_facts": 3, "profile_traits": 3, "conflicts": 4}
# Columns that migrations write, by table: assertions and the domains of texts are read anew, the words of an entry
# counted.
DOMAINS = {("messages", "domain"), ("event_logs", "domain"), ("foresights", "domain")}
WRITTEN = {("memcells", "consolidated"), ("documents", "length")} | DOMAINS
Rows = dict[str, tuple[list[str], list[tuple[Any, ...]]]]


def value(table: str, column: str, kind: str, place: int, number: int) -> Any:
    """A value of a column's type, another in each row."""
    if column == "id":
        return f"{table}-{number}"
    if kind == "VARCHAR":
        return OF_TABLE.get((table, column)) or SAID.get(column, f"{column} of {table} {{n}}").format(n=number)
    if kind == "VARCHAR[]":
        return [f"messages-{number}"]
    if kind == "TIMESTAMP":
        return START + timedelta(days=number, minutes=7 * place + 1)
    if kind.startswith("FLOAT["):
        return [number / 8, *[0.0] * 383]
    return {"BOOLEAN": number == 1, "DOUBLE": number / 8}.get(kind, number)


def made(path: Path, version: int) -> Rows:
    """A file of an earlier schema with rows in all tables; what they hold."""
    rows: Rows = {}
    with duckdb.connect(str(path)) as opened:
        opened.execute((SCHEMAS / f"{version}.sql").read_text(encoding="utf-8"))
        opened.executemany("insert into meta values (?, ?)", [*META.items(), ("schema_version", str(version))])
        tables: dict[str, dict[str, str]] = {}
        for table, column, kind in opened.execute(COLUMNS).fetchall():
            tables.setdefault(table, {})[column] = kind
        for table, columns in tables.items():
            if table in ("meta", "postings"):  # the words are counted of what is there
                continue
            for number in range(1, ROWS + 1):
                row = [value(table, name, kind, place, number) for place, (name, kind) in enumerate(columns.items())]
                opened.execute(f"insert into {table} values ({', '.join('?' * len(row))})", row)
            rows[table] = (list(columns), opened.execute(f"from {table}").fetchall())
    return rows


def updated(path: Path) -> None:
    with connection.connected(path, write=True, timeout=1.0):
        pass


@pytest.fixture
def newest(tmp_path: Path) -> list[tuple[Any, ...]]:
    store = Store(tmp_path / "new.duckdb", 1.0)
    store.create(EMBEDDER.name, EMBEDDER.dimension)
    with connection.connected(store.path, write=False, timeout=1.0) as opened:
        return opened.execute(LAYOUT).fetchall()


def test_each_earlier_schema_is_kept() -> None:
    assert {int(path.stem) for path in SCHEMAS.iterdir()} == set(range(1, SCHEMA_VERSION))


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
def test_a_file_of_each_earlier_schema_keeps_every_row(
    tmp_path: Path, version: int, newest: list[tuple[Any, ...]]
) -> None:
    path = tmp_path / "old.duckdb"
    before = made(path, version)
    updated(path)
    with connection.connected(path, write=False, timeout=1.0) as opened:
        assert opened.execute(LAYOUT).fetchall() == newest
        for table, (columns, rows) in before.items():
            if version < DRAWN_ANEW.get(table, 0):
                continue
            known = {name for tabled, name, *_ in newest if tabled == table}
            kept = [name for name in columns if name in known and (table, name) not in WRITTEN]
            assert kept, table
            places = [columns.index(name) for name in kept]
            expected = [tuple(row[place] for place in places) for row in rows]
            found = opened.execute(f"select {', '.join(kept)} from {table}").fetchall()
            assert sorted(found, key=str) == sorted(expected, key=str), table


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
def test_what_an_updated_file_holds_can_be_exported(tmp_path: Path, version: int) -> None:
    path = tmp_path / "old.duckdb"
    made(path, version)
    lines = [json.loads(line) for line in export(Store(path, 1.0))]
    counts = {kind: sum(line["type"] == kind for line in lines) for kind in ("conversation", "message", "fact")}
    assert counts == dict.fromkeys(counts, ROWS)


@pytest.mark.parametrize("said", [1, 18, SCHEMA_VERSION - 1])
def test_a_file_that_says_an_earlier_schema_than_it_has_is_refused_and_left_as_it_was(
    tmp_path: Path, said: int
) -> None:
    store = Store(tmp_path / "new.duckdb", 1.0)
    store.create(EMBEDDER.name, EMBEDDER.dimension)
    with duckdb.connect(str(store.path)) as opened:
        opened.execute(f"update meta set value = '{said}' where key = 'schema_version'")
        before = opened.execute("from meta order by key").fetchall()
    for opening in (store.read, store.write):
        with pytest.raises(StoreError, match=f"not those of its schema version, {said}$"), opening():
            pass
    with duckdb.connect(str(store.path), read_only=True) as opened:
        assert opened.execute("from meta order by key").fetchall() == before


def test_the_layout_is_that_of_the_schema(newest: list[tuple[Any, ...]]) -> None:
    assert {(table, column) for table, names in columns().items() for column in names} == {
        (table, column) for table, column, *_ in newest
    }
