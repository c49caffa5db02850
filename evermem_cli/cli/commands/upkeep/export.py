"""`export`: prints all of memory as lines of JSON."""

from pathlib import Path
from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Db, Force, IncludePrivate


def export(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write to this file instead of stdout.", show_default=False
        ),
    ] = None,
    include_private: IncludePrivate = False,
    salvage: Annotated[
        bool, typer.Option("--salvage", help="Export what can be read of a damaged file, private memories included.")
    ] = False,
    force: Force = False,
    db: Db = None,
) -> None:
    """Print everything in memory, one JSON object per line."""
    from evermem_cli import archive
    from evermem_cli.cli.shared.output import destination
    from evermem_cli.cli.shared.session import Session

    session = Session.open(db=db)
    tiers = None if include_private else session.settings.privacy
    with destination(output, session.store.temporary_path, force=force, spill=not session.store.is_encrypted) as out:
        if salvage:
            out.writelines(archive.salvage(session.store, session.note_lost))
        else:
            out.writelines(archive.export(session.store, tiers, session.note_left_out))
