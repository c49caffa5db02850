"""`backup`: copies the memory file."""

from pathlib import Path
from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Db, Force, Json
from evermem_cli.cli.shared.output import show


def backup(
    target: Annotated[Path, typer.Argument(metavar="FILE", help="The path of the copy.")],
    force: Force = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Copy the memory file and check the copy. Other processes may write meanwhile."""
    from evermem_cli.cli.presentation import upkeep
    from evermem_cli.cli.shared.session import Session

    session = Session.open(db=db)
    rows = session.store.backup(target.expanduser(), force=force)
    show(upkeep.backup_document(target, rows), upkeep.backup_screen(target, rows), as_json=json)
