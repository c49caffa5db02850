"""Follows a shared memory: takes in what is new there before a command reads, and appends what the command stored."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from evermem_cli.config import Settings, config_file
from evermem_cli.errors import EvermemError, ExitCode, StoreBusy, StoreError, UsageError
from evermem_cli.memory import Action, ActionKind
from evermem_cli.memory.lake_address import LakeAddress
from evermem_cli.whole_files import write_whole

if TYPE_CHECKING:
    from evermem_cli.cli.shared.session import Session
    from evermem_cli.store.lake.shared_memory import SharedMemory
    from evermem_cli.sync.lake_syncing import LakeSyncing


@dataclass(slots=True)
class SharedCopy:
    """A copy of a shared memory that commands of this process work on, and whether the shared memory was reached."""

    owner: Session
    lake: LakeAddress
    is_reached: bool = True

    @property
    def file(self) -> Path:
        """The file of the copy."""
        return self.owner.settings.db


_following: dict[Path, SharedCopy] = {}


def follow(session: Session) -> None:
    """Takes in what is new. Where the shared memory cannot be reached, the copy serves if there is one.

    Raises UsageError, StoreError, StoreBusy.
    """
    settings = session.settings
    if settings.lake is None or settings.db in _following:
        return
    owner = type(session)(replace(settings, agent="", reason="", lake=None), session.command, session.lent)
    entered = SharedCopy(owner, settings.lake)
    try:
        _exchange(entered)
    except (StoreError, StoreBusy) as error:
        if not _noted(entered.file):  # nothing was ever taken in
            raise
        session.note(f"{error.message}; this machine's copy is used ({error.hint})")
        entered.is_reached = False
    session.lent = session.lent or owner.engines
    _following[settings.db] = entered


def hand_on_key(copy: Path, key_file: str) -> None:
    """Lets `finish` open a copy that has got another key, in a file; in the keyring, or no key, where that is empty."""
    if entered := _following.get(copy):
        owner = entered.owner
        entered.owner = type(owner)(replace(owner.settings, key_file=key_file), owner.command)


def finish() -> ExitCode | None:
    """Appends what the command stored; the code of the process where that was not possible."""
    code = None
    for entered in [*_following.values()]:
        try:
            if entered.is_reached and _seen(entered.file) != _noted(entered.file)[1:]:
                _exchange(entered)
        except EvermemError as error:
            session = entered.owner
            session.note(f"{error.message}; what was stored here goes to the shared memory with a later command")
            entered.is_reached = False
        code = code if entered.is_reached else ExitCode.PARTIAL
    _following.clear()
    return code


def syncing(session: Session, lake: LakeAddress, *, plain: bool) -> LakeSyncing:
    """The exchange of a session's memory with a shared one. Raises UsageError where chats may not go there."""
    from evermem_cli.cli.shared.session import page_beside
    from evermem_cli.sync.lake_syncing import LakeSyncing

    shared, page = _shared(lake, session.settings), page_beside(session.settings.db)
    return LakeSyncing(shared, session.store, session.form, lambda: page.unlink(missing_ok=True), plain)


def _exchange(entered: SharedCopy) -> None:
    """Exchanges where anything has changed here or there since the last time."""
    owner, file = entered.owner, entered.file
    shared = _shared(entered.lake, owner.settings)
    if owner.store.exists and [shared.snapshot(), *_seen(file)] == _noted(file):
        return
    from evermem_cli.cli.shared.progress import working  # loading these takes a fifth of a search
    from evermem_cli.ingest import Ingestion

    exchange = syncing(owner, entered.lake, plain=True)
    with working(owner.stderr) as progress:
        action = Action(kind=ActionKind.SYNC)
        report = exchange.run(Ingestion(owner.store, owner.embedder, owner.settings, progress, action=action))
    write_whole(_note_of(file), json.dumps([report.snapshot, *_seen(file)]).encode())


def _seen(file: Path) -> list[int | None]:
    """What changes with every commit to the file: its size, its time, the size of its log."""
    log = file.with_name(f"{file.name}.wal")
    state = file.stat()
    return [state.st_size, state.st_mtime_ns, log.stat().st_size if log.exists() else 0]


def _noted(file: Path) -> list[int | None]:
    """The snapshot that the copy holds all of, and the state of its file then."""
    try:
        noted: list[int | None] = json.loads(_note_of(file).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return []
    return noted


def _note_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.synced")


def _shared(lake: LakeAddress, settings: Settings) -> SharedMemory:
    """The shared memory of an address. Raises UsageError, StoreError where chats may not go there."""
    from evermem_cli.store.lake.shared_memory import SharedMemory

    _require_remote(lake, settings)
    return SharedMemory(lake, settings.busy_timeout)


def _require_remote(lake: LakeAddress, settings: Settings) -> None:
    if lake.is_here:
        return
    if not settings.allow_remote:
        raise UsageError(
            f"{lake.text}: the server is not on this machine, and chats would go there",
            f"if they may, write allow_remote = true into {config_file()}",
        )
    if settings.offline:
        raise StoreError(f"{lake.text}: not on this machine", "EVERMEM_OFFLINE forbids connecting")
