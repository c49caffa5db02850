"""`sync`: exchanges memories between several machines through a folder or a shared memory."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Db, Embedder, Json
from evermem_cli.cli.shared.output import show


def sync(
    place: Annotated[
        str,
        typer.Argument(
            metavar="PLACE",
            help="A folder that all machines can reach, for example Syncthing's; or the address of a shared memory, "
            "ducklake:FILE or ducklake:postgres:….",
        ),
    ],
    plain: Annotated[
        bool, typer.Option("--plain", help="Write plain text for machines without the key of this memory.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be exchanged, and write nothing.")
    ] = False,
    embedder: Embedder = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Exchange memories through a folder or a shared memory."""
    from evermem_cli.cli.actions import syncing
    from evermem_cli.cli.shared.session import Session

    session = Session.open(embedder=embedder, db=db)
    exchange = syncing.through(session, place, is_plain=plain)
    report = syncing.survey(session, exchange) if dry_run else syncing.sync(session, exchange)
    document = syncing.document(report, exchange, dry_run=dry_run)
    show(document, syncing.screen(session, report, exchange, dry_run=dry_run), as_json=json)
    raise typer.Exit(syncing.exit_code(report))
