"""Changes to other programs' configuration files: planned, shown, and then made with a backup."""

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
    """A file's present text, None where it does not exist, and its new text."""

    path: Path
    before: str | None
    after: str

    @property
    def shown(self) -> str:
        """The change as a unified diff."""
        old, new = (self.before or "").splitlines(keepends=True), self.after.splitlines(keepends=True)
        return "".join(unified_diff(old, new, str(self.path), str(self.path)))

    def make(self) -> Path | None:
        """Writes the whole file or nothing, keeps its mode, and returns the path of the backup.

        Raises UsageError where the file has changed since it was read, EvermemError where it cannot be written.
        """
        if _read(self.path) != self.before:
            raise UsageError(f"{self.path} has just been changed by another program", "try again")
        target = self.path.resolve()  # the target, where the path is a link
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            copy = None if self.before is None else _written(_beside(target, "backup"), self.before, target)
            _written(_beside(target, "new"), self.after, target).replace(target)
        except OSError as error:
            raise EvermemError(f"{error.filename}: {error.strerror}", "check who may write there") from error
        return copy


def changes(parts: Sequence[ConfigFile], *, undo: bool) -> list[Change]:
    """The changes that a client's files need; none where they are already as they should be. Raises UsageError."""
    planned = []
    for part in parts:
        before = _read(part.path)
        try:
            after = (part.take if undo else part.put)(before or "")
        except UsageError as error:
            raise UsageError(f"{part.path}: {error.message}", error.hint) from error
        if after != (before or ""):
            planned.append(Change(part.path, before, after))
    return planned


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
    """A new file with this text and the permissions of the other file."""
    path.write_text(text, encoding="utf-8")
    path.chmod(like.stat().st_mode & 0o777 if like.exists() else 0o600)
    with path.open("rb") as written:
        os.fsync(written.fileno())
    return path
