"""Changes to other programs' configuration files: planned, shown, and then made with a backup."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from evermem_cli.errors import EvermemError, UsageError
from evermem_cli.mcp.clients import ConfigFile
from evermem_cli.whole_files import make_folder, write_whole


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
        make_folder(target.parent)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
        copy = None
        if self.before is not None:
            copy = target.with_name(f"{target.name}.evermem-backup-{time.time_ns()}")
            write_whole(copy, self.before.encode(), mode=mode)
        try:
            write_whole(target, self.after.encode(), mode=mode)
        except EvermemError:
            if copy:
                copy.unlink(missing_ok=True)
            raise
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
        return path.read_bytes().decode()  # with its own ends of lines
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "correct the file first") from error
