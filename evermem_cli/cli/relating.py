"""Commands about who and what the chats speak of: people, entities, related."""

from typing import TYPE_CHECKING, Annotated

import typer

from evermem_cli.cli.options import Agent, AsOf, Db, Json, KnownAt, Reason, User
from evermem_cli.cli.output import show
from evermem_cli.memory import EntityType

if TYPE_CHECKING:
    from evermem_cli.cli.session import Session
    from evermem_cli.memory import Relationship

people_app = typer.Typer(rich_markup_mode=None)
Name = Annotated[str, typer.Argument(help="A person, by any name in your chats.")]
Kind = Annotated[EntityType | None, typer.Option("--type", help="Only of this type.", show_default=False)]
Depth = Annotated[int, typer.Option(min=1, max=6, help="Through at most so many relationships.")]
Goal = Annotated[str | None, typer.Option("--to", metavar="NAME", help="The ways to this one.", show_default=False)]


def register(app: typer.Typer) -> None:
    """Adds this group's commands."""
    app.add_typer(people_app, name="people", help="Everybody in your chats; names of one merged or split.")
    app.command()(entities)
    app.command()(related)


@people_app.callback(invoke_without_command=True)
def people(
    context: typer.Context,
    known_at: KnownAt = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Everybody in your chats: who speaks, who is spoken of, and how you stand to them."""
    from evermem_cli.cli import connections
    from evermem_cli.cli.session import Session

    if context.invoked_subcommand is None:
        session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
        found = connections.look(session, None, known_at)
        hidden = connections.withheld(
            session, lambda whose: connections.people(connections.look(whose, None, known_at))
        )
        document, screen = connections.people_document(found), connections.people_screen(found)
        show(document, screen, as_json=json, withheld=hidden)


@people_app.command()
def merge(one: Name, other: Name, user: User = None, db: Db = None, json: Json = False) -> None:
    """Say that two names are of one person, everywhere and from now on."""
    from evermem_cli.cli import connections
    from evermem_cli.cli.session import Session

    session = Session.open(user=user, db=db)
    connections.merge(session, one, other)
    found = connections.look(session)
    show(connections.people_document(found, one), connections.people_screen(found, one), as_json=json)


@people_app.command()
def split(name: Name, user: User = None, db: Db = None, json: Json = False) -> None:
    """Undo what was merged under a name."""
    from evermem_cli.cli import connections
    from evermem_cli.cli.session import Session

    session = Session.open(user=user, db=db)
    connections.split(session, name)
    found = connections.look(session)
    show(connections.people_document(found), connections.people_screen(found), as_json=json)


def entities(
    kind: Kind = None,
    known_at: KnownAt = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """People, organizations, places, products and events that your chats name."""
    from evermem_cli.cli import connections
    from evermem_cli.cli.session import Session

    session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
    found = connections.look(session, None, known_at)
    hidden = connections.withheld(
        session, lambda whose: connections.chosen(connections.look(whose, None, known_at), kind)
    )
    document, screen = connections.entities_document(found, kind), connections.entities_screen(found, kind)
    show(document, screen, as_json=json, withheld=hidden)


def related(
    name: Annotated[str, typer.Argument(help="A person, place or thing, by any of its names.")],
    depth: Depth = 1,
    goal: Goal = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """What somebody or something has to do with others, on any day."""
    from evermem_cli.cli.session import Session

    session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
    if goal:
        _ways(session, (name, goal), as_of, known_at, as_json=json)
    else:
        _near(session, name, depth, as_of, known_at, as_json=json)


def _ways(session: "Session", ends: tuple[str, str], *times: str | None, as_json: bool) -> None:
    from evermem_cli.cli import connections

    def ask(whose: "Session") -> "list[Relationship]":
        return [each for path in connections.ways(whose, connections.look(whose, *times), *ends) for each in path]

    found = connections.look(session, *times)
    paths = connections.ways(session, found, *ends)
    document, screen = connections.ways_document(found, *ends, paths), connections.ways_screen(found, *ends, paths)
    show(document, screen, as_json=as_json, withheld=connections.withheld(session, ask))


def _near(session: "Session", name: str, depth: int, *times: str | None, as_json: bool) -> None:
    from evermem_cli.cli import connections

    def ask(whose: "Session") -> "list[Relationship]":
        return connections.near(whose, connections.look(whose, *times), name, depth)

    found = connections.look(session, *times)
    near = connections.near(session, found, name, depth)
    document, screen = connections.related_document(found, name, near), connections.related_screen(found, name, near)
    show(document, screen, as_json=as_json, withheld=connections.withheld(session, ask))
