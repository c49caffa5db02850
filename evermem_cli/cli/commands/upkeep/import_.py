"""`import`: reads an export into a new memory file."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Db, Embedder, Json
from evermem_cli.cli.shared.output import show


def import_(
    path: Annotated[str, typer.Argument(metavar="FILE", help="An export, or - for stdin.")],
    embedder: Embedder = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Read an export into a new memory file, all of it or nothing."""
    from evermem_cli.cli.presentation import upkeep
    from evermem_cli.cli.shared.session import Session

    session = Session.open(embedder=embedder, db=db)
    counts = session.import_lines(path)
    show(upkeep.import_document(counts), upkeep.import_screen(counts, session.settings.db), as_json=json)
