"""`export`: prints all memory as lines of JSON."""

from pathlib import Path
from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Db, Force


def export(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Not to stdout.", show_default=False)
    ] = None,
    include_private: Annotated[bool, typer.Option("--include-private", help="What is private, too.")] = False,
    salvage: Annotated[
        bool, typer.Option("--salvage", help="All that can still be read of a damaged file, what is private too.")
    ] = False,
    force: Force = False,
    db: Db = None,
) -> None:
    """Print all that is remembered, one JSON object a line."""
    from evermem_cli import archive
    from evermem_cli.cli.shared.output import destination
    from evermem_cli.cli.shared.session import Session

    session = Session.open(db=db)
    tiers = None if include_private else session.settings.tiers
    with destination(output, session.store.drafted, force=force, spill=not session.store.is_encrypted) as out:
        if salvage:
            out.writelines(archive.salvage(session.store, session.note_lost))
        else:
            out.writelines(archive.export(session.store, tiers, session.note_left_out))
