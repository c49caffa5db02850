"""Everybody in the chats and their relationships, laid out in rings around the user."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from evermem_cli.cli.actions import relationships
from evermem_cli.cli.actions.relationships import NetworkView
from evermem_cli.cli.shared.formatting import day
from evermem_cli.cli.shared.session import Session
from evermem_cli.memory import Entity, Relation, Relationship
from evermem_cli.view.quotes import Quote, date_or_blank, quotes

LISTED = 200  # people listed below the pictures; the most relevant come first
ALONE, INNER = 12, 9  # people in a single ring, and in the inner one of two rings
TURNS = math.cos, math.sin
MARGIN = 56  # around the points of a picture, for the names


@dataclass(frozen=True, slots=True)
class Canvas:
    """Room for a picture: its size, the people drawn at most, and the characters of a name.

    `begin` is how many steps from the top a ring begins.
    """

    width: int
    height: int
    most: int
    letters: int
    begin: float


WIDE, NARROW = Canvas(640, 480, 25, 16, 0.5), Canvas(300, 440, 9, 10, 0.0)  # NARROW is for the screen of a phone


@dataclass(frozen=True, slots=True)
class Node:
    """A person in the picture, at a point."""

    number: int
    label: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Edge:
    """A relationship in the picture: a line between two points, labelled in the middle."""

    ends: tuple[float, float, float, float]
    label: str
    x: float
    y: float
    since: str
    until: str


@dataclass(frozen=True, slots=True)
class Person:
    """A person: all their names, their relationship to the user, and how often they speak and are mentioned."""

    number: int
    name: str
    aliases: tuple[str, ...]
    is_user: bool
    bond: str
    said: int
    named: int
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """The most relevant people and their relationships, within a frame: left, top, width and height."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    frame: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class PeopleGraph:
    """A picture for wide and one for narrow screens, and the list below them.

    `left_out` counts the people who are not listed.
    """

    people: tuple[Person, ...]
    wide: Picture
    narrow: Picture
    left_out: int


def people_graph(session: Session) -> PeopleGraph:
    """Everybody in the user's chats: the user first, then close and talkative people."""
    view = relationships.look(session)
    everybody = relationships.people(view)
    ranked = sorted(everybody, key=lambda person: _rank(person, view))
    people = tuple(_person(number, person, view, session.zone) for number, person in enumerate(ranked[:LISTED]))
    wide, narrow = (_picture(ranked[: canvas.most], view, canvas) for canvas in (WIDE, NARROW))
    return PeopleGraph(people, wide, narrow, max(0, len(ranked) - LISTED))


def _picture(drawn: Sequence[Entity], view: NetworkView, canvas: Canvas) -> Picture:
    places = _places(len(drawn), canvas, has_centre=bool(drawn) and drawn[0] is view.network.user)
    nodes = tuple(
        Node(number, _short(person.name, canvas.letters), *place)
        for number, (person, place) in enumerate(zip(drawn, places, strict=True))
    )
    points = {person.id: (node.x, node.y) for person, node in zip(drawn, nodes, strict=True)}
    return Picture(nodes, _edges(view, points), _frame(places))


def _frame(places: Sequence[tuple[float, float]]) -> tuple[float, float, float, float]:
    """The smallest frame around the points and the names below them."""
    xs, ys = [x for x, _ in places] or [0.0], [y for _, y in places] or [0.0]
    left, top = min(xs) - MARGIN, min(ys) - MARGIN / 3
    return left, top, max(xs) + MARGIN - left, max(ys) + 2 * MARGIN / 3 - top


def _rank(person: Entity, view: NetworkView) -> tuple[bool, bool, int]:
    bond = view.network.of_user(person, view.now)
    is_close = bond is not None and bond.relation is not Relation.KNOWS
    return person is not view.network.user, not is_close, -(person.said + person.mention_count)


def _person(number: int, person: Entity, view: NetworkView, zone: tzinfo) -> Person:
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
    return bond.role or ("known to you" if bond.relation is Relation.KNOWS else bond.relation.split("_")[0].lower())


def _places(count: int, canvas: Canvas, *, has_centre: bool) -> list[tuple[float, float]]:
    """Points for this many people: the centre, then one or two rings."""
    middle = canvas.width / 2, canvas.height / 2
    places = [middle] if has_centre and count else []
    rest = count - len(places)
    rings = ((rest, 0.9),) if rest <= ALONE else ((INNER, 0.5), (rest - INNER, 1.0))
    for size, share in rings:
        for place in range(size):
            angle = 2 * math.pi * (place + canvas.begin) / size - math.pi / 2
            x, y = (half + (half - MARGIN) * share * turn(angle) for half, turn in zip(middle, TURNS, strict=True))
            places.append((round(x, 1), round(y, 1)))
    return places


def _edges(view: NetworkView, points: dict[str, tuple[float, float]]) -> tuple[Edge, ...]:
    """The relationships between people in the picture. "Knows" is drawn only where nothing more specific is known."""
    between = [
        relationship
        for relationship in view.network.relationships
        if relationship.source in points and relationship.target in points
    ]
    described = {
        frozenset((relationship.source, relationship.target))
        for relationship in between
        if relationship.relation is not Relation.KNOWS
    }
    shown = [
        relationship
        for relationship in between
        if relationship.relation is not Relation.KNOWS
        or frozenset((relationship.source, relationship.target)) not in described
    ]
    return tuple(
        _edge(relationship, points[relationship.source], points[relationship.target], view.zone)
        for relationship in shown
    )


def _edge(relationship: Relationship, start: Sequence[float], end: Sequence[float], zone: tzinfo) -> Edge:
    return Edge(
        ends=(start[0], start[1], end[0], end[1]),
        label=relationship.role or ("" if relationship.relation is Relation.KNOWS else _word(relationship)),
        # closer to the person that the label describes, away from the crowded middle
        x=round(start[0] * 0.42 + end[0] * 0.58, 1),
        y=round(start[1] * 0.42 + end[1] * 0.58, 1),
        since=date_or_blank(relationship.valid_at, zone),
        until=date_or_blank(relationship.invalid_at, zone),
    )


def _short(name: str, letters: int) -> str:
    return name if len(name) <= letters else name[: letters - 1] + "…"
