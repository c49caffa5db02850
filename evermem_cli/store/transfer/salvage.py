"""Reads what is left of a damaged memory file, row by row, from a copy with all possible repairs."""

import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

import duckdb

from evermem_cli.errors import StoreError
from evermem_cli.memory import AccessEntry
from evermem_cli.memory.strength import Fading
from evermem_cli.store.file import blocks, connection, database, drafts, open_files
from evermem_cli.store.file.faults import explained
from evermem_cli.store.file.journal import Journal
from evermem_cli.store.file.keys import Keys
from evermem_cli.store.index import postings
from evermem_cli.store.lifecycle.strength import TABLES, risen
from evermem_cli.store.schema import layout
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.transfer.portable import Portable, Table, plain

READ_TOGETHER = 2048  # rows, the fewest that DuckDB reads of a column at once


@dataclass(frozen=True, slots=True)
class Survey:
    """How many blocks a file has, how many are damaged and repairable, and the unreadable rows by table.

    `lacking` names the tables and columns that are not there at all, `miscounted` is the number of memories that the
    keyword index does not have as they are.
    """

    blocks: int
    damaged: int
    mended: int
    rows: int = 0
    lost: dict[str, int] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()
    miscounted: int = 0


class Salvage:
    """A connection without a transaction to a file that may be damaged."""

    def __init__(self, opened: duckdb.DuckDBPyConnection, damage: blocks.Damage) -> None:
        self._sql = Sql(opened)
        self.damage = damage
        self._fading, self._logged = Fading(), list[AccessEntry]()
        self._seen: dict[str, list[datetime]] = defaultdict(list)
        self._present = layout.present(opened)
        self._meta = dict(self._read("meta", "key, value", 0) or ())  # by no key, since the index may be damaged
        newest = str(connection.SCHEMA_VERSION)
        self._is_current = self._meta.get("schema_version", newest) == newest  # else it has the tables of its version

    def take_in(self, journal: Journal, fading: Fading, note: Callable[[str], None]) -> None:
        """Applies the journal to the rows that are read, since the file cannot be written."""
        held, shown = journal.understood(note)
        self._fading, self._logged = fading, journal.logged(held)
        for memory_id, at in shown:
            self._seen[memory_id].append(at)

    def tables(self) -> list[Table]:
        """The tables of an export, in its order, whether the file has them or not."""
        if not self._is_current:
            return Portable(self._sql).tables()
        with duckdb.connect(":memory:") as empty:
            empty.execute(f"attach ':memory:' as evermem; use evermem; {layout.definition()}")
            return Portable(Sql(empty)).tables()

    def header(self) -> dict[str, Any]:
        """The header of an export. Without a readable embedder, vectors are left out."""
        dimension = self._meta.get("dimension")
        return {"embedder": self._meta.get("embedder"), "dimension": dimension and int(dimension)}

    def has(self, table: Table) -> bool:
        """Whether the file has the table."""
        return table.name in self._present

    def saved(self, table: Table) -> tuple[list[dict[str, Any]], Counter[str]]:
        """The readable rows of a table by label, and the number of unreadable ones by type of row or column."""
        rows: list[dict[str, Any]] = []
        lost = Counter[str]()
        for first in self._firsts(table.name) if self.has(table) else ():
            columns = self._columns(table.name, [column.name for column in table.columns], first)
            unread = [column for column, values in zip(table.columns, columns, strict=True) if values is None]
            if not all(column.optional for column in unread):
                lost[table.type] += self._count(table.name, first)
                continue
            count = self._count(table.name, first)
            lost.update({f"{table.type}.{column.label}": count for column in unread})
            filled = [[None] * count if values is None else values for values in columns]
            labels = [column.label for column in table.columns]
            rows += [self._plain(table, dict(zip(labels, row, strict=True))) for row in zip(*filled, strict=True)]
        if table.name == "access_log":
            rows += [{name: plain(value) for name, value in asdict(entry).items()} for entry in self._logged]
        return rows, lost

    def _plain(self, table: Table, row: dict[str, Any]) -> dict[str, Any]:
        """A row in a form that JSON allows, with the journal's accesses to it if its strength can be read."""
        seen = self._seen.get(row["id"]) if table.name in TABLES else None
        if seen and None not in (row["strength"], row["access_count"], row["created_at"]):
            row |= risen(row, seen, self._fading)
        return {label: plain(value) for label, value in row.items()}

    def survey(self) -> Survey:
        """Reads every row of every table."""
        lost, count = {}, 0
        for table, columns in self._present.items():
            unread = 0
            for first in self._firsts(table):
                rows = self._count(table, first)
                whole = None not in self._columns(table, columns, first)
                unread += 0 if whole else rows
                count += rows
            if unread:
                lost[table] = unread
        missing = tuple(layout.lacking(self._sql.connection)) if self._is_current else ()
        miscounted = 0
        with suppress(duckdb.Error):  # where the index cannot be read, something is lost or missing
            miscounted = postings.miscounted(self._sql.connection)
        damage = self.damage
        return Survey(damage.blocks, len(damage.places), len(damage.mended), count, lost, missing, miscounted)

    def _firsts(self, table: str) -> range:
        [(last,)] = self._sql.connection.execute(f"select max(rowid) from {table}").fetchall()
        return range(0, 0 if last is None else last + 1, READ_TOGETHER)

    def _count(self, table: str, first: int) -> int:
        span = {"first": first, "last": first + READ_TOGETHER - 1}
        query = f"select count(*) from {table} where rowid between $first and $last"
        return int(self._sql.connection.execute(query, span).fetchall()[0][0])

    def _columns(self, table: str, columns: list[str], first: int) -> list[list[Any] | None]:
        """Some values of columns; None for a column where they cannot be read."""
        together = self._read(table, ", ".join(columns), first)
        if together is not None:
            return [list(values) for values in zip(*together, strict=True)] or [[] for _ in columns]
        alone = (self._read(table, column, first) for column in columns)
        return [None if rows is None else [value for (value,) in rows] for rows in alone]

    def _read(self, table: str, columns: str, first: int) -> list[tuple[Any, ...]] | None:
        span = {"first": first, "last": first + READ_TOGETHER - 1}
        query = f"select {columns} from {table} where rowid between $first and $last order by rowid"
        try:
            return self._sql.connection.execute(query, span).fetchall()
        except duckdb.Error:
            return None


