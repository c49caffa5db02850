"""The memory file written anew: a row that is deleted stays readable in the old one's free blocks."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from evermem_cli.errors import StoreError
from evermem_cli.store import connection, drafts


@contextmanager
def renewed(path: Path, timeout: float) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to the memory file, and as `fresh` to an empty one that takes its place when the block ends well.

    No other process reads or writes until then. Whoever had the old file open before goes on reading that. Raises
    DiskFull, StoreError, StoreBusy; the memory is then as it was.
    """
    path = path.resolve()  # through a link, the file and not the link is replaced
    with drafts.drafted(path, path) as draft, connection.attached(path, write=True, timeout=timeout) as opened:
        if path.stat().st_nlink > 1:
            raise StoreError(
                f"{path}: has other names (hard links), and all would stay under them", "remove those first"
            )
        opened.execute("checkpoint evermem")  # leaves no log beside the file
        found = opened.execute("select value from meta where key = 'dimension'").fetchall()
        connection.lay_out(opened, draft, "fresh", int(found[0][0]))
        opened.execute("use evermem")
        yield opened
        opened.execute("checkpoint fresh")  # detaching alone would not say that it could not be written
        opened.execute("detach fresh")
        opened.execute("checkpoint evermem")  # its log is not that of the new file
        drafts.put_in_place(draft, path, replace=True)
