"""`watch`: ingests chats while they are written."""

import time
from typing import Annotated

import typer

from evermem_cli.cli.actions.intake_outcome import end_interrupted
from evermem_cli.cli.shared.forming import model_forms
from evermem_cli.cli.shared.options import ByCode, Db, Embedder, Json, Llm, Me, Tz, User


def watch(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH…", help="Directories and files that chats are written to.")
    ],
    me: Me = None,
    tz: Tz = None,
    no_llm: ByCode = False,
    llm: Llm = None,
    embedder: Embedder = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Read chats into memory as they are written, until Ctrl-C."""
    from evermem_cli.cli.actions.intake import Intake
    from evermem_cli.cli.shared.session import Session
    from evermem_cli.intake.reports import Choice

    session = Session.open(me=me, tz=tz, llm=llm, embedder=embedder, user=user, db=db)
    intake = Intake.of(session, paths, session.reading(None, None, None), Choice())
    start = time.monotonic()
    inputs = intake.watch(with_llm=not no_llm and model_forms(session))
    end_interrupted(inputs, time.monotonic() - start, json)
