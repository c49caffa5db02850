"""`examples`: finds earlier requests to assistants."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Agent, Archived, Assistant, Db, Embedder, Json, Reason, User
from evermem_cli.cli.shared.output import show


def examples(
    situation: Annotated[
        str, typer.Argument(metavar="SITUATION", help="The task at hand, for example: booking a flight.")
    ],
    assistant: Assistant = None,
    k: Annotated[int, typer.Option("-k", metavar="N", min=1, max=1000, help="The number of examples.")] = 3,
    archived: Archived = False,
    embedder: Embedder = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show earlier requests like this one, and how they went."""
    from evermem_cli.cli.lookups import experience
    from evermem_cli.cli.presentation import learned
    from evermem_cli.cli.shared.session import Session

    session = Session.open(embedder=embedder, agent=agent, reason=reason, user=user, db=db).of_owner()
    whose = experience.AgentScope(session.settings.user, assistant, archived)
    matches, hidden = experience.examples(session, situation, whose, k)
    document, screen = learned.examples_document(situation, matches), learned.experience_screen(matches, session.zone)
    show(document, screen, as_json=json, withheld=hidden, archived=matches.archived)
