"""The memory file written anew: a row that is deleted stays readable in the old one's free blocks."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from evermem_cli.errors import StoreError
from evermem_cli.store import connection, queries


@contextmanager
def renewed(path: Path, timeout: float) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to the memory file, and as `fresh` to an empty one that takes its place when the block ends well.

    No other process reads or writes until then. Whoever had the old file open before goes on reading that. Raises
    StoreError, StoreBusy; the memory is then as it was.
    """
    path = path.resolve()  # through a link, the file and not the link is replaced
    opened = connection.attached(path, write=True, timeout=timeout)
    draft = connection.draft_beside(path)
    try:
        opened.execute("checkpoint evermem")  # leaves no log beside the file
        found = opened.execute("select value from meta where key = 'dimension'").fetchall()
        connection.lay_out(opened, draft, "fresh", int(found[0][0]))
        opened.execute("use evermem")
        yield opened
        opened.execute("use fresh")
        opened.execute(queries.BUILD_INDEX)
        opened.execute(queries.NOTE_INDEX)
        opened.execute("use evermem")
        opened.execute("detach fresh")
        _replace(path, draft)
    except duckdb.IOException as error:
        reason = str(error).splitlines()[0]
        raise StoreError(f"{path}: could not be written anew: {reason}", "nothing has changed") from error
    finally:
        opened.close()
        for leftover in (draft, Path(f"{draft}.wal")):
            leftover.unlink(missing_ok=True)


def _replace(path: Path, draft: Path) -> None:
    """Puts the draft in the file's place, for good, and removes drafts that a crash left behind."""
    draft.chmod(0o600)
    draft.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # else a power cut could bring the old file back
    finally:
        os.close(folder)
    for leftover in path.parent.glob(f".{path.name}.*.new*"):
        leftover.unlink(missing_ok=True)
