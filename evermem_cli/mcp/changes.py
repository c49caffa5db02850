"""Changes to other programs' configuration files: planned, shown, and then made with a backup."""

import json
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from difflib import unified_diff
from glob import escape
from hashlib import sha256
from pathlib import Path
from typing import Any

from evermem_cli.errors import EvermemError, UsageError
from evermem_cli.mcp import configs
from evermem_cli.mcp.client_hooks import NAME
from evermem_cli.mcp.clients import ConfigFile, Edit
from evermem_cli.whole_files import make_folder, remove_empty, write_whole

MARK = ".evermem-backup-"  # in the name of a backup, which ends with the hash of the text that replaced it
HASH_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Change:
    """A file's present text, None where it does not exist, and its new text.

    `backup` is what the file was before, if the present text is what `connect` wrote and nobody has changed it since.
    With `restores`, the new text is the backup's. With `disposable`, evermem can write the present text again.
    """

    path: Path
    before: str | None
    after: str
    backup: Path | None = None
    restores: bool = False
    disposable: bool = False

    @property
    def shown(self) -> str:
        """The change as a unified diff."""
        old, new = (self.before or "").splitlines(keepends=True), self.after.splitlines(keepends=True)
        lines = unified_diff(old, new, str(self.path), str(self.path))
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def make(self) -> Path | None:
        """Writes the whole file or nothing, keeps its mode, and returns the path of the backup of what was before.

        Older backups are removed, as is a file that then holds nothing, unless it did so before, with the folders below
        home that are empty then. Raises UsageError where the file has changed since it was read, EvermemError where it
        cannot be written.
        """
        if _read(self.path) != self.before:
            raise UsageError(f"{self.path} has just been changed by another program", "try again")
        target = self.path.resolve()  # the target, where the path is a link
        make_folder(target.parent)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
        copy = self._back_up(target, mode)
        try:
            write_whole(target, self.after.encode(), mode=mode)
        except EvermemError:
            if copy:
                copy.unlink(missing_ok=True)
            raise
        if self.backup:  # it stands for the new text from now on, or is restored
            copy = None if self.restores else self.backup.rename(_backup(target, self.after))
        for older in _backups(target):
            if older != copy:
                older.unlink(missing_ok=True)
        if not self.after and not (self.restores and self.backup):
            target.unlink()
            remove_empty(target.parent)
        return copy

    def _back_up(self, target: Path, mode: int) -> Path | None:
        """The new backup; None where there is one already or none is needed."""
        if self.before is None or self.backup or self.disposable:
            return None
        copy = _backup(target, self.after)
        write_whole(copy, self.before.encode(), mode=mode)
        return copy


def changes(parts: Sequence[ConfigFile], *, undo: bool) -> list[Change]:
    """The changes that a client's files need; none where they are already as they should be. Raises UsageError."""
    planned = [_undoing(part) if undo else _connecting(part) for part in parts]
    return [change for change in planned if change.after != (change.before or "")]


def entry_of(text: str) -> dict[str, Any]:
    """Evermem's entry among the servers of a configuration in JSON or TOML; empty where there is none."""
    known: Any = {}
    for read in (json.loads, tomllib.loads):
        with suppress(ValueError):
            known = read(text.removeprefix(configs.BYTE_ORDER_MARK))
    named = (known.get(name) for name in (configs.SERVERS, configs.TABLES, "mcp")) if isinstance(known, dict) else ()
    entries = (servers.get(NAME) for servers in named if isinstance(servers, dict))
    return next((entry for entry in entries if isinstance(entry, dict)), {})


def _is_connected(text: str) -> bool:
    """Whether a configuration has what `connect` writes: a hook, or a server that only it would write so."""
    with suppress(UsageError):
        if configs.without_hooks(text) != text:
            return True
    entry = entry_of(text)
    command, given = entry.get("command"), entry.get("args")
    match [*(command if isinstance(command, list) else [command]), *(given if isinstance(given, list) else [])]:
        case [str(program), "mcp", "--db", _, "--user", _] | [
            str(program), "-m", "evermem_cli", "mcp", "--db", _, "--user", _,
        ]:  # fmt: skip
            return Path(program).is_absolute()
    return False


def _connecting(part: ConfigFile) -> Change:
    before = _read(part.path)
    return Change(part.path, before, _edited(part, part.put, before), _backup_of(part.path, before))


def _undoing(part: ConfigFile) -> Change:
    """What was before `connect` comes back; else evermem alone is taken out."""
    before = _read(part.path)
    backup = _backup_of(part.path, before)
    earlier = _read(backup) if backup else None
    if earlier is not None and not _is_connected(earlier):
        return Change(part.path, before, earlier, backup, restores=True)
    after = _edited(part, part.take, before)
    return Change(part.path, before, after, disposable=_has_only_what_connect_writes(part, before or ""))


def _has_only_what_connect_writes(part: ConfigFile, text: str) -> bool:
    """Whether a file holds nothing but what `connect` writes, for whichever memory file."""
    with suppress(UsageError):
        return _is_connected(text) and part.put(text) == part.put("")
    return False


def _edited(part: ConfigFile, edit: Edit, before: str | None) -> str:
    try:
        return edit(before or "")
    except UsageError as error:
        raise UsageError(f"{part.path}: {error.message}", error.hint) from error


def _backup(target: Path, after: str) -> Path:
    """A new name for the backup of what this text replaces."""
    return target.with_name(f"{target.name}{MARK}{datetime.now():%Y-%m-%d-%H%M%S}-{_hash(after)}")


def _backup_of(path: Path, text: str | None) -> Path | None:
    """The latest backup of what this text has replaced."""
    if text is None:
        return None
    names = _backups(path.resolve(), _hash(text))
    return names[-1] if names else None


def _backups(target: Path, hashed: str = "*") -> list[Path]:
    """The backups of a file, oldest first; those of what one text has replaced, if its hash is given."""
    return sorted(target.parent.glob(f"{escape(target.name)}{MARK}*-{hashed}"))


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:HASH_DIGITS]


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()  # with its own ends of lines
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "correct the file first") from error
