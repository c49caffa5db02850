"""Commands about who and what the chats speak of: people, entities, related."""

from typing import TYPE_CHECKING, Annotated

import typer

from evermem_cli.cli.shared.options import Agent, AsOf, Db, Json, KnownAt, Reason, User
from evermem_cli.cli.shared.output import show
from evermem_cli.memory import EntityType

if TYPE_CHECKING:
    from evermem_cli.cli.shared.session import Session
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
    from evermem_cli.cli.actions import relationships
    from evermem_cli.cli.shared.session import Session

    if context.invoked_subcommand is None:
        session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
        found = relationships.look(session, None, known_at)
        hidden = relationships.withheld(
            session, lambda whose: relationships.people(relationships.look(whose, None, known_at))
        )
        document, screen = relationships.people_document(found), relationships.people_screen(found)
        show(document, screen, as_json=json, withheld=hidden)


@people_app.command()
def merge(one: Name, other: Name, user: User = None, db: Db = None, json: Json = False) -> None:
    """Say that two names are of one person, everywhere and from now on."""
    from evermem_cli.cli.actions import relationships
    from evermem_cli.cli.shared.session import Session

    session = Session.open(user=user, db=db)
    relationships.merge(session, one, other)
    found = relationships.look(session)
    show(relationships.people_document(found, one), relationships.people_screen(found, one), as_json=json)


@people_app.command()
def split(name: Name, user: User = None, db: Db = None, json: Json = False) -> None:
    """Undo what was merged under a name."""
    from evermem_cli.cli.actions import relationships
    from evermem_cli.cli.shared.session import Session

    session = Session.open(user=user, db=db)
    relationships.split(session, name)
    found = relationships.look(session)
    show(relationships.people_document(found), relationships.people_screen(found), as_json=json)


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
    from evermem_cli.cli.actions import relationships
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
    found = relationships.look(session, None, known_at)
    hidden = relationships.withheld(
        session, lambda whose: relationships.chosen(relationships.look(whose, None, known_at), kind)
    )
    document, screen = relationships.entities_document(found, kind), relationships.entities_screen(found, kind)
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
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
    if goal:
        _ways(session, (name, goal), as_of, known_at, as_json=json)
    else:
        _near(session, name, depth, as_of, known_at, as_json=json)


def _ways(session: "Session", ends: tuple[str, str], *times: str | None, as_json: bool) -> None:
    from evermem_cli.cli.actions import relationships

    def ask(whose: "Session") -> "list[Relationship]":
        return [each for path in relationships.ways(whose, relationships.look(whose, *times), *ends) for each in path]

    found = relationships.look(session, *times)
    paths = relationships.ways(session, found, *ends)
    document, screen = relationships.ways_document(found, *ends, paths), relationships.ways_screen(found, *ends, paths)
    show(document, screen, as_json=as_json, withheld=relationships.withheld(session, ask))


def _near(session: "Session", name: str, depth: int, *times: str | None, as_json: bool) -> None:
    from evermem_cli.cli.actions import relationships

    def ask(whose: "Session") -> "list[Relationship]":
        return relationships.near(whose, relationships.look(whose, *times), name, depth)

    found = relationships.look(session, *times)
    near = relationships.near(session, found, name, depth)
    document, screen = (
        relationships.related_document(found, name, near),
        relationships.related_screen(found, name, near),
    )
    show(document, screen, as_json=as_json, withheld=relationships.withheld(session, ask))
