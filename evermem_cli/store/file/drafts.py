"""Files that appear completely or not at all: made as drafts, and removed if their command is killed.

Each draft has a note beside its memory, which the process that makes the draft keeps locked. Whoever gets the lock
knows that the process is gone, and removes the draft.
"""

import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from evermem_cli.errors import StoreError, UsageError
from evermem_cli.store.file import locks, side_files

# The files DuckDB keeps beside a database: its log, also while the log is written into the file.
RECOVERY = ".wal.recovery"  # while a log and that of a checkpoint are joined
LOGS = (".wal", ".wal.checkpoint", RECOVERY)
# The files that evermem keeps beside a memory.
ACCESSES, REPLIES = ".accesses", ".replies"
NOTE, DRAFT = ".draft", ".new"
DRAFT_NAME = re.compile(rf"\..+\.\d+{re.escape(DRAFT)}", re.DOTALL)


def spill(path: Path) -> Path:
    """The folder for data that exceeds memory while a large file is rewritten."""
    return path.with_name(f".{path.name}.spill")


@contextmanager
def drafted_apart(target: Path, memory: Path, key: Path | None) -> Iterator[Path]:
    """Like `drafted`, for a file that must not be one of the memory's own. Raises UsageError where it is one.

    Otherwise the draft could replace the memory, a file beside it, or the key file, without which nobody can read it.
    """
    memory = memory.resolve()
    own = [Path(f"{memory}{ending}") for ending in ("", *LOGS, ACCESSES, REPLIES)] + ([key] if key else [])
    if any(_is_same(target, path) for path in own):
        raise UsageError(f"{target} is a file of the memory itself", "name another file")
    with drafted(target, memory) as draft:
        yield draft


def _is_same(one: Path, other: Path) -> bool:
    if os.path.realpath(one) == os.path.realpath(other):  # unlike `resolve`, no error for a link to itself
        return True
    return one.exists() and other.exists() and one.samefile(other)


@contextmanager
def drafted(target: Path, memory: Path) -> Iterator[Path]:
    """A temporary name for a file that will appear at `target`.

    If the file still has it when the block ends, it is removed.

    First removes what killed commands have left for this memory. Where nothing can be written beside the memory, which
    can still be backed up, the draft has no note.
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
    """Moves a finished draft to `path`, readable by its owner only and safe from a power cut.

    Raises FileExistsError where the file exists and is not to be replaced, StoreError where part of the draft is still
    in its log; the draft stays then.
    """
    if Path(f"{draft}.wal").exists():
        raise StoreError(f"{path}: the written file is incomplete", "check the disk and try again")
    draft.chmod(0o600)
    if replace:
        draft.replace(path)
    else:
        path.hardlink_to(draft)  # unlike a rename, never replaces a file that another process has made meanwhile
        draft.unlink()
    locks.sync_folder(path.parent)


def sweep(memory: Path) -> list[Path]:
    """Removes what killed commands have left for this memory; returns drafts that are out of reach for now.

    The memory must be given by its own name, not by a link's. Drafts in use stay.
    """
    live, beyond, finished = set(), [], []
    for note in _beside(memory, re.escape(NOTE)):
        with suppress(FileNotFoundError), note.open("rb") as opened:
            draft = _named(opened.read())
            if not locks.is_locked_now(opened.fileno()):
                live.add(draft)
            elif draft is None or _is_removed(draft):
                finished.append(note)
                with suppress(PermissionError):  # Windows does not remove an open file
                    note.unlink()
            else:
                beyond.append(draft)
    for note in finished:
        note.unlink(missing_ok=True)
    for leftover in _beside(memory, rf"{re.escape(DRAFT)}(\.wal.*)?"):
        if not any(draft and leftover.name.startswith(draft.name) for draft in live):
            leftover.unlink(missing_ok=True)
    return beyond


def remove(path: Path) -> None:
    """Removes a database file with everything that DuckDB keeps beside it. Raises OSError where that fails."""
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
        os.close(opened)  # the draft is gone or in place, so taking the note for a leftover is right now
        note.unlink(missing_ok=True)


def _note(note: Path, draft: Path) -> int:
    """The locked note of a draft. Raises OSError."""
    while True:
        opened = os.open(note, os.O_RDWR | os.O_CREAT, 0o600)
        locks.lock(opened)
        if note.exists() and os.path.samestat(note.stat(), os.fstat(opened)):
            break
        os.close(opened)  # it was taken for a leftover before it was locked
    os.write(opened, os.fsencode(draft))
    os.fsync(opened)
    return opened


def _named(note: bytes) -> Path | None:
    """The draft that a note names; None where it names nothing, or a file that must not be removed."""
    draft = Path(os.fsdecode(note))
    return draft if DRAFT_NAME.fullmatch(draft.name) and b"\0" not in note else None


def _is_removed(draft: Path) -> bool:
    """Whether a draft is gone for good; False while its disk is missing."""
    if not draft.parent.exists():
        return False
    with suppress(OSError):
        remove(draft)
        return True
    return False


def _beside(memory: Path, ending: str) -> list[Path]:
    """The hidden files beside a memory with its name, a number and this ending."""
    named = re.compile(rf"\.{re.escape(memory.name)}\.\d+{ending}")
    return [path for path in memory.parent.iterdir() if named.fullmatch(path.name) and side_files.is_file(path)]
