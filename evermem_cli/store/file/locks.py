"""Locks on open files, which the system gives up when they are closed or their process ends; on POSIX and on Windows.

filelock empties the file that it locks, and these files say something.
"""

import os
import sys
import time

if sys.platform == "win32":
    import errno
    import msvcrt

    # What is locked on Windows cannot be read by others, so a byte is locked that no content reaches.
    _PLACE = 0x7FFFFFFF
    _RETRY_SECONDS = 0.01

    def lock(opened: int) -> None:
        """Waits until nobody else has the file locked, and locks it. Raises OSError."""
        while not is_locked_now(opened):
            time.sleep(_RETRY_SECONDS)

    def is_locked_now(opened: int) -> bool:
        """Locks the file unless somebody else has it locked, and says whether it did. Raises OSError."""
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
        """Waits until nobody writes to the file; here nobody else reads it meanwhile either. Raises OSError."""
        lock(opened)

    def keeps_writers_of_duckdb_off(opened: int) -> bool:
        """Whether DuckDB cannot write to the open file: it never writes to one here that anybody else has open."""
        return True

else:
    import fcntl

    def lock(opened: int) -> None:
        """Waits until nobody else has the file locked, and locks it. Raises OSError."""
        fcntl.flock(opened, fcntl.LOCK_EX)

    def is_locked_now(opened: int) -> bool:
        """Locks the file unless somebody else has it locked, and says whether it did. Raises OSError."""
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def lock_to_read(opened: int) -> None:
        """Waits until nobody writes to the file. Raises OSError."""
        fcntl.flock(opened, fcntl.LOCK_SH)

    def keeps_writers_of_duckdb_off(opened: int) -> bool:
        """Keeps DuckDB from writing to the open file, by the lock that it takes itself; False where it writes now."""
        try:
            fcntl.lockf(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


BINARY: int = getattr(os, "O_BINARY", 0)  # for os.open of Windows, or lines would end in other bytes


def settle(folder: "str | os.PathLike[str]") -> None:
    """Has the names of a folder's files stay after a power cut; Windows opens no folder, and sees to that itself."""
    if sys.platform == "win32":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def open_to_others(mode: int) -> int:
    """What of a file's mode lets others read it; on Windows it says nothing of them: their folders are their own."""
    return 0 if sys.platform == "win32" else mode & 0o077
