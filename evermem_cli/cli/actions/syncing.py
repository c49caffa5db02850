"""What `sync` does and says: as a JSON document and as a screen."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType

from evermem_cli.cli.presentation.documents import Document, plain
from evermem_cli.cli.shared import shared_copy
from evermem_cli.cli.shared.formatting import DIM, counted, day
from evermem_cli.cli.shared.options import path_of
from evermem_cli.cli.shared.session import Session, page_beside
from evermem_cli.cli.shared.terminal import styled
from evermem_cli.errors import ExitCode
from evermem_cli.memory import Action, ActionKind
from evermem_cli.memory.lake_address import LakeAddress, is_lake

if TYPE_CHECKING:
    from evermem_cli.sync.lake_syncing import LakeSyncing
    from evermem_cli.sync.syncing import Machine, Syncing, SyncReport

    Exchange = Syncing | LakeSyncing

# What is counted, in the order in which it is shown, and what people are told of.
COUNTED = {
    "messages": "messages",
    "edits": "edits",
    "forgotten": "forgotten messages",
    "removed": "removed messages",
    "titles": "titles",
    "corrections": "corrections",
    "privacy": "privacy settings",
    "people": "merged or owned names",
}


def through(session: Session, place: str, *, is_plain: bool) -> Exchange:
    """The exchange through a folder or, by its address, a shared memory. Raises UsageError."""
    from evermem_cli.sync.syncing import Syncing

    session.store.refuse_agent()
    if is_lake(place):
        return shared_copy.syncing(session, LakeAddress.read(place), plain=is_plain)
    page = page_beside(session.settings.db)
    folder = path_of(place)
    return Syncing(folder, session.store, session.form, lambda: page.unlink(missing_ok=True), is_plain)


def sync(session: Session, exchange: Exchange) -> SyncReport:
    """Exchanges with the other machines; says what was wrong with which bundle."""
    from evermem_cli.cli.shared.progress import working
    from evermem_cli.ingest import Ingestion

    with working(session.stderr) as progress:
        action = Action(kind=ActionKind.SYNC)
        ingestion = Ingestion(session.store, session.embedder, session.settings, progress, action=action)
        report = exchange.run(ingestion)
    return _noted(session, report)


def survey(session: Session, exchange: Exchange) -> SyncReport:
    """What `sync` would exchange; writes nothing."""
    return _noted(session, exchange.survey())


def exit_code(report: SyncReport) -> ExitCode:
    """Whether all bundles were read."""
    return ExitCode.PARTIAL if report.problems else ExitCode.OK


def document(report: SyncReport, exchange: Exchange, *, dry_run: bool) -> Document:
    """`sync --json`."""
    return {
        "dry_run": dry_run,
        "folder": exchange.place,
        "replica": report.replica,
        "came": _counts(report.came),
        "went": _counts(report.went),
        "machines": [
            {
                "replica": machine.bundle.replica,
                "machine": machine.name,
                "written_at": plain(machine.bundle.written_at),
                "stale_messages": machine.stale,
            }
            for machine in report.machines
        ],
        "problems": [problem.message for problem in report.problems],
    }


def screen(session: Session, report: SyncReport, exchange: Exchange, *, dry_run: bool) -> RenderableType:
    """What came and went, whose bundles were read, and which of them still hold what was forgotten."""
    came, went = ("would come", "would go") if dry_run else ("came", "went")
    lines = [styled(f"{came}: {_said(report.came)}"), styled(f"{went}: {_said(report.went)}")]
    read = ", ".join(f"{machine.name} ({_when(session, machine)})" for machine in report.machines)
    if not exchange.is_lake:
        lines.append(styled(f"read: {read}" if read else "no other machine has synced here yet", DIM))
    lines += [
        styled(
            f"{machine.bundle.path}: holds {counted(machine.stale, 'forgotten messages')} until {machine.name} syncs;"
            " delete the file if that machine is gone"
        )
        for machine in report.machines
        if machine.stale
    ]
    return Group(*lines)


def _noted(session: Session, report: SyncReport) -> SyncReport:
    for problem in report.problems:
        session.note(f"{problem.message}; {problem.hint}" if problem.hint else problem.message)
    return report


def _counts(counts: Counter[str]) -> dict[str, int]:
    return {name: counts[name] for name in COUNTED}


def _said(counts: Counter[str]) -> str:
    return ", ".join(counted(counts[name], words) for name, words in COUNTED.items() if counts[name]) or "nothing"


def _when(session: Session, machine: Machine) -> str:
    written_at = machine.bundle.written_at.astimezone(session.zone)
    return f"{day(written_at, session.zone)}, {written_at:%H:%M}"
