"""`remember`: stores what the user says now."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Db, Embedder, Json, OwnTz, User
from evermem_cli.cli.shared.output import show


def remember(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to remember, in whole sentences.")],
    tz: OwnTz = None,
    embedder: Embedder = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Store what you say now as a message of yours."""
    from rich.console import Group

    from evermem_cli.cli.actions import assertions, corrections
    from evermem_cli.cli.shared.session import Session

    session = Session.open(tz=tz, embedder=embedder, user=user, db=db)
    note = corrections.remember(session, text)
    read = assertions.read_from(session, note.message.id)
    document = corrections.remember_document(note) | read.document
    show(document, Group(corrections.remember_screen(note), read.screen(session.zone)), as_json=json)
