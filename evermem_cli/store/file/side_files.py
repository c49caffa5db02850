"""The files beside a memory. Anybody who may write into the folder can give one of their names to something else."""

import errno
import os
import stat
from pathlib import Path

from evermem_cli.errors import StoreError
from evermem_cli.store.file import locks

# Without it, opening a pipe waits until somebody opens the other end. On Windows there are no pipes with such names.
AT_ONCE: int = getattr(os, "O_NONBLOCK", 0)
# Through a link, evermem would write into a file of somebody else's choice. Windows lets few users make links.
ITSELF: int = getattr(os, "O_NOFOLLOW", 0)


def opened(path: Path, flags: int = os.O_RDONLY) -> int:
    """A descriptor of the file.

    Raises OSError, StoreError where the name is that of a link, a folder, a pipe or a device.
    """
    foreign = StoreError(f"{path}: evermem keeps a file of this name, but this is not a file", "move it away")
    try:
        descriptor = os.open(path, flags | AT_ONCE | ITSELF | locks.BINARY, 0o600)
    except OSError as error:
        if error.errno not in (errno.EISDIR, errno.ELOOP):
            raise
        raise foreign from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise foreign
    return descriptor


def is_file(path: Path) -> bool:
    """Whether there is a file at the path, and no link to one."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return False
