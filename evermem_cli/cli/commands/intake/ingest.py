"""`ingest`: reads chats into memory."""

import sys
import time
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from evermem_cli.cli.actions.intake_outcome import end_interrupted, exit_code, tell_stored
from evermem_cli.cli.shared.forming import form, model_forms, model_has_part
from evermem_cli.cli.shared.options import ByCode, Db, Embedder, Json, Llm, Me, Tz, User, period
from evermem_cli.cli.shared.output import show
from evermem_cli.errors import ExitCode, UsageError
from evermem_cli.terminal.stopping import when_interrupted

if TYPE_CHECKING:
    from evermem_cli.cli.actions.intake import Intake


def ingest(
    paths: Annotated[list[str], typer.Argument(metavar="PATH…", help="Transcripts, directories, or - for stdin.")],
    chat_format: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="NAME", help="Read this format instead of the detected one.", show_default=False
        ),
    ] = None,
    me: Me = None,
    tz: Tz = None,
    date: Annotated[
        datetime | None,
        typer.Option(
            metavar="YYYY-MM-DD", formats=["%Y-%m-%d"], help="The date of chats without dates.", show_default=False
        ),
    ] = None,
    date_order: Annotated[
        str | None,
        typer.Option(metavar="dmy|mdy|ymd", help="How to read dates like 03/06/2024.", show_default=False),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="all|v1.1|v1.0",
            help="Memories to form from chats between people. all: one episode, facts and foresights; v1.1: an episode "
            "for all and one per speaker, no facts or foresights; v1.0: as v1.1, with facts and foresights for each "
            "episode.",
            show_default=False,
        ),
    ] = None,
    boundary: Annotated[
        str | None,
        typer.Option(metavar="auto|always", help="always: split even chats of ten turns or fewer.", show_default=False),
    ] = None,
    no_llm: ByCode = False,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only messages from that time on.", show_default=False)
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only messages up to that time.", show_default=False)
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="TITLE", help="Only chats with this in their title; repeatable.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="TITLE", help="Skip chats with this in their title; repeatable.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also ingest messages that were forgotten.")] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove messages that the export lacks between its first and last.")
    ] = False,
    follow: Annotated[bool, typer.Option("--follow", help="Keep reading stdin until it ends.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be read, and write nothing.")] = False,
    llm: Llm = None,
    embedder: Embedder = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Read chats into memory: searchable at once, facts soon after."""
    from evermem_cli.cli.actions.intake import Intake
    from evermem_cli.cli.shared.session import Session
    from evermem_cli.intake.reports import Choice

    session = Session.open(me=me, tz=tz, policy=policy, boundary=boundary, llm=llm, embedder=embedder, user=user, db=db)
    first, last = period(since, until, session.zone)
    choice = Choice(
        since=first, until=last, only=tuple(only or ()), exclude=tuple(exclude or ()), again=again, prune=prune
    )
    options = session.reading(chat_format, date.date() if date else None, date_order)
    intake = Intake.of(session, paths, options, choice)
    _refuse(paths, dry_run, follow)
    if dry_run:
        raise typer.Exit(_survey(intake, json))
    with_llm = not no_llm and model_forms(session)
    if follow:
        raise typer.Exit(_follow(intake, with_llm, with_llm or not (no_llm or model_has_part(session)), json))
    raise typer.Exit(_ingest(intake, with_llm, json))


def _refuse(paths: list[str], dry_run: bool, follow: bool) -> None:
    if follow and (paths != ["-"] or dry_run):
        raise UsageError("--follow reads standard input and nothing else", "`evermem watch PATH` follows files")
    if follow and sys.platform == "win32":
        raise UsageError("--follow cannot wait for standard input on Windows", "`evermem watch FILE` follows a file")


def _follow(intake: "Intake", with_llm: bool, beside: bool, as_json: bool) -> ExitCode:
    """With `beside`, memories are formed while messages arrive, and not only at the end."""
    from evermem_cli.cli.presentation import intake_reports

    start = time.monotonic()
    inputs, interrupted = intake.follow(beside=beside)
    if interrupted:
        end_interrupted(inputs, time.monotonic() - start, as_json)
    made = form(intake.session, with_llm=with_llm)
    seconds = time.monotonic() - start
    show(
        intake_reports.ingest_document(inputs, made, seconds),
        intake_reports.ingest_screen(inputs, made, seconds),
        as_json=as_json,
    )
    return exit_code(inputs, made)


def _survey(intake: "Intake", as_json: bool) -> ExitCode:
    from evermem_cli.cli.presentation import intake_reports

    inputs = intake.survey()
    show(
        intake_reports.survey_document(inputs, intake.choice),
        intake_reports.survey_screen(inputs, intake.choice, intake.session.zone),
        as_json=as_json,
    )
    return exit_code(inputs, None)


def _ingest(intake: "Intake", with_llm: bool, as_json: bool) -> ExitCode:
    from evermem_cli.cli.actions.corrections import who_are_you
    from evermem_cli.cli.presentation import intake_reports

    start = time.monotonic()
    with when_interrupted(lambda: tell_stored(intake.session, intake.action)):
        inputs = intake.ingest()
    if any(report.new_messages for report in inputs):
        who_are_you(intake.session, intake.action, ask=not as_json)
    with when_interrupted(lambda: end_interrupted(inputs, time.monotonic() - start, as_json)):
        made = form(intake.session, with_llm=with_llm)
    seconds = time.monotonic() - start
    show(
        intake_reports.ingest_document(inputs, made, seconds),
        intake_reports.ingest_screen(inputs, made, seconds),
        as_json=as_json,
    )
    return exit_code(inputs, made)
