"""`hook`: run by assistants when a session starts and ends.

Users do not call it, so help does not list it.
"""

from pathlib import Path
from typing import Annotated

import typer

from evermem_cli.cli.shared.command_groups import CommandGroups
from evermem_cli.cli.shared.options import Agent, Db, User

hook_app = typer.Typer(
    name="hook",
    help="Run by assistants when a session starts and ends.",
    hidden=True,
    cls=CommandGroups,
    rich_markup_mode=None,
)


@hook_app.command("session-start")
def session_start(agent: Agent = None, user: User = None, db: Db = None) -> None:
    """Tell an assistant about its user. Prints a few lines on stdout; nothing where there is no memory yet."""
    from evermem_cli.cli.actions import hooks
    from evermem_cli.cli.shared.session import Session

    hooks.greet(Session.open(agent=agent or "unnamed client", user=user, db=db))


@hook_app.command("session-end")
def session_end(agent: Agent = None, user: User = None, db: Db = None) -> None:
    """Ingest the session that the event on stdin names, in a separate process."""
    from evermem_cli.cli.actions import hooks
    from evermem_cli.config import Settings

    hooks.take_in(Settings.load(user=user, db=db))


@hook_app.command("ingest")
def ingest(path: Annotated[Path, typer.Argument()], user: User = None, db: Db = None) -> None:
    """Ingest a session that has ended. Started by `session-end`."""
    from evermem_cli.cli.actions import hooks
    from evermem_cli.cli.shared.session import Session

    hooks.ingest(Session.open(user=user, db=db), path)
