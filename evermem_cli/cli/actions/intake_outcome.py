"""How the commands that read chats end: exit codes and the line after an interruption."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from evermem_cli.cli.shared.formatting import counted
from evermem_cli.cli.shared.output import show
from evermem_cli.errors import ExitCode

if TYPE_CHECKING:
    from evermem_cli.cli.shared.session import Session
    from evermem_cli.enrich import EnrichReport
    from evermem_cli.intake.reports import InputReport
    from evermem_cli.memory import Action


def end_interrupted(inputs: "Sequence[InputReport]", seconds: float, as_json: bool) -> NoReturn:
    """Ends a run that was interrupted by Ctrl-C as intended, with a line about what was done."""
    from evermem_cli.cli.presentation import intake_reports

    show(intake_reports.ingest_document(inputs, None, seconds), intake_reports.stopped_screen(inputs), as_json=as_json)
    sys.exit(ExitCode.INTERRUPTED)


def tell_stored(session: "Session", action: "Action") -> None:
    """Prints one line about an `ingest` that was interrupted while it read: what of it is stored."""
    with session.store.read_if_there() as reader:
        last = reader.actions.undoing() if reader else None
    stored = last.messages if last and last.action.id == action.id else 0
    formed = "; `evermem enrich` forms memories of them" * bool(stored)
    session.note(
        f"interrupted; {counted(stored, 'new messages')} stored{formed}, and the same `evermem ingest` reads the rest"
    )


def exit_code(inputs: "Sequence[InputReport]", made: "EnrichReport | None") -> ExitCode:
    """The exit code: whether all, some or none of the inputs were read, and all their topics formed."""
    if inputs and all(report.status == "failed" for report in inputs):
        return ExitCode.FAILED
    unfinished = any(report.status in ("failed", "partial") for report in inputs) or (made and made.failed)
    return ExitCode.PARTIAL if unfinished else ExitCode.OK
