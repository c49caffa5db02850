"""`related`: shows the relationships of somebody or something."""

from typing import TYPE_CHECKING, Annotated

import typer

from evermem_cli.cli.shared.options import Agent, AsOf, Db, Json, KnownAt, Reason, User
from evermem_cli.cli.shared.output import show

if TYPE_CHECKING:
    from evermem_cli.cli.shared.session import Session
    from evermem_cli.memory import Relationship

Depth = Annotated[int, typer.Option(metavar="N", min=1, max=6, help="How many relationships to follow.")]
Goal = Annotated[
    str | None, typer.Option("--to", metavar="NAME", help="Show the paths to this person or thing.", show_default=False)
]


def related(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A person, place or thing, by any of its names.")],
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
    """Show how somebody or something is related to others, on any day."""
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
    if goal is not None:
        _ways(session, (name, goal), as_of, known_at, as_json=json)
    else:
        _near(session, name, depth, as_of, known_at, as_json=json)


def _ways(session: "Session", ends: tuple[str, str], *times: str | None, as_json: bool) -> None:
    from evermem_cli.cli.actions import relationships

    def ask(whose: "Session") -> "list[Relationship]":
        return [
            relationship
            for path in relationships.ways(whose, relationships.look(whose, *times), *ends)
            for relationship in path
        ]

    graph = relationships.look(session, *times)
    ways = relationships.ways(session, graph, *ends)
    document = relationships.ways_document(graph, *ends, ways)
    screen = relationships.ways_screen(graph, *ends, ways)
    show(document, screen, as_json=as_json, withheld=relationships.withheld(session, ask))


def _near(session: "Session", name: str, depth: int, *times: str | None, as_json: bool) -> None:
    from evermem_cli.cli.actions import relationships

    def ask(whose: "Session") -> "list[Relationship]":
        return relationships.near(whose, relationships.look(whose, *times), name, depth)

    graph = relationships.look(session, *times)
    near = relationships.near(session, graph, name, depth)
    document = relationships.related_document(graph, name, near)
    screen = relationships.related_screen(session, graph, name, near)
    show(document, screen, as_json=as_json, withheld=relationships.withheld(session, ask))
