"""`entities`: lists the names in the chats."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Agent, Db, Json, KnownAt, Reason, User
from evermem_cli.cli.shared.output import show
from evermem_cli.memory import EntityType

Kind = Annotated[EntityType | None, typer.Option("--type", help="Only entities of this type.", show_default=False)]


def entities(
    kind: Kind = None,
    known_at: KnownAt = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """List what your chats mention: people, places, things, events."""
    from evermem_cli.cli.actions import relationships
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
    network = relationships.look(session, None, known_at)
    hidden = relationships.withheld(
        session, lambda whose: relationships.chosen(relationships.look(whose, None, known_at), kind)
    )
    document, screen = relationships.entities_document(network, kind), relationships.entities_screen(network, kind)
    show(document, screen, as_json=json, withheld=hidden)
