"""Commands that show what became of it all: profile, conflicts, scenes, timeline."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Agent, AsOf, Db, Json, KnownAt, Reason, User
from evermem_cli.cli.shared.output import show

Person = Annotated[str | None, typer.Argument(metavar="[PERSON]", help="Whose: a name in your chats; you if left out.")]


def register(app: typer.Typer) -> None:
    """Adds this group's commands."""
    for command in (profile, conflicts, scenes, timeline):
        app.command()(command)


def profile(
    person: Person = None,
    history: Annotated[bool, typer.Option("--history", help="All values there ever were, oldest first.")] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Who you are, or somebody in your chats, on any day."""
    from evermem_cli.cli.lookups import people
    from evermem_cli.cli.presentation import profiles
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
    found, messages = people.profile(session, person, as_of, known_at, history=history)
    hidden = people.withheld(session, people.profile, person, as_of, known_at, history=history)
    document = profiles.profile_document(found, messages, history=history)
    show(document, profiles.profile(found, session.zone, history=history), as_json=json, withheld=hidden)


def conflicts(
    person: Annotated[
        str | None, typer.Argument(metavar="[PERSON]", help="Whose: a name in your chats; everybody's if left out.")
    ] = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """What contradicted what was known, and took its place."""
    from evermem_cli.cli.lookups import people
    from evermem_cli.cli.presentation import profiles
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
    found, messages = people.conflicts(session, person)
    hidden = people.withheld(session, people.conflicts, person)
    screen = profiles.conflicts(found, messages, session.zone)
    show(profiles.conflicts_document(found, messages), screen, as_json=json, withheld=hidden)


def scenes(
    scene_id: Annotated[str | None, typer.Argument(metavar="[ID]", help="One scene with its topics.")] = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """What your chats were about: topics that belong together."""
    from evermem_cli.cli.lookups import memories
    from evermem_cli.cli.presentation import documents, profiles, screens
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
    if scene_id:
        cells, hidden = memories.contents(session, scene_id), memories.withheld(session, memories.contents, scene_id)
        show(documents.contents(cells), screens.contents(cells, session.zone), as_json=json, withheld=hidden)
    else:
        found, hidden = memories.listing(session, "scenes"), memories.withheld(session, memories.listing, "scenes")
        screen = profiles.scenes(found, session.zone)
        show(documents.listing("scenes", found), screen, as_json=json, withheld=hidden)


def timeline(
    person: Annotated[str | None, typer.Option(metavar="NAME", help="Only what this person took part in.")] = None,
    theme: Annotated[str | None, typer.Option(help="Only scenes of this theme, as `evermem scenes` shows it.")] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="Then or later.", show_default=False)] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Then or before.", show_default=False)] = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """What happened and what changed, month by month."""
    from evermem_cli.cli.lookups import people
    from evermem_cli.cli.presentation import profiles
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
    found, messages = people.timeline(session, person, theme, since, until)
    hidden = people.withheld(session, people.timeline, person, theme, since, until)
    document = profiles.timeline_document(session.settings.user, found, messages)
    show(document, profiles.timeline(found, session.zone), as_json=json, withheld=hidden)
