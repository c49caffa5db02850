"""`access-log`: shows who has read memory."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Db, Json
from evermem_cli.cli.shared.output import show


def access_log(
    agent: Annotated[str | None, typer.Option("--as", metavar="AGENT", help="Only this assistant.")] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show who has read memory, why, and with which command."""
    from evermem_cli.cli.presentation import upkeep
    from evermem_cli.cli.shared.session import Session

    session = Session.open(db=db)
    with session.store.privacy(write=False) as opened:
        entries = opened.accesses(agent)
    show(upkeep.access_document(entries), upkeep.access_screen(entries, session.zone), as_json=json)
