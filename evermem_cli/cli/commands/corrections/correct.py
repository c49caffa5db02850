"""`correct`: replaces a wrong memory."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Db, Embedder, Json, OwnTz, User
from evermem_cli.cli.shared.output import show


def correct(
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="The id of a wrong memory, or the beginning of it.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is right; for an episode, its title.")],
    tz: OwnTz = None,
    embedder: Embedder = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Replace a wrong memory with what you state."""
    from rich.console import Group

    from evermem_cli.cli.actions import assertions, corrections
    from evermem_cli.cli.shared.session import Session

    session = Session.open(tz=tz, embedder=embedder, user=user, db=db).of_owner()
    corrected = corrections.correct(session, memory_id, text)
    read = assertions.read_from(session, corrected.statement_id)
    document, screen = corrections.correction_document(corrected), corrections.correction_screen(corrected)
    understood = [read.screen(session.zone)] if corrected.statement_id else []  # a title is not read
    show(document | read.document, Group(screen, *understood), as_json=json)
