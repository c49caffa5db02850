"""`hook`: what assistants run by themselves when a session starts and ends.

Nobody types it, so help does not name it.
"""

import typer

from evermem_cli.cli.shared.command_groups import CommandGroups
from evermem_cli.cli.shared.options import Agent, Db, User

hook_app = typer.Typer(
    name="hook",
    help="What assistants run when a session starts and ends.",
    hidden=True,
    cls=CommandGroups,
    rich_markup_mode=None,
)


@hook_app.command("session-start")
def session_start(agent: Agent = None, user: User = None, db: Db = None) -> None:
    """Tell an assistant who it works for. Prints a few lines on stdout; nothing where there is no memory yet."""
    from evermem_cli.cli.actions import hooks
    from evermem_cli.cli.shared.session import Session

    hooks.greet(Session.open(agent=agent or "unnamed client", user=user, db=db))


@hook_app.command("session-end")
def session_end(agent: Agent = None, user: User = None, db: Db = None) -> None:
    """Take in the session that the event on stdin names. It is taken in by a process of its own."""
    from evermem_cli.cli.actions import hooks
    from evermem_cli.cli.shared.session import Session

    hooks.take_in(Session.open(user=user, db=db))
