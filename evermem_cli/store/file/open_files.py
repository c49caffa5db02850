"""The memory files that this process has open, and their bytes, which are read without losing the lock on them.

The system releases every lock of a process on a file as soon as the process closes any descriptor of that file. Another
process would then write into what is being read. So a file that is open is not opened a second time, and a descriptor
for its bytes stays open until DuckDB has closed the file.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from evermem_cli.errors import StoreBusy
from evermem_cli.store.file import keys, locks
from evermem_cli.store.file.database import Connection

# seconds between attempts; other processes hold the file for one short transaction, but may return at once
RETRY_SECONDS = 0.01

# Threads take turns: the lock on a file excludes other processes but not other threads.
turn = threading.RLock()


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A memory file that DuckDB has open. `closing` is left after DuckDB has closed the file."""

    connection: Connection
    closing: ExitStack


_open: dict[Path, OpenFile] = {}
# Whether files were encrypted when last seen, since an open file must not be inspected.
_encrypted: dict[Path, bool] = {}


@contextmanager
def noted(path: Path, opened: OpenFile) -> Iterator[None]:
    """Notes that the file is open within the block."""
    _open[path.resolve()] = opened
    try:
        yield
    finally:
        del _open[path.resolve()]


def connection_to(path: Path) -> Connection | None:
    """The connection of an open file; None where the thread whose turn it is has not opened the file."""
    opened = _open.get(path.resolve())
    return opened.connection if opened else None


def content(path: Path) -> BinaryIO:
    """The bytes of an open file from its beginning. Whoever opened the file closes them. Raises OSError."""
    return _open[path.resolve()].closing.enter_context(path.open("rb"))


@contextmanager
def unwritten(path: Path, timeout: float) -> Iterator[BinaryIO]:
    """The bytes of a file that is not open, while no process writes to the file. Raises OSError, StoreBusy."""
    with turn:
        if connection_to(path):
            raise StoreBusy(f"{path}: in use by this command itself", "report this as a bug")
        with path.open("rb") as opened:
            deadline = time.monotonic() + timeout
            while not locks.keeps_writers_of_duckdb_off(opened.fileno()):
                if time.monotonic() > deadline:
                    raise StoreBusy(f"{path}: in use by another process", "try again when it is done")
                time.sleep(RETRY_SECONDS)
            _encrypted[path.resolve()] = keys.is_encrypted(opened)
            yield opened


def is_encrypted(path: Path) -> bool:
    """Whether a memory file is encrypted; False where it cannot be read."""
    known = _encrypted.get(path.resolve())
    if known is not None:
        return known
    with turn:
        return look_up(path)


def look_up(path: Path) -> bool:
    """Like `is_encrypted`, as the file is now. The file must not be open."""
    encrypted = _encrypted[path.resolve()] = keys.names_encrypted(path)
    return encrypted
