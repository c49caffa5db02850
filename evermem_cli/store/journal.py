"""The accesses that are not in the memory file yet: an append-only file beside it, so that who reads locks nothing.

A line is a moment (naive UTC) and the ids of the memories that were shown then. The next who writes to the memory file
takes them in.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

LONG = 65536  # bytes: from here on it is worth a write of its own

Access = tuple[str, datetime]


@dataclass(frozen=True, slots=True)
class Journal:
    """The journal of a memory file, by its own path."""

    path: Path

    @classmethod
    def of(cls, memory: Path) -> "Journal":
        """That of a memory file; links to one file share it."""
        memory = memory.resolve()
        return cls(memory.with_name(f"{memory.name}.accesses"))

    @property
    def is_long(self) -> bool:
        """Whether it is so long that each reading would be slower for it."""
        return self.path.exists() and self.path.stat().st_size > LONG

    def append(self, ids: Iterable[str]) -> None:
        """Notes an access to these memories now."""
        line = f"{datetime.now(UTC).replace(tzinfo=None).isoformat()} {' '.join(ids)}\n"
        try:
            with self._locked(os.O_WRONLY | os.O_APPEND | os.O_CREAT) as opened:
                os.write(opened, line.encode())
        except OSError:
            return  # a memory on a disk that cannot be written to can be read all the same

    def read(self) -> bytes:
        """What it holds."""
        return self.path.read_bytes() if self.path.exists() else b""

    def drop(self, taken: bytes) -> None:
        """Takes out what was read of it; what has been noted since stays."""
        if not taken:
            return
        with self._locked(os.O_RDWR) as opened:
            held = self.path.read_bytes()
            os.ftruncate(opened, 0)
            os.write(opened, held.removeprefix(taken))

    @contextmanager
    def _locked(self, mode: int) -> Iterator[int]:
        """The open file, for one short change at a time."""
        opened = os.open(self.path, mode, 0o600)
        try:
            fcntl.flock(opened, fcntl.LOCK_EX)
            yield opened
        finally:
            os.close(opened)


def accesses(held: bytes) -> list[Access]:
    """The accesses in the order they were noted; a line that was cut off counts for nothing."""
    found = []
    for line in held.decode(errors="replace").splitlines(keepends=True):
        when, *ids = line.split()
        if line.endswith("\n"):
            found += [(memory_id, datetime.fromisoformat(when)) for memory_id in ids]
    return found
