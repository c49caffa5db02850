"""`foresights`: lists what is coming up."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Agent, AsOf, Db, Json, Reason, User
from evermem_cli.cli.shared.output import show

MOST_DAYS = 1_000_000  # the calendar ends there


def foresights(
    as_of: AsOf = None,
    days: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=MOST_DAYS, help="Only what begins within this many days.")
    ] = None,
    expired: Annotated[bool, typer.Option("--expired", help="Show what is over or was called off.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Also show what began long ago and has no end.")] = False,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show what lies ahead, by start; with --expired, what is over."""
    from evermem_cli.cli.lookups import expected, memories
    from evermem_cli.cli.presentation import documents, listings
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
    now = session.now(as_of)
    listing = expected.foresights(session, now, days, expired=expired)
    hidden = memories.withheld(session, expected.foresights, now, days, expired=expired)
    waiting = 0 if listing.items else memories.waiting(session)
    shown = listing if every or expired else expected.ahead(listing, now)
    screen = listings.foresights(shown, session.zone, waiting, len(listing.items) - len(shown.items))
    show(documents.foresights(now, listing), screen, as_json=json, withheld=hidden)
