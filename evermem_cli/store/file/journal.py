"""Accesses that are not in the memory file yet: an append-only file beside it, so that readers need no lock.

A line is a moment (naive UTC) and either the ids of the memories shown then or, as JSON, the access log's entry for who
read then; it is sealed where the memory is encrypted. The next writer to the memory file merges them. Any other line,
for example an incomplete one after a power cut, is ignored.
"""

import errno
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from evermem_cli.memory import AccessEntry
from evermem_cli.store.file import drafts, locks, side_files
from evermem_cli.store.file.keys import Key, sealed, unsealed

PURPOSE = "accesses"
LONG = 65536  # bytes from which on the journal is merged without waiting for the next writer

Access = tuple[str, datetime]
Line = tuple[datetime, list[str] | AccessEntry]


@dataclass(frozen=True, slots=True)
class Journal:
    """The journal of a memory file: its own path, and the keys, newest first."""

    path: Path
    keys: tuple[Key, ...] = ()

    @classmethod
    def of(cls, memory: Path, keys: tuple[Key, ...] = ()) -> "Journal":
        """The journal of a memory file. Links to one file share it."""
        memory = memory.resolve()
        return cls(memory.with_name(f"{memory.name}{drafts.ACCESSES}"), keys)

    @property
    def is_long(self) -> bool:
        """Whether it is long enough to slow down reading."""
        return self.path.exists() and self.path.stat().st_size > LONG

    def append(self, ids: Iterable[str]) -> None:
        """Records an access to these memories now."""
        with suppress(OSError):  # a memory on a read-only disk can be read all the same
            self._append(f"{datetime.now(UTC).replace(tzinfo=None).isoformat()} {' '.join(ids)}", sync=False)

    def log(self, entry: AccessEntry) -> None:
        """Records who is about to read. The record is on the disk when this returns. Raises OSError."""
        fields = {name: value for name, value in asdict(entry).items() if name != "read_at"}
        moment = entry.read_at.astimezone(UTC).replace(tzinfo=None)
        self._append(f"{moment.isoformat()} {json.dumps(fields, ensure_ascii=False)}", sync=True)

    def _append(self, line: str, *, sync: bool) -> None:
        with self._locked(os.O_RDWR | os.O_APPEND | os.O_CREAT) as opened:
            _add(opened, sealed(self.keys, line.encode(errors="replace"), PURPOSE) + b"\n")
            if sync:
                os.fsync(opened)

    def read(self) -> bytes:
        """The content of the journal. Raises OSError, StoreError where it is no file."""
        try:
            descriptor = side_files.opened(self.path)
        except FileNotFoundError:
            return b""
        with open(descriptor, "rb") as opened:
            locks.lock_to_read(opened.fileno())
            return opened.read()

    def understood(self, note: Callable[[str], None]) -> tuple[bytes, list[Access]]:
        """The content and the accesses in it. Invalid lines are removed and reported.

        Raises OSError where it cannot be read.
        """
        data = self.read()
        lines = _lines(self.keys, data)
        if len(lines) < len(data.splitlines()):
            note(f"{self.path}: lines that do not record an access are skipped")
            with suppress(OSError):  # on a read-only disk they stay and do no harm
                self.mend()
                data = self.read()
                lines = _lines(self.keys, data)
        return data, _accesses(lines)

    def mend(self) -> None:
        """Removes invalid lines. Raises OSError."""
        with self._locked(os.O_RDWR) as opened:
            kept = [line for line in _content(opened).splitlines(keepends=True) if _line(self.keys, line)]
            os.ftruncate(opened, 0)
            os.write(opened, b"".join(kept))

    def drop(self, merged: bytes) -> None:
        """Removes what was read; lines appended since then stay."""
        if not merged:
            return
        with self._locked(os.O_RDWR) as opened:
            data = _content(opened)
            os.ftruncate(opened, 0)
            os.write(opened, data.removeprefix(merged))

    def accesses(self, data: bytes) -> list[Access]:
        """The memories that were shown, in order."""
        return _accesses(_lines(self.keys, data))

    def logged(self, data: bytes) -> list[AccessEntry]:
        """The entries of the access log, in order."""
        return [content for _, content in _lines(self.keys, data) if isinstance(content, AccessEntry)]

    @contextmanager
    def _locked(self, mode: int) -> Iterator[int]:
        """The open file, locked for one short change."""
        opened = side_files.opened(self.path, mode)
        try:
            locks.lock(opened)
            yield opened
        finally:
            os.close(opened)


def _content(opened: int) -> bytes:
    """All bytes of an open file, which is then at its beginning. Raises OSError."""
    with open(opened, "rb", closefd=False) as file:
        data = file.read()
    os.lseek(opened, 0, os.SEEK_SET)
    return data


@lru_cache(maxsize=1)  # a search by an agent looks at it twice
def _lines(keys: tuple[Key, ...], data: bytes) -> tuple[Line, ...]:
    """The lines that can be read."""
    lines = (_line(keys, line) for line in data.splitlines(keepends=True))
    return tuple(line for line in lines if line)


def _line(keys: tuple[Key, ...], line: bytes) -> Line | None:
    """The content of a line; None for an incomplete or other line."""
    text = unsealed(keys, line.removesuffix(b"\n"), PURPOSE) if line.endswith(b"\n") else None
    return None if text is None else _read(text.decode(errors="replace"))


def _accesses(lines: Iterable[Line]) -> list[Access]:
    return [(memory_id, at) for at, content in lines if isinstance(content, list) for memory_id in content]


def _add(opened: int, line: bytes) -> None:
    """Appends a complete line, after ending an incomplete one. Raises OSError."""
    size = os.fstat(opened).st_size
    os.lseek(opened, max(size - 1, 0), os.SEEK_SET)
    cut = os.read(opened, 1) not in (b"", b"\n")
    line = b"\n" * cut + line
    if os.write(opened, line) < len(line):
        os.ftruncate(opened, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _read(text: str) -> Line | None:
    when, _, rest = text.partition(" ")
    try:
        at = datetime.fromisoformat(when)
        entry = _entry(at, json.loads(rest)) if rest.startswith("{") else rest.split()
    except (ValueError, TypeError):
        return None
    return (at, entry) if entry and not at.tzinfo else None


def _entry(at: datetime, fields: dict[str, Any]) -> AccessEntry:
    """An entry of the access log. Raises TypeError, ValueError for one that evermem cannot have written."""
    entry = AccessEntry(read_at=at.replace(tzinfo=UTC), **fields)
    "".join((entry.agent, entry.reason, entry.command)).encode()
    if not isinstance(entry.sensitive, bool):
        raise TypeError
    return entry
