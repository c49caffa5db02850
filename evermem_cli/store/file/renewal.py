"""Rewrites the memory file, without forgotten rows or with another key.

Forgotten data would otherwise remain readable in the free blocks of the old file.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from evermem_cli.errors import StoreError
from evermem_cli.store.file import connection, drafts
from evermem_cli.store.file.backup import fingerprints
from evermem_cli.store.file.keys import Key, Keys


@contextmanager
def renewed(
    path: Path, timeout: float, keys: Keys, key: Key | None, dimension: int | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to the memory file, with an empty one attached as `fresh` that replaces it when the block ends well.

    `fresh` is encrypted with `key` if there is one; its vectors are as long as those there, unless another `dimension`
    is given. No other process reads or writes meanwhile; a process that had the old file open continues to read that.
    Raises DiskFull, StoreError, StoreBusy; the memory is then unchanged.
    """
    path = path.resolve()  # replaces the file itself where the path is a link
    opening = connection.attached(path, write=True, timeout=timeout, keys=keys, ciphers=key is not None)
    with drafts.drafted(path, path) as draft, opening as opened:
        if path.stat().st_nlink > 1:
            raise StoreError(
                f"{path}: has other names (hard links), which would keep everything", "remove the other names first"
            )
        opened.execute("checkpoint evermem")  # leaves no log beside the file
        present = opened.execute("select value from meta where key = 'dimension'").fetchall()
        connection.lay_out(opened, draft, "fresh", dimension or int(present[0][0]), key)
        opened.execute("use evermem")
        yield opened
        opened.execute("checkpoint fresh")  # detaching alone would not report a failed write
        opened.execute("detach fresh")
        opened.execute("checkpoint evermem")  # its log does not belong to the new file
        drafts.put_in_place(draft, path, replace=True)


def carry_over_all(opened: duckdb.DuckDBPyConnection, path: Path) -> int:
    """Copies every row of the memory at `path` to `fresh`; returns how many. Raises StoreError where they differ."""
    expected = fingerprints(opened)
    for table in expected:
        opened.execute(f"insert into fresh.{table} by name from evermem.{table}")
    if fingerprints(opened, "fresh") != expected:
        raise StoreError(f"{path}: the new file differs from the memory", "check the disk and try again")
    return sum(count for count, _ in expected.values())
