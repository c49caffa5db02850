"""`digest`: summarises old topics."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Db, Embedder, Json, User
from evermem_cli.cli.shared.output import show


def digest(
    memory_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Only this scene, conversation or digest.", show_default=False)
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Only topics that ended before that time; 90 days ago if left out."),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Remove digests, which restores the episodes.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    embedder: Embedder = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Summarise old topics that belong together. Search finds the digest in place of their episodes."""
    from evermem_cli.cli.actions import digests
    from evermem_cli.cli.presentation import documents, listings
    from evermem_cli.cli.shared.session import Session

    session = Session.open(embedder=embedder, user=user, db=db).of_owner()
    listing = digests.digests(session, memory_id, before, undo=undo, dry_run=dry_run)
    document = documents.digests(listing, dry_run=dry_run, undo=undo)
    show(document, listings.digests(listing, session.zone, dry_run=dry_run, undo=undo), as_json=json)