@contextmanager
def salvaged(path: Path, timeout: float, keys: Keys) -> Iterator[Salvage]:
    """Whatever can be read of the file at `path`, which is not changed. Raises DiskFull, StoreError, StoreBusy."""
    StoreError.refuse_absence(path)
    path = path.resolve()
    with explained(path), drafts.drafted(path, path) as copy, open_files.unwritten(path, timeout) as content:
        encrypted = open_files.is_encrypted(path)
        damage = blocks.UNKNOWN if encrypted else blocks.damage(content)
        readable = _mend(path, content, copy, damage) if damage.mended else path
        opened = database.started(ciphers=encrypted)
        try:
            connection.attach_as_it_is(opened, readable, keys)
            if not layout.present(opened).keys() & layout.columns().keys():
                raise StoreError(f"{path}: a DuckDB file, but not a memory of evermem", connection.NOT_OURS)
            yield Salvage(opened, damage)
        finally:
            opened.close()


def _mend(path: Path, content: BinaryIO, copy: Path, damage: blocks.Damage) -> Path:
    """Copies the file with its log and writes the repaired blocks into the copy."""
    content.seek(0)
    with copy.open("wb") as opened:
        shutil.copyfileobj(content, opened)
        for place, block in damage.mended.items():
            opened.seek(place)
            opened.write(block)
    for ending in drafts.LOGS:
        if Path(f"{path}{ending}").exists():
            shutil.copyfile(f"{path}{ending}", f"{copy}{ending}")
    return copy
