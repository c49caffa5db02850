"""The steps of `connect`: plan, preview on stderr, change, report."""

import sys
from collections.abc import Sequence
from pathlib import Path

from evermem_cli.cli.presentation.documents import Document
from evermem_cli.cli.shared.session import Session
from evermem_cli.mcp.changes import Change, changes
from evermem_cli.mcp.clients import CLIENTS, Launch

# What a client asks of its user once.
ONCE = {"codex": "`/hooks` in Codex lets you trust evermem's two hooks; until then it has the tools alone"}

Made = Sequence[tuple[Change, Path | None]]


def planned(session: Session, client: str, *, undo: bool) -> list[Change]:
    """The changes that a client's files need. Raises UsageError."""
    return changes(CLIENTS[client](Launch.of(session.settings)), undo=undo)


def preview(plan: Sequence[Change]) -> None:
    """Shows each change on stderr before the confirmation."""
    for change in plan:
        sys.stderr.write(change.shown)


def made(session: Session, client: str, plan: Sequence[Change]) -> Made:
    """Makes the changes; returns each with its backup. Raises EvermemError."""
    return [(change, change.make()) for change in plan]


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
