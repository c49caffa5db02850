"""Copies the memory file while nobody writes to it, and compares the copy with it row by row."""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import duckdb

from evermem_cli.errors import StoreError, UsageError
from evermem_cli.store.file import connection, drafts, open_files
from evermem_cli.store.file.faults import explained
from evermem_cli.store.file.keys import Keys

MEGABYTE = 1 << 20  # of a file that is copied, read at once


def backup(path: Path, target: Path, timeout: float, keys: Keys, *, force: bool) -> dict[str, int]:
    """Copies the file to `target`, completely or not at all; returns the rows of each table.

    Readers continue meanwhile and writers wait. Raises UsageError where `target` exists and is not to be replaced,
    DiskFull, StoreError, StoreBusy.
    """
    path = path.resolve()
    if target.exists() and not force:
        raise UsageError(f"{target} exists already", "name another file, or add --force")
    try:
        with explained(target), drafts.drafted_apart(target, path, keys.file) as draft:
            expected = _copied(path, draft, target, timeout, keys)
            with connection.attached(draft, write=True, timeout=timeout, keys=keys) as opened:
                if fingerprints(opened) != expected:
                    raise StoreError(f"{target}: the copy differs from the memory", "check the disk and try again")
                opened.execute("checkpoint evermem")
            drafts.put_in_place(draft, target, replace=force)
    except OSError as error:
        raise StoreError(f"{target}: {error.strerror}", "name another place") from error
    return {table: count for table, (count, _) in expected.items()}


def _copied(path: Path, draft: Path, target: Path, timeout: float, keys: Keys) -> dict[str, tuple[int, int]]:
    """Copies the file and its log unchanged to the draft for `target`; returns their fingerprints."""
    with connection.connected(path, write=False, timeout=timeout, keys=keys) as opened:
        expected = fingerprints(opened)
        with explained(target):
            _copy(open_files.content(path), draft)
            with suppress(FileNotFoundError), Path(f"{path}.wal").open("rb") as log:
                _copy(log, Path(f"{draft}.wal"))
    return expected


def _copy(source: BinaryIO, target: Path) -> None:
    with target.open("wb") as written:
        shutil.copyfileobj(source, written, MEGABYTE)
        os.fsync(written.fileno())


def fingerprints(opened: duckdb.DuckDBPyConnection, name: str = "evermem") -> dict[str, tuple[int, int]]:
    """Per table of an attached file the number of rows and a hash of all values, independent of their order."""
    query = "select table_name from duckdb_tables() where database_name = $name and schema_name = 'main' order by all"
    counted = "select count(*), coalesce(bit_xor(hash(rows)), 0) from {}.main.{} as rows"
    return {
        table: opened.execute(counted.format(name, table)).fetchall()[0]
        for (table,) in opened.execute(query, {"name": name}).fetchall()
    }
