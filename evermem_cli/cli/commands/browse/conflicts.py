"""`conflicts`: shows which value replaced which."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Agent, Db, Json, Reason, User
from evermem_cli.cli.shared.output import show


def conflicts(
    person: Annotated[
        str | None, typer.Argument(metavar="[PERSON]", help="A name in your chats; everybody if left out.")
    ] = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show contradictions: which newer value replaced which older one."""
    from evermem_cli.cli.lookups import people
    from evermem_cli.cli.presentation import profiles
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
    items, messages = people.conflicts(session, person)
    hidden = people.withheld(session, people.conflicts, person)
    screen = profiles.conflicts(items, messages, session.zone)
    show(profiles.conflicts_document(items, messages), screen, as_json=json, withheld=hidden)
