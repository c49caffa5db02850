"""`profile`: shows who somebody is."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Agent, AsOf, Db, Json, KnownAt, Reason, User
from evermem_cli.cli.shared.output import show

Person = Annotated[str | None, typer.Argument(metavar="[PERSON]", help="A name in your chats; you if left out.")]


def profile(
    person: Person = None,
    history: Annotated[bool, typer.Option("--history", help="Include all earlier values, oldest first.")] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show your profile, or somebody else's, on any day."""
    from evermem_cli.cli.lookups import elsewhere, people
    from evermem_cli.cli.presentation import profiles
    from evermem_cli.cli.shared.reasons import withheld_hint
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
    described, messages = people.profile(session, person, as_of, known_at, history=history)
    hidden = people.withheld(session, people.profile, person, as_of, known_at, history=history)
    document = profiles.profile_document(described, messages, history=history)
    screen = profiles.profile(described, session.zone, elsewhere.beside_profile(session, described), history=history)
    show(document, screen, as_json=json, withheld=hidden, hint=withheld_hint(session.settings))
