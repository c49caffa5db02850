"""The errors a user can meet, each with its exit code and with what the user can do.

EvermemError                 1  failed
├── DiskFull                 1  a disk accepts no more data
├── OutOfMemory              1  the machine has too little memory
├── Unconfirmed              1  the user did not say yes to a question
│   └── Interrupted        130  the user pressed Ctrl-C at it
├── UsageError               2  the command line or a setting is wrong
├── InputError               1  a transcript cannot be read; carries file and line
├── ModelError               3  a model is missing, damaged or unusable
│   ├── EngineMissing        3  nothing here runs a language model
│   └── GenerationError      3  the model gave no usable reply for one request
├── StoreError               4  the memory file is unusable
└── StoreBusy                5  another process holds the memory file

A bug is not an EvermemError: it stays a traceback.
"""

import errno
import os
from enum import IntEnum
from pathlib import Path
from typing import ClassVar, Self

# What is said where memory is short, letter by letter, since an error may quote a chat: by the loader, the system, C++,
# onnxruntime and DuckDB.
SHORT_OF_MEMORY = (
    "failed to map segment",
    "annot allocate memory",
    "std::bad_alloc",
    "Failed to allocate memory",
    "Out of Memory Error",
)
# The system's error codes for a full disk or an exhausted quota.
DISK_IS_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class ExitCode(IntEnum):
    """What the process returns to the shell."""

    OK = 0
    FAILED = 1
    USAGE = 2
    MODEL = 3
    STORE = 4
    BUSY = 5
    PARTIAL = 6
    INTERRUPTED = 130


class EvermemError(Exception):
    """An error that the user can act on: what is wrong (`message`) and what to do (`hint`, may be empty)."""

    kind: ClassVar[str] = "failed"
    exit_code: ClassVar[ExitCode] = ExitCode.FAILED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def explanation(self) -> str:
        """What is wrong and what to do."""
        return f"{self.message} ({self.hint})" if self.hint else self.message


class DiskFull(EvermemError):
    """A disk, or the user's quota on it, is full."""

    kind = "disk"

    @classmethod
    def at(cls, path: "str | os.PathLike[str]", reason: str) -> Self:
        """The error for the disk that holds a file, named by its mount point."""
        disk = next(folder for folder in Path(path).absolute().parents if os.path.ismount(folder))
        message = f"{path}: the disk {disk} accepts no more data: {reason}"
        return cls(message, "free some space; what was committed is kept")


class OutOfMemory(EvermemError):
    """The machine, or the limit that the user set, has too little memory."""

    def __init__(self) -> None:
        super().__init__("not enough memory", "close something else, or ask for less at once")

    @staticmethod
    def explains(error: BaseException | None) -> bool:
        """Whether an error, or one that it came from, is a lack of memory, whichever library says so."""
        while error:
            if isinstance(error, MemoryError) or any(mark in str(error) for mark in SHORT_OF_MEMORY):
                return True
            error = error.__cause__ or error.__context__
        return False


class Unconfirmed(EvermemError):
    """The user did not agree to what a command asked."""

    kind = "unconfirmed"


class Interrupted(Unconfirmed):
    """The user pressed Ctrl-C when asked."""

    exit_code = ExitCode.INTERRUPTED


class UsageError(EvermemError):
    """The command line, a setting or an id is wrong."""

    kind = "usage"
    exit_code = ExitCode.USAGE


class InputError(EvermemError):
    """A transcript, or a part of one, that cannot be read. `line` counts from 1; None where lines do not apply.

    `reason` is the message without the place.
    """

    kind = "input"

    def __init__(self, message: str, hint: str = "", *, path: Path | None = None, line: int | None = None) -> None:
        place = ":".join(str(part) for part in (path, line) if part is not None)
        super().__init__(f"{place}: {message}" if place else message, hint)
        self.reason = message
        self.path = path
        self.line = line


class ModelError(EvermemError):
    """A model is missing, damaged or unusable for the task."""

    kind = "model"
    exit_code = ExitCode.MODEL


class EngineMissing(ModelError):
    """No language model may answer: none can run here, or the one chosen failed its trial of answers."""


class GenerationError(ModelError):
    """One request to the language model had no usable reply; the work continues with the next."""

    kind = "generation"


class StoreError(EvermemError):
    """The memory file is missing, corrupt, too new, or belongs to another embedder."""

    kind = "store"
    exit_code = ExitCode.STORE

    @classmethod
    def refuse_absence(cls, path: Path) -> None:
        """Raises the error where there is no memory file at `path`."""
        if not path.exists():
            raise cls(f"{path}: no memory here yet", "run `evermem ingest PATH`, or name another file with --db")


class StoreBusy(EvermemError):
    """Another process has held the memory file for longer than the timeout."""

    kind = "busy"
    exit_code = ExitCode.BUSY
