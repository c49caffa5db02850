"""The accesses that are not in the memory file yet: an append-only file beside it, so that who reads locks nothing.

A line is a moment (naive UTC) and the ids of the memories that were shown then, sealed where the memory is encrypted.
The next who writes to the memory file
takes them in; a line that is none of this, as a full disk or a power cut leaves it, counts for nothing.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from evermem_cli.store.file import locks
from evermem_cli.store.file.keys import Key, sealed, unsealed

PURPOSE = "accesses"
LONG = 65536  # bytes: from here on it is worth a write of its own

Access = tuple[str, datetime]


@dataclass(frozen=True, slots=True)
class Journal:
    """The journal of a memory file, by its own path, and the keys of that, the newest first."""

    path: Path
    keys: tuple[Key, ...] = ()

    @classmethod
    def of(cls, memory: Path, keys: tuple[Key, ...] = ()) -> "Journal":
        """That of a memory file; links to one file share it."""
        memory = memory.resolve()
        return cls(memory.with_name(f"{memory.name}.accesses"), keys)

    @property
    def is_long(self) -> bool:
        """Whether it is so long that each reading would be slower for it."""
        return self.path.exists() and self.path.stat().st_size > LONG

    def append(self, ids: Iterable[str]) -> None:
        """Notes an access to these memories now."""
        line = f"{datetime.now(UTC).replace(tzinfo=None).isoformat()} {' '.join(ids)}"
        try:
            with self._locked(os.O_RDWR | os.O_APPEND | os.O_CREAT) as opened:
                _add(opened, sealed(self.keys, line.encode(), PURPOSE) + b"\n")
        except OSError:
            return  # a memory on a disk that cannot be written to can be read all the same

    def read(self) -> bytes:
        """What it holds. Raises OSError."""
        if not self.path.exists():
            return b""
        with self.path.open("rb") as opened:
            locks.lock_to_read(opened.fileno())
            return opened.read()

    def understood(self, note: Callable[[str], None]) -> tuple[bytes, list[Access]]:
        """What it holds, and the accesses that this tells; lines that tell none are taken out, and noted.

        Raises OSError where it cannot be read.
        """
        held = self.read()
        if not all(map(self._access, held.splitlines(keepends=True))):
            note(f"{self.path}: lines in it that are no accesses are skipped")
            with suppress(OSError):  # where nothing can be written they stay, and do no harm
                self.mend()
                held = self.read()
        return held, self.accesses(held)

    def mend(self) -> None:
        """Takes out the lines that are none. Raises OSError."""
        with self._locked(os.O_RDWR) as opened:
            kept = [line for line in self.path.read_bytes().splitlines(keepends=True) if self._access(line)]
            os.ftruncate(opened, 0)
            os.write(opened, b"".join(kept))

    def drop(self, taken: bytes) -> None:
        """Takes out what was read of it; what has been noted since stays."""
        if not taken:
            return
        with self._locked(os.O_RDWR) as opened:
            held = self.path.read_bytes()
            os.ftruncate(opened, 0)
            os.write(opened, held.removeprefix(taken))

    def accesses(self, held: bytes) -> list[Access]:
        """What was read of it, in the order it was noted."""
        read = (self._access(line) for line in held.splitlines(keepends=True))
        return [(memory_id, at) for line in read if line for at, ids in [line] for memory_id in ids]

    def _access(self, line: bytes) -> tuple[datetime, list[str]] | None:
        """A line's moment and ids; None for one that was cut off or is something else."""
        text = unsealed(self.keys, line.removesuffix(b"\n"), PURPOSE) if line.endswith(b"\n") else None
        return None if text is None else _access(text.decode(errors="replace"))

    @contextmanager
    def _locked(self, mode: int) -> Iterator[int]:
        """The open file, for one short change at a time."""
        opened = os.open(self.path, mode | locks.BINARY, 0o600)
        try:
            locks.lock(opened)
            yield opened
        finally:
            os.close(opened)


def _add(opened: int, line: bytes) -> None:
    """Adds a line, whole or not at all, and not to one that was cut off. Raises OSError."""
    size = os.fstat(opened).st_size
    os.lseek(opened, max(size - 1, 0), os.SEEK_SET)
    cut = os.read(opened, 1) not in (b"", b"\n")
    line = b"\n" * cut + line
    if os.write(opened, line) < len(line):
        os.ftruncate(opened, size)


def _access(text: str) -> tuple[datetime, list[str]] | None:
    when, *ids = text.split() or [""]
    if not ids:
        return None
    try:
        at = datetime.fromisoformat(when)
    except ValueError:
        return None
    return None if at.tzinfo else (at, ids)
