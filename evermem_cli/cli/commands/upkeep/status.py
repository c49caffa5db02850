"""`status`: shows what the memory file holds."""

from evermem_cli.cli.shared.options import Agent, Db, Json, Reason
from evermem_cli.cli.shared.output import show


def status(agent: Agent = None, reason: Reason = None, db: Db = None, json: Json = False) -> None:
    """Show what the file holds and what is still to do."""
    from evermem_cli.cli.presentation import documents, screens
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, db=db)
    counts, path = session.status(), session.settings.db
    show(documents.status(counts, path), screens.status(counts, path), as_json=json)
