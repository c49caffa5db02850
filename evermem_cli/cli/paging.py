"""How a page of memory is written to a file, and what is said of it."""

import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from evermem_cli.cli.output import destination
from evermem_cli.cli.session import Session
from evermem_cli.cli.terminal import styled
from evermem_cli.cli.words import counted
from evermem_cli.errors import UsageError
from evermem_cli.memory import Mode


@dataclass(frozen=True, slots=True)
class Written:
    """A page: where it is, how large, and how many messages are left out."""

    path: Path
    bytes: int
    private: int


def seen(session: Session, *, include_private: bool) -> Session:
    """The memory as its page may show it. Raises UsageError where an agent wants what is private."""
    if not session.settings.agent:
        return session if include_private else session.without_private()
    if include_private:
        raise UsageError(f"{session.settings.agent} may not see what is private", "leave out --include-private")
    return session


def write(session: Session, output: Path | None, questions: Sequence[str], mode: Mode, *, force: bool) -> Written:
    """Writes the page, all of it or nothing; evermem's own place for it beside the memory may be written again.

    Raises UsageError, ModelError, StoreError, StoreBusy, DiskFull.
    """
    from evermem_cli.view import page

    path = (output or beside(session.settings.db)).expanduser()
    if output and path.exists() and not force:
        raise UsageError(f"{path} is there already", "name another file, or --force")
    gathered = page.gather(session, questions, mode)
    with destination(path, session.store.drafted, force=True) as out:
        out.write(page.write(gathered))
    path.chmod(0o600)
    return Written(path.resolve(), path.stat().st_size, gathered.room.private)


def beside(memory: Path) -> Path:
    """The page of a memory file where nobody names another place."""
    return memory.with_name(f"{memory.name}.html")


def open_page(address: str) -> None:
    """Opens an address in the user's browser. Raises UsageError where there is none."""
    if not webbrowser.open(address):
        raise UsageError("no browser could be opened", f"open {address} yourself")


def document(done: Written) -> dict[str, Any]:
    """`view --json`."""
    return {"page": str(done.path), "bytes": done.bytes, "private": done.private}


def screen(done: Written) -> RenderableType:
    """Where it is, and what is not on it."""
    left_out = f"; {counted(done.private, 'messages')} left out as private" if done.private else ""
    return styled(f"{done.path}: {done.bytes / 1e6:.1f} MB{left_out}")
