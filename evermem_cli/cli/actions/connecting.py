"""The steps of `connect`: plan, preview on stderr, change, report."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from evermem_cli.cli.presentation.documents import Document
from evermem_cli.cli.shared.session import Session
from evermem_cli.errors import UsageError
from evermem_cli.extras import Extra
from evermem_cli.mcp.changes import Change, changes, entry_of
from evermem_cli.mcp.clients import CLIENTS, Launch

# What a client asks of its user once.
ONCE = {"codex": "`/hooks` in Codex lets you trust evermem's two hooks; until then it has the tools alone"}

DISABLED = {"disabled": True, "enabled": False}  # the keys with which clients switch off a server

Made = Sequence[tuple[Change, Path | None]]


def planned(session: Session, client: str, *, undo: bool) -> list[Change]:
    """The changes that a client's files need. Raises UsageError, also where one of the files is read-only."""
    plan = changes(CLIENTS[client](Launch.of(session.settings)), undo=undo)
    for change in plan:
        if change.before is not None and not _may_be_written(change.path):
            raise UsageError(f"{change.path}: permission denied: the file is read-only", "make it writable first")
    return plan


def check_folder(session: Session) -> None:
    """Raises UsageError where the folder of a memory file that the user names does not exist."""
    folder = session.settings.db.parent
    if not session.settings.lake and not folder.is_dir():
        raise UsageError(
            f"{folder}: no such folder for a memory", "make the folder first, or name another file with --db"
        )


def preview(plan: Sequence[Change]) -> None:
    """Shows each change on stderr before the confirmation."""
    for change in plan:
        sys.stderr.write(change.shown)


def made(plan: Sequence[Change]) -> Made:
    """Makes the changes; returns each with its backup. Raises EvermemError."""
    return [(change, change.make()) for change in plan]


def note_obstacles(session: Session, client: str) -> None:
    """Notes why a connected assistant would not have this memory.

    The server's SDK is not installed, the memory does not exist yet, or the entry is disabled.
    """
    if not Extra.MCP.is_here:
        missing = "the server cannot start: the Model Context Protocol's SDK is not installed"
        session.note(f"{missing}; add it with `{Extra.MCP.command}`")
    memory = session.settings.db
    if not session.settings.lake and not memory.exists():
        session.note(f"{memory} does not exist yet; `evermem ingest` makes it")
    for file in CLIENTS[client](Launch.of(session.settings)):
        entry = entry_of(file.path.read_text(encoding="utf-8")) if file.path.exists() else {}
        for key, value in DISABLED.items():
            if entry.get(key) is value:
                wanted = json.dumps(not value)
                session.note(f"{file.path}: evermem is disabled there; set {key} to {wanted} in its entry to enable it")


def document(client: str, made: Made) -> Document:
    """`connect --json`."""
    files = [{"path": str(change.path), "backup": str(copy) if copy else None} for change, copy in made]
    return {"client": client, "changed": files}


def screen(client: str, made: Made, *, undo: bool) -> str:
    """One line per file, and what to do next."""
    if not made:
        return f"{client} {'is not connected' if undo else 'is connected already'}; nothing was changed"
    lines = [f"{change.path}{f'  (backup: {copy})' if copy else ''}" for change, copy in made]
    rest = "" if undo else "; `evermem help assistants` tells what it can and cannot see"
    asks = [ONCE[client]] if client in ONCE and not undo else []
    return "\n".join([*lines, *asks, f"restart {client} to apply this{rest}"])


def _may_be_written(path: Path) -> bool:
    """Whether the file's mode lets anybody write, and the system this user: root may write to any file."""
    return bool(path.stat().st_mode & 0o222) and os.access(path, os.W_OK)
