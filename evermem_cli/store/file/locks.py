"""Locks on open files, for POSIX and Windows. The system releases them when the file is closed or the process ends.

The library filelock cannot be used, since it empties the file that it locks.
"""

import os
import sys
import time

if sys.platform == "win32":
    import errno
    import msvcrt

    # A locked byte cannot be read by others on Windows, so the lock is on a byte beyond all content.
    _PLACE = 0x7FFFFFFF
    _RETRY_SECONDS = 0.01

    def lock(opened: int) -> None:
        """Waits until nobody else has the file locked, then locks it. Raises OSError."""
        while not is_locked_now(opened):
            time.sleep(_RETRY_SECONDS)

    def is_locked_now(opened: int) -> bool:
        """Tries to lock the file without waiting; returns whether it succeeded. Raises OSError."""
        before = os.lseek(opened, 0, os.SEEK_CUR)
        os.lseek(opened, _PLACE, os.SEEK_SET)
        try:
            msvcrt.locking(opened, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno != errno.EACCES:
                raise
            return False
        finally:
            os.lseek(opened, before, os.SEEK_SET)
        return True

    def lock_to_read(opened: int) -> None:
        """Waits until nobody writes to the file. On Windows this excludes other readers too. Raises OSError."""
        lock(opened)

    def keeps_writers_of_duckdb_off(opened: int) -> bool:
        """Whether DuckDB cannot write to the open file: on Windows it never writes to a file that others have open."""
        return True

else:
    import fcntl

    def lock(opened: int) -> None:
        """Waits until nobody else has the file locked, then locks it. Raises OSError."""
        fcntl.flock(opened, fcntl.LOCK_EX)

    def is_locked_now(opened: int) -> bool:
        """Tries to lock the file without waiting; returns whether it succeeded. Raises OSError."""
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def lock_to_read(opened: int) -> None:
        """Waits until nobody writes to the file. Raises OSError."""
        fcntl.flock(opened, fcntl.LOCK_SH)

    def keeps_writers_of_duckdb_off(opened: int) -> bool:
        """Keeps DuckDB from writing to the open file by taking DuckDB's own lock; False where it is writing now."""
        try:
            fcntl.lockf(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


BINARY: int = getattr(os, "O_BINARY", 0)  # for os.open on Windows, which would change line ends


def sync_folder(folder: "str | os.PathLike[str]") -> None:
    """Makes the names of a folder's files survive a power cut. Windows does so by itself and opens no folders."""
    if sys.platform == "win32":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def open_to_others(mode: int) -> int:
    """The permissions that let others read a file. On Windows they say nothing; users' folders are private there."""
    return 0 if sys.platform == "win32" else mode & 0o077
