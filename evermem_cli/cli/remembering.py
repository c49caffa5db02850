"""Commands that write memory: ingest and enrich."""

import time
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from evermem_cli.cli.options import Db, Embedder, Json, Llm, User
from evermem_cli.cli.output import show
from evermem_cli.errors import ExitCode

if TYPE_CHECKING:
    from evermem_cli.enrich import EnrichReport
    from evermem_cli.ingest import InputReport


def register(app: typer.Typer) -> None:
    """Adds this group's commands."""
    app.command()(ingest)
    app.command()(enrich)


def ingest(
    paths: Annotated[list[str], typer.Argument(metavar="PATH…", help="Transcripts, directories, or - for stdin.")],
    chat_format: Annotated[
        str | None, typer.Option("--format", help="Overrule the detected format.", show_default=False)
    ] = None,
    me: Annotated[str | None, typer.Option(help="Your name in these chats.", show_default=False)] = None,
    tz: Annotated[str | None, typer.Option(help="Zone of times that carry none.", show_default=False)] = None,
    date: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Date of chats that carry none.", show_default=False)
    ] = None,
    date_order: Annotated[
        str | None,
        typer.Option(metavar="dmy|mdy|ymd", help="How to read dates like 03/06/2024.", show_default=False),
    ] = None,
    policy: Annotated[str | None, typer.Option(help="Group chats: v1.1 episodes only, v1.0 facts too.")] = None,
    boundary: Annotated[str | None, typer.Option(help="auto, or always: split short chats too.")] = None,
    no_llm: Annotated[
        bool, typer.Option("--no-llm", help="Only make searchable; `evermem enrich` does the rest.")
    ] = False,
    again: Annotated[bool, typer.Option("--again", help="Take in what was forgotten, too.")] = False,
    llm: Llm = None,
    embedder: Embedder = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Remember chats: searchable at once, facts soon after."""
    from evermem_cli.cli import documents, screens
    from evermem_cli.cli.session import Session

    start = time.monotonic()
    session = Session.open(me=me, tz=tz, policy=policy, boundary=boundary, llm=llm, embedder=embedder, user=user, db=db)
    inputs = session.ingest(paths, chat_format, date.date() if date else None, date_order, again)
    made = None if no_llm else session.enrich()
    seconds = time.monotonic() - start
    show(documents.ingest(inputs, made, seconds), screens.ingest(inputs, made, seconds), as_json=json)
    raise typer.Exit(_code(inputs, made))


class Again(StrEnum):
    """What `enrich --again` does anew."""

    CONSOLIDATION = "consolidation"


def enrich(
    again: Annotated[
        Again | None, typer.Option("--again", help="Draw scenes and profiles anew first.", show_default=False)
    ] = None,
    llm: Llm = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Finish what has not been through the language model."""
    from evermem_cli.cli import documents, screens
    from evermem_cli.cli.session import Session

    start = time.monotonic()
    session = Session.open(llm=llm, db=db)
    if again:
        session.consolidate_again()
    made = session.enrich()
    seconds = time.monotonic() - start
    show(documents.enrich(made, seconds), screens.enrich(made, seconds), as_json=json)
    raise typer.Exit(_code([], made))


def _code(inputs: "Sequence[InputReport]", made: "EnrichReport | None") -> ExitCode:
    if inputs and all(report.status == "failed" for report in inputs):
        return ExitCode.FAILED
    unfinished = any(report.status in ("failed", "partial") for report in inputs) or (made and made.failed)
    return ExitCode.PARTIAL if unfinished else ExitCode.OK
