"""The memory file written anew: a row that is deleted stays readable in the old one's free blocks."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from evermem_cli.errors import StoreError
from evermem_cli.store import connection


@contextmanager
def renewed(path: Path, timeout: float) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to the memory file, and as `fresh` to an empty one that takes its place when the block ends well.

    No other process reads or writes until then. Whoever had the old file open before goes on reading that. Raises
    StoreError, StoreBusy; the memory is then as it was.
    """
    path = path.resolve()  # through a link, the file and not the link is replaced
    draft = connection.draft_beside(path)
    try:
        with connection.attached(path, write=True, timeout=timeout) as opened:
            opened.execute("checkpoint evermem")  # leaves no log beside the file
            found = opened.execute("select value from meta where key = 'dimension'").fetchall()
            connection.lay_out(opened, draft, "fresh", int(found[0][0]))
            opened.execute("use evermem")
            yield opened
            opened.execute("detach fresh")
            connection.put_in_place(draft, path, replace=True)
            for leftover in path.parent.glob(f".{path.name}.*.new*"):  # of a crash
                leftover.unlink(missing_ok=True)
    except duckdb.IOException as error:
        reason = str(error).splitlines()[0]
        raise StoreError(f"{path}: could not be written anew: {reason}", "nothing has changed") from error
    finally:
        for leftover in (draft, Path(f"{draft}.wal")):
            leftover.unlink(missing_ok=True)
