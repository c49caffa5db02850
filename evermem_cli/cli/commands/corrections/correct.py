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
    from evermem_cli.cli.actions import corrections
    from evermem_cli.cli.shared.session import Session

    session = Session.open(tz=tz, embedder=embedder, user=user, db=db).of_owner()
    corrected = corrections.correct(session, memory_id, text)
    show(corrections.correction_document(corrected), corrections.correction_screen(corrected), as_json=json)
