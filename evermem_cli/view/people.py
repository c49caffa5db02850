"""Everybody in the chats and how they stand to each other, laid out in rings around the user."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from evermem_cli.cli.actions import relationships
from evermem_cli.cli.actions.relationships import View
from evermem_cli.cli.shared.formatting import day
from evermem_cli.cli.shared.session import Session
from evermem_cli.memory import Entity, Relation, Relationship
from evermem_cli.view.quotes import Quote, date_or_blank, quotes

DRAWN, LISTED = 25, 200  # people in the picture and below it: those who matter most
ALONE, INNER = 12, 9  # people in a ring that is the only one, and in the inner of two
WIDTH, HEIGHT, MARGIN = 640, 480, 56
LONGEST = 16  # characters of a name in the picture


@dataclass(frozen=True, slots=True)
class Node:
    """Somebody in the picture, at a point."""

    number: int
    label: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Edge:
    """A relationship in the picture, from one point to another, with what it is at its middle."""

    ends: tuple[float, float, float, float]
    label: str
    x: float
    y: float
    since: str
    until: str


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody: all names, what they are to the user, and how much they say and are spoken of."""

    number: int
    name: str
    aliases: tuple[str, ...]
    is_user: bool
    bond: str
    said: int
    named: int
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class PeopleGraph:
    """The picture and the list; `left_out` counts those that are in neither."""

    people: tuple[Person, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    left_out: int
    width: int = WIDTH
    height: int = HEIGHT


def people_graph(session: Session) -> PeopleGraph:
    """Everybody in the user's chats, the user first, then those who stand near and say much."""
    view = relationships.look(session)
    everybody = relationships.people(view)
    ranked = sorted(everybody, key=lambda each: _rank(each, view))
    people = tuple(_person(number, each, view, session.zone) for number, each in enumerate(ranked[:LISTED]))
    places = _places(len(ranked[:DRAWN]), has_centre=bool(ranked) and ranked[0] is view.network.user)
    nodes = tuple(
        Node(number, _short(each.name), *place)
        for number, (each, place) in enumerate(zip(ranked[:DRAWN], places, strict=True))
    )
    points = {each.id: (node.x, node.y) for each, node in zip(ranked, nodes, strict=False)}
    return PeopleGraph(people, nodes, _edges(view, points), max(0, len(ranked) - LISTED))


def _rank(person: Entity, view: View) -> tuple[bool, bool, int]:
    bond = view.network.of_user(person, view.now)
    is_close = bond is not None and bond.relation is not Relation.KNOWS
    return person is not view.network.user, not is_close, -(person.said + person.mention_count)


def _person(number: int, person: Entity, view: View, zone: tzinfo) -> Person:
    bond = view.network.of_user(person, view.now)
    cited = bond.message_ids if bond and bond.relation is not Relation.KNOWS else person.message_ids[-1:]
    return Person(
        number=number,
        name=person.name,
        aliases=person.aliases,
        is_user=person is view.network.user,
        bond=_bond(bond, zone) if bond else "",
        said=person.said,
        named=person.mention_count,
        quotes=quotes(cited, view.messages, zone),
    )


def _bond(bond: Relationship, zone: tzinfo) -> str:
    over = f", until {day(bond.invalid_at, zone)}" if bond.invalid_at else ""
    return _word(bond) + over


def _word(bond: Relationship) -> str:
    return bond.role or bond.relation.split("_")[0].lower()


def _places(count: int, *, has_centre: bool) -> list[tuple[float, float]]:
    """Points for so many: the centre, then one ring or two, each turned by half a step from the top."""
    found = [(WIDTH / 2, HEIGHT / 2)] if has_centre and count else []
    rest = count - len(found)
    rings = ((rest, 0.9),) if rest <= ALONE else ((INNER, 0.5), (rest - INNER, 1.0))
    for size, share in rings:
        for place in range(size):
            angle = 2 * math.pi * (place + 0.5) / size - math.pi / 2
            x = WIDTH / 2 + (WIDTH / 2 - MARGIN) * share * math.cos(angle)
            found.append((round(x, 1), round(HEIGHT / 2 + (HEIGHT / 2 - MARGIN) * share * math.sin(angle), 1)))
    return found


def _edges(view: View, points: dict[str, tuple[float, float]]) -> tuple[Edge, ...]:
    """What is between those in the picture; that two know each other only where nothing says more."""
    between = [each for each in view.network.relationships if each.source in points and each.target in points]
    told = {frozenset((each.source, each.target)) for each in between if each.relation is not Relation.KNOWS}
    shown = [
        each
        for each in between
        if each.relation is not Relation.KNOWS or frozenset((each.source, each.target)) not in told
    ]
    return tuple(_edge(each, points[each.source], points[each.target], view.zone) for each in shown)


def _edge(each: Relationship, start: Sequence[float], end: Sequence[float], zone: tzinfo) -> Edge:
    return Edge(
        ends=(start[0], start[1], end[0], end[1]),
        label=each.role or ("" if each.relation is Relation.KNOWS else _word(each)),
        x=round(start[0] * 0.42 + end[0] * 0.58, 1),  # nearer to whom it tells of, clear of the crowd in the middle
        y=round(start[1] * 0.42 + end[1] * 0.58, 1),
        since=date_or_blank(each.valid_at, zone),
        until=date_or_blank(each.invalid_at, zone),
    )


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
