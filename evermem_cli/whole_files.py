"""Reads files of the package, and writes small files, as a whole or not at all.

The small files are keys, notes, and other programs' settings.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path

from evermem_cli.errors import DISK_IS_FULL, DiskFull, EvermemError, ModelError

REINSTALL = "reinstall evermem"  # what mends a file of the package


@contextmanager
def of_package(file: Path) -> Iterator[BufferedReader]:
    """A file of the package, open for the block, which only reads it. Raises ModelError if it is missing or damaged."""
    try:
        with file.open("rb") as stream:
            yield stream
    except FileNotFoundError as error:
        raise ModelError(f"{file} is missing", REINSTALL) from error
    except Exception as error:  # tokenizers raises it bare, and a damaged archive of arrays anything
        raise ModelError(f"{file} is damaged: {error}", REINSTALL) from error


def write_whole(path: Path, data: bytes, *, mode: int = 0o600, replace: bool = True) -> None:
    """Writes a file, which is on the disk when this returns. Where that fails, what was there is unchanged.

    Raises DiskFull, EvermemError, FileExistsError where the file exists and is not to be replaced.
    """
    draft = path.with_name(f".{path.name}.{time.time_ns()}.new") if replace else path
    try:
        opened = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with _removed_unless_whole(draft):
            with open(opened, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(opened)
            draft.chmod(mode)  # whatever the umask is
            draft.replace(path)
    except FileExistsError:
        raise
    except OSError as error:
        raise _unwritten(path, error) from error


def make_folder(folder: Path) -> None:
    """Makes a folder and those above it where they are missing. Raises DiskFull, EvermemError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritten(folder, error) from error


def remove_empty(folder: Path) -> None:
    """Removes a folder and those above it that hold nothing else, up to the user's home."""
    home = Path.home().resolve()
    while folder != home and folder.is_relative_to(home):
        try:
            folder.rmdir()
        except OSError:  # it holds something, or may not be removed
            return
        folder = folder.parent


@contextmanager
def _removed_unless_whole(path: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise


def _unwritten(path: Path, error: OSError) -> EvermemError:
    if error.errno in DISK_IS_FULL:
        return DiskFull.at(path, str(error.strerror))
    return EvermemError(f"{path}: {error.strerror}", "check who may write there")
