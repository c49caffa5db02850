"""`sync`: exchanges memories between several machines through a folder."""

from pathlib import Path
from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Db, Embedder, Json
from evermem_cli.cli.shared.output import show


def sync(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A folder that all machines see, for example Syncthing's.")
    ],
    plain: Annotated[
        bool, typer.Option("--plain", help="Write for machines without this key, though memory is encrypted.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would come and go, and write nothing.")] = False,
    embedder: Embedder = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Exchange memories with your other machines through a folder."""
    from evermem_cli.cli.actions import syncing
    from evermem_cli.cli.shared.session import Session

    session, folder = Session.open(embedder=embedder, db=db), folder.expanduser()
    report = syncing.survey(session, folder) if dry_run else syncing.sync(session, folder, is_plain=plain)
    document = syncing.document(report, folder, dry_run=dry_run)
    show(document, syncing.screen(session, report, dry_run=dry_run), as_json=json)
    raise typer.Exit(syncing.exit_code(report))
