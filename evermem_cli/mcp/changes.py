"""Changes to files that belong to other programs: worked out first, shown, and then made with a copy of what was."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from evermem_cli.errors import EvermemError, UsageError
from evermem_cli.mcp.clients import ConfigFile


@dataclass(frozen=True, slots=True)
class Change:
    """What a file holds, None where there is none, and what it is to hold."""

    path: Path
    before: str | None
    after: str

    @property
    def shown(self) -> str:
        """The lines that change, as a unified diff."""
        old, new = (self.before or "").splitlines(keepends=True), self.after.splitlines(keepends=True)
        return "".join(unified_diff(old, new, str(self.path), str(self.path)))

    def make(self) -> Path | None:
        """Writes the file, whole or not at all, with the mode it had, and returns where the copy of the old one is.

        Raises UsageError where the file has changed since it was read, EvermemError where it cannot be written.
        """
        if _read(self.path) != self.before:
            raise UsageError(f"{self.path} has just been changed by another program", "try again")
        target = self.path.resolve()  # the file itself, where its place holds a link to it
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            copy = None if self.before is None else _written(_beside(target, "backup"), self.before, target)
            _written(_beside(target, "new"), self.after, target).replace(target)
        except OSError as error:
            raise EvermemError(f"{error.filename}: {error.strerror}", "check who may write there") from error
        return copy


def changes(parts: Sequence[ConfigFile], *, undo: bool) -> list[Change]:
    """What is to be changed in the files of a client, nothing where all is as it should be. Raises UsageError."""
    found = []
    for part in parts:
        before = _read(part.path)
        try:
            after = (part.take if undo else part.put)(before or "")
        except UsageError as error:
            raise UsageError(f"{part.path}: {error.message}", error.hint) from error
        if after != (before or ""):
            found.append(Change(part.path, before, after))
    return found


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "correct the file first") from error


def _beside(target: Path, what: str) -> Path:
    return target.with_name(f"{target.name}.evermem-{what}-{time.time_ns()}")


def _written(path: Path, text: str, like: Path) -> Path:
    """A new file with this text, that is readable by whom the other one is."""
    path.write_text(text, encoding="utf-8")
    path.chmod(like.stat().st_mode & 0o777 if like.exists() else 0o600)
    with path.open("rb") as written:
        os.fsync(written.fileno())
    return path
