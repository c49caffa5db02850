"""The steps of `view`: writes the page to a file or serves it."""

import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.filesize import decimal

from evermem_cli.cli.shared.formatting import counted
from evermem_cli.cli.shared.output import destination
from evermem_cli.cli.shared.output import write as write_text
from evermem_cli.cli.shared.reasons import withheld_hint
from evermem_cli.cli.shared.session import Session, page_beside
from evermem_cli.cli.shared.terminal import styled
from evermem_cli.errors import UsageError
from evermem_cli.memory import Mode
from evermem_cli.terminal import stopping


@dataclass(frozen=True, slots=True)
class WrittenPage:
    """A written page: its path, its size, and how many messages are left out as private or as sensitive."""

    path: Path
    bytes: int
    private: int
    sensitive: int


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Options for serving: the port, how many seconds without a request, and whether to open a browser."""

    port: int
    idle: float
    opens: bool


def seen(session: Session, *, include_private: bool) -> Session:
    """The session as the page may see it. Raises UsageError where an agent wants private memories."""
    if not session.settings.agent:
        return session if include_private else session.without_private()
    if include_private:
        raise UsageError(f"{session.settings.agent} may not see what is private", "leave out --include-private")
    return session


def write(session: Session, output: Path | None, questions: Sequence[str], mode: Mode, *, force: bool) -> WrittenPage:
    """Writes the whole page or nothing. The default page beside the memory may be overwritten.

    Raises UsageError, ModelError, StoreError, StoreBusy, DiskFull.
    """
    from evermem_cli.view import page

    path = (output or page_beside(session.settings.db)).expanduser()
    if output and path.exists() and not force:
        raise UsageError(f"{path} exists already", "name another file, or add --force")
    gathered = page.gather(session, questions, mode)
    with destination(path, session.store.temporary_path, force=True, spill=False) as out:
        out.write(page.write(gathered))
    path.chmod(0o600)
    if session.store.is_encrypted:
        session.note("the memory is encrypted, the page is not: delete it when you have read it")
    usage = gathered.disk_usage
    if session.settings.agent and (usage.private or usage.sensitive):
        session.note(withheld_hint(session.settings))
    return WrittenPage(path.resolve(), path.stat().st_size, usage.private, usage.sensitive)


def refuse_file(output: Path | None, questions: Sequence[str] | None, *, json: bool) -> None:
    """Raises UsageError where a page is to be served with options that apply to a file."""
    given = {"--output": output, "--ask": questions, "--json": json}
    if named := [name for name, value in given.items() if value]:
        raise UsageError(
            f"{', '.join(named)} cannot be combined with --serve",
            "leave one of them out; a served page has a field for questions",
        )


def serve(owner: Session, shown: Session, how: ServeOptions) -> None:
    """Serves the page until it is stopped or idle for too long. Raises UsageError."""
    from evermem_cli.view.server import PageBackend, Server

    owner.store.refuse_agent()
    try:
        server = Server(PageBackend(owner, shown), how.port)
    except OSError as error:
        raise UsageError(f"port {how.port}: {error.strerror}", "leave out --port to use any free port") from error
    with server, stopping.gently() as stop:
        write_text(f"{server.address}\n")
        ends = f"after {how.idle / 60:g} minutes without a request, or with Ctrl-C"
        owner.note(f"open this address in a browser; the server ends {ends}")
        if how.opens:
            open_page(server.address)
        server.run(how.idle, lambda: stop.asked)


def open_page(address: str) -> None:
    """Opens an address in the user's browser. Raises UsageError where there is none."""
    if not webbrowser.open(address):
        raise UsageError("no browser could be opened", f"open {address} yourself")


def document(done: WrittenPage) -> dict[str, Any]:
    """`view --json`."""
    return {"page": str(done.path), "bytes": done.bytes, "private": done.private, "sensitive": done.sensitive}


def screen(done: WrittenPage) -> RenderableType:
    """Where the page is, and what is not on it."""
    counts = {"private": done.private, "sensitive": done.sensitive}
    left_out = [f"{counted(count, 'messages')} left out as {tier}" for tier, count in counts.items() if count]
    return styled("; ".join([f"{done.path}: {decimal(done.bytes)}", *left_out]))
