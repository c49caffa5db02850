"""`timeline`: shows what happened, by month."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Agent, Db, Json, Reason, Since, Until, User
from evermem_cli.cli.shared.output import show
from evermem_cli.errors import UsageError


def _known(theme: str | None) -> str | None:
    """The theme. Raises UsageError for one that no scene can have."""
    if theme is None:
        return None
    from evermem_cli.consolidation.themes import THEMES

    if theme not in THEMES:
        raise UsageError(f"no such theme: {theme}", f"--theme is one of {', '.join(THEMES)}")
    return theme


def timeline(
    person: Annotated[str | None, typer.Option(metavar="NAME", help="Only what is about this person.")] = None,
    theme: Annotated[
        str | None,
        typer.Option(metavar="THEME", help="Only scenes of this theme, as `evermem scenes` shows it.", callback=_known),
    ] = None,
    since: Since = None,
    until: Until = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show what happened and what changed, month by month."""
    from evermem_cli.cli.lookups import memories, people
    from evermem_cli.cli.presentation import profiles
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
    events, messages = people.timeline(session, person, theme, since, until)
    hidden = people.withheld(session, people.timeline, person, theme, since, until)
    document = profiles.timeline_document(session.settings.user, events, messages)
    scenes = bool(theme and not events and memories.listing(session, "scenes").items)
    nothing = profiles.no_events(theme=theme is not None, scenes=scenes, within=bool(since or until))
    show(document, profiles.timeline(events, session.zone, nothing), as_json=json, withheld=hidden)
