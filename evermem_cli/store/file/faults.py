"""What DuckDB's errors mean to the user: a full disk or a damaged file. All other errors are bugs."""

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from evermem_cli.errors import DISK_IS_FULL, DiskFull, EvermemError, StoreError

# Messages of the system, and of DuckDB where its temporary files have no room.
NO_ROOM = re.compile(r"No space left on device|Disk quota exceeded|File too large|max_temp_directory_size")
UNREADABLE = re.compile(
    r"(?i)corrupt|AES tag differs|checksum|database has been invalidated|Input/output error|could not read"
)
FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
# DuckDB's errors for changed bytes. An internal error is a bug of DuckDB or a damaged file.
OF_DAMAGE = (duckdb.FatalException, duckdb.InternalException, duckdb.SerializationException)
DAMAGED = "see `evermem doctor --deep`; restore a backup, or import an export into a new file"


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raises DiskFull or StoreError for errors of DuckDB and the system about the file at `path` in the block."""
    try:
        yield
    except duckdb.Error as error:
        evermem_error = meaning(path, error)
        if evermem_error is None:
            raise
        raise evermem_error from error
    except OSError as error:
        if error.errno in DISK_IS_FULL:
            raise DiskFull.at(error.filename or path, str(error.strerror)) from error
        if error.errno not in FORBIDDEN:
            raise
        raise StoreError(
            f"{error.filename or path}: {error.strerror}", "check the owner and mode of the file"
        ) from error


def meaning(path: Path, error: duckdb.Error) -> EvermemError | None:
    """What an error about the file at `path` means to its owner; None for a bug."""
    if full := NO_ROOM.search(str(error)):
        return DiskFull.at(path, full[0])
    if isinstance(error, OF_DAMAGE) or UNREADABLE.search(str(error)):
        return StoreError(f"{path}: damaged: {first_line(error)}", DAMAGED)
    if isinstance(error, duckdb.IOException):
        return StoreError(f"{path}: {first_line(error)}", "check the disk and the mode of the file")
    return None


def first_line(error: Exception) -> str:
    """An error without DuckDB's stack trace."""
    return next(iter(str(error).splitlines()), "")
