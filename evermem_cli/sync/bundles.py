"""Bundles: the files in the folder, one for each machine. Only that machine writes it, and it appears as a whole.

The first line names the machine. The last line has the number of lines and their hash, so a half-copied file is
recognised. If the memory is encrypted, every line but these two is encrypted with its key, and so is the machine's name
in the first.
"""

import hashlib
import json
import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from evermem_cli.errors import InputError
from evermem_cli.memory import utc_text
from evermem_cli.store import SCHEMA_VERSION, Store
from evermem_cli.terminal.visible import json_line, one_line

FORMAT = 1
PURPOSE = "bundle"
NAME = re.compile(r"evermem-[0-9a-f]{16}\.jsonl")
LIKE_ONE = "evermem-*"  # also matches the copies that a file syncer makes when two versions of a bundle conflict
HALF = "not whole: still being copied, or damaged"
LATER = "the next sync reads it, or its machine writes it again"


@dataclass(frozen=True, slots=True)
class SyncBundle:
    """A complete bundle: its machine, when it was written, and its hash."""

    path: Path
    replica: str
    named: str  # the machine, as in the first line
    written_at: datetime
    is_sealed: bool
    lines: int
    sha256: str

    def machine(self, store: Store) -> str:
        """The name of its machine. Raises InputError where that cannot be read."""
        return one_line(self._read(store, self.named.encode(errors="replace")).decode(errors="replace"))

    def documents(self, store: Store) -> Iterator[dict[str, Any]]:
        """The documents of its lines. Raises InputError if a line cannot be read."""
        with _opened(self.path) as opened:
            for number, line in enumerate(opened, start=1):
                if not 1 < number <= self.lines:
                    continue
                yield _document(self._read(store, line.rstrip(b"\n")), self.path, number)

    def _read(self, store: Store, written: bytes) -> bytes:
        text = store.unseal(written, PURPOSE) if self.is_sealed else written
        if text is None:
            hint = "name the same key on all machines, or have that one write with --plain"
            raise InputError("encrypted with another key than this memory", hint, path=self.path)
        return text


@dataclass(slots=True)
class SyncDraft:
    """A bundle that is being written."""

    out: IO[bytes]
    store: Store
    is_sealed: bool
    lines: int = 0
    hashed: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    def begin(self, replica: str) -> None:
        """Writes the first line."""
        now = utc_text(datetime.now(UTC), "seconds")
        whose = {"replica": replica, "machine": self._sealed(platform.node().encode()).decode(), "written_at": now}
        versions = {"format": FORMAT, "schema_version": SCHEMA_VERSION}
        self._add(_line({"type": "sync"} | versions | whose | {"sealed": self.is_sealed}))

    def put(self, document: dict[str, Any]) -> None:
        """Writes the line of one thing."""
        self._add(self._sealed(_line(document)))

    def end(self) -> str:
        """Writes the last line; returns the hash of the whole file."""
        self._add(_line({"type": "end", "lines": self.lines, "sha256": self.hashed.hexdigest()}))
        return self.hashed.hexdigest()

    def _sealed(self, text: bytes) -> bytes:
        return self.store.seal(text, PURPOSE) if self.is_sealed else text

    def _add(self, line: bytes) -> None:
        self.out.write(line + b"\n")
        self.hashed.update(line + b"\n")
        self.lines += 1


def name_of(replica: str) -> str:
    """The name of a machine's bundle."""
    return f"evermem-{replica}.jsonl"


def bundles_in(folder: Path) -> tuple[list[Path], list[Path]]:
    """The bundles in a folder by name, and the files that look like bundles but are not."""
    named = sorted(path for path in folder.glob(LIKE_ONE) if path.is_file())
    ours = [path for path in named if NAME.fullmatch(path.name)]
    return ours, [path for path in named if path not in ours]


def look(path: Path) -> SyncBundle:
    """A bundle that has been checked to be complete. Raises InputError."""
    hashed, number, first, last = hashlib.sha256(), 0, b"", b""
    with _opened(path) as opened:
        for line in opened:
            hashed.update(last)
            first, last, number = first or line, line, number + 1
    if not last.endswith(b"\n"):
        raise InputError(HALF, LATER, path=path)
    head, end = _document(first, path, 1), _document(last, path, number)
    schema = head.get("schema_version")
    if head.get("format") != FORMAT or not isinstance(schema, int) or schema > SCHEMA_VERSION:
        raise InputError("written by another version of evermem", "upgrade evermem on all machines", path=path)
    if (end.get("type"), end.get("lines"), end.get("sha256")) != ("end", number - 1, hashed.hexdigest()):
        raise InputError(HALF, LATER, path=path)
    try:
        written_at = datetime.fromisoformat(head["written_at"])
        machine, replica = str(head["machine"]), str(head["replica"])
    except (KeyError, ValueError, TypeError) as error:
        raise InputError(f"its first line lacks {error}", path=path) from error
    hashed.update(last)
    return SyncBundle(path, replica, machine, written_at, head.get("sealed") is True, number - 1, hashed.hexdigest())


def _opened(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except OSError as error:
        raise InputError(str(error.strerror), path=path) from error


def _document(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(HALF, LATER, path=path) from error
    if not isinstance(document, dict) or not isinstance(document.get("type"), str):
        raise InputError("no object with a type", path=path, line=number)
    return document


def _line(document: dict[str, Any]) -> bytes:
    return json_line(document).encode()
