"""`undo`: undoes the last action."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.confirmation import confirm
from evermem_cli.cli.shared.options import Db, Json, Yes
from evermem_cli.cli.shared.output import show


def undo(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be undone.")] = False,
    yes: Yes = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Undo the last ingest, correction, merge or other change.

    The other changes are `remember`, `me`, a split of names, and a change of privacy.
    """
    from evermem_cli.cli.actions import corrections
    from evermem_cli.cli.shared.session import Session
    from evermem_cli.repair.undoing import last_action

    session = Session.open(db=db)
    last = last_action(session.store)
    if not dry_run:
        confirm(f"Undo {corrections.undoing(last, session.zone)}?", yes=yes)
        corrections.take_back(session, last)
    show(corrections.undo_document(last, dry_run), corrections.undo_screen(last, session.zone, dry_run), as_json=json)
