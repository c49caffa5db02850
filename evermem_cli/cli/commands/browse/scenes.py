"""`scenes`: lists topics that belong together."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Agent, Db, Json, Reason, User
from evermem_cli.cli.shared.output import show


def scenes(
    scene_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="The scene to show, with its topics; all scenes if left out.")
    ] = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """List the scenes of your chats: topics that belong together."""
    from evermem_cli.cli.lookups import memories
    from evermem_cli.cli.presentation import documents, profiles, screens
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
    if scene_id is not None:
        cells, hidden = memories.contents(session, scene_id), memories.withheld(session, memories.contents, scene_id)
        show(documents.contents(cells), screens.contents(cells, session.zone), as_json=json, withheld=hidden)
    else:
        listing, hidden = memories.listing(session, "scenes"), memories.withheld(session, memories.listing, "scenes")
        screen = profiles.scenes(listing, session.zone)
        show(documents.listing("scenes", listing), screen, as_json=json, withheld=hidden)
