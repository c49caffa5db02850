"""Files that appear whole or not at all: made as a draft beside their place, and gone if their command is killed.

Each draft has a note beside the memory that it is made for, and the process that makes it holds that locked: whoever
gets the lock knows that the process is gone, and removes the draft wherever it is.
"""

import fcntl
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from evermem_cli.errors import StoreError

# What DuckDB writes beside a file: its log, and what becomes of that while it is written into the file.
LOGS = (".wal", ".wal.checkpoint", ".wal.recovery")
NOTE, DRAFT = ".draft", ".new"


def spill(path: Path) -> Path:
    """The folder for what does not fit memory while a large file is written anew."""
    return path.with_name(f".{path.name}.spill")


@contextmanager
def drafted(target: Path, memory: Path) -> Iterator[Path]:
    """A name for a file that is to appear at `target`; what still has that name when the block ends is removed.

    What killed commands have left of this memory goes first.
    Where nothing can be written beside the memory, which may be backed up all the same, the draft has no note.
    """
    draft = target.absolute().with_name(f".{target.name}.{time.time_ns()}{DRAFT}")
    with suppress(OSError):
        sweep(memory.resolve())
    with _noted(draft, memory.resolve()):
        try:
            yield draft
        finally:
            remove(draft)


def put_in_place(draft: Path, path: Path, *, replace: bool) -> None:
    """Has a whole draft appear at `path`, readable by its owner only, and stay there after a power cut.

    Raises FileExistsError where a file is there that is not to be replaced, and StoreError where a part of the draft is
    still in its log; the draft is then still there.
    """
    if Path(f"{draft}.wal").exists():
        raise StoreError(f"{path}: what was written is not whole", "check the disk and try again")
    draft.chmod(0o600)
    if replace:
        draft.replace(path)
    else:
        path.hardlink_to(draft)  # unlike a rename, never replaces a file that another process made meanwhile
        draft.unlink()
    settle(path.parent)


def settle(folder: Path) -> None:
    """Has the names of a folder's files stay after a power cut."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def sweep(memory: Path) -> list[Path]:
    """Removes what killed commands have left of this memory; returns the drafts that are out of reach for now.

    The memory has its own name here, not that of a link. What others are at work on stays.
    """
    live, beyond = set(), []
    for note in _beside(memory, re.escape(NOTE)):
        with suppress(FileNotFoundError), note.open("rb") as opened:
            draft = Path(os.fsdecode(opened.read())) if note.stat().st_size else None
            if not _is_free(opened.fileno()):
                live.add(draft)
            elif draft is None or _is_removed(draft):
                note.unlink(missing_ok=True)
            else:
                beyond.append(draft)
    for leftover in _beside(memory, rf"{re.escape(DRAFT)}(\.wal.*)?"):
        if not any(draft and leftover.name.startswith(draft.name) for draft in live):
            leftover.unlink(missing_ok=True)
    return beyond


def remove(path: Path) -> None:
    """Removes a database file with all that DuckDB keeps beside it. Raises OSError where that cannot be done."""
    for ending in ("", *LOGS):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    shutil.rmtree(spill(path), ignore_errors=True)


@contextmanager
def _noted(draft: Path, memory: Path) -> Iterator[None]:
    note = memory.with_name(f".{memory.name}.{time.time_ns()}{NOTE}")
    try:
        opened = _note(note, draft)
    except OSError:
        note.unlink(missing_ok=True)
        yield
        return
    try:
        yield
    finally:
        note.unlink(missing_ok=True)
        os.close(opened)


def _note(note: Path, draft: Path) -> int:
    """The locked note of a draft. Raises OSError."""
    while True:
        opened = os.open(note, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(opened, fcntl.LOCK_EX)
        if note.exists() and os.path.samestat(note.stat(), os.fstat(opened)):
            break
        os.close(opened)  # somebody took it for a leftover before it was locked
    os.write(opened, os.fsencode(draft))
    os.fsync(opened)
    return opened


def _is_free(opened: int) -> bool:
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_removed(draft: Path) -> bool:
    """Whether a draft is gone for good; it is not while its disk is not there."""
    if not draft.parent.exists():
        return False
    with suppress(OSError):
        remove(draft)
        return True
    return False


def _beside(memory: Path, ending: str) -> list[Path]:
    """The hidden files beside a memory that have its name, a number and this ending."""
    named = re.compile(rf"\.{re.escape(memory.name)}\.\d+{ending}")
    return [path for path in memory.parent.iterdir() if named.fullmatch(path.name)]
