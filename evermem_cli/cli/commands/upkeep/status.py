"""`status`: shows what the memory file holds."""

from evermem_cli.cli.shared.options import Agent, Db, Json, Reason
from evermem_cli.cli.shared.output import show


def status(agent: Agent = None, reason: Reason = None, db: Db = None, json: Json = False) -> None:
    """Show what the file holds and what is still to do."""
    from evermem_cli.cli.presentation import documents, screens
    from evermem_cli.cli.shared import hook_failure
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, db=db)
    counts, path, failure = session.status(), session.settings.db, hook_failure.last(session.settings)
    shown = documents.status(counts, path) | {"hook_failure": failure.document() if failure else None}
    show(shown, screens.status(counts, path, failure.line(session.zone) if failure else ""), as_json=json)
