"""Relationships to people, places and things, derived from a person's attributes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evermem_cli.languages.english import FUNCTION_WORDS
from evermem_cli.languages.language import HAN
from evermem_cli.languages.words import WORD
from evermem_cli.memory import EntityType, ProfileFact, Relation, Time
from evermem_cli.naming import find_mentions

# An attribute, its relationship, and the type of its value. None is no type: such a value counts only if other evidence
# shows it to be of a type in `WANTED`. In Chinese there is none, and what is visited is a place.
RELATIONS: dict[str, tuple[Relation, EntityType | None]] = {
    "employer": (Relation.WORKS_AT, EntityType.ORGANIZATION),
    "location": (Relation.LIVES_IN, EntityType.PLACE),
    "hometown": (Relation.COMES_FROM, EntityType.PLACE),
    "partner": (Relation.PARTNER_OF, EntityType.PERSON),
    "children": (Relation.FAMILY_OF, EntityType.PERSON),
    "family": (Relation.FAMILY_OF, EntityType.PERSON),
    "contacts": (Relation.KNOWS, EntityType.PERSON),
    "pets": (Relation.OWNS, EntityType.ANIMAL),
    "car": (Relation.OWNS, EntityType.PRODUCT),
    "purchased": (Relation.PURCHASED, EntityType.PRODUCT),
    "visited": (Relation.VISITED, None),
    "likes": (Relation.PREFERS, None),
}
WANTED = {
    Relation.VISITED: (EntityType.PLACE,),
    Relation.ATTENDED: (EntityType.EVENT,),
    Relation.PREFERS: (EntityType.PRODUCT, EntityType.PLACE, EntityType.ORGANIZATION, EntityType.EVENT),
}
# Somebody who went to an event was at it.
AT_AN_EVENT = {Relation.VISITED: Relation.ATTENDED}
_NAMED = (EntityType.PERSON, EntityType.ANIMAL)  # a cat without a name is not an entity
_ROLE = re.compile(r"(?P<name>.+?)(?:\s\((?P<role>[^()]+)\))?$")
_LONGEST_ROLE = 2  # words beside a name that say who it is: "little sister", not "from the top floor"


@dataclass(frozen=True, slots=True)
class Tie:
    """A relationship as stated, to something known by its name only."""

    relation: Relation
    name: str
    type: EntityType | None
    role: str | None
    fact: ProfileFact


def read_ties(history: Mapping[str, Sequence[ProfileFact]]) -> Iterator[Tie]:
    """The relationships in one person's attributes."""
    for attribute, facts in history.items():
        if attribute in RELATIONS:
            for fact in facts:
                yield from _ties(attribute, *RELATIONS[attribute], fact)


def settled(relation: Relation, kind: EntityType) -> Relation | None:
    """The relationship if its object has this type; None where no such relationship exists."""
    if kind is EntityType.EVENT:
        relation = AT_AN_EVENT.get(relation, relation)
    return relation if kind in WANTED.get(relation, (kind,)) else None


def begun(relation: Relation, fact: ProfileFact) -> Time | None:
    """When the relationship began: None for family; for a friend at the latest when first mentioned."""
    match relation:
        case Relation.FAMILY_OF:
            return None
        case Relation.KNOWS:
            return min(fact.valid_at or fact.said_at, fact.said_at)
        case _:
            return fact.valid_at


def _ties(attribute: str, relation: Relation, kind: EntityType | None, fact: ProfileFact) -> Iterator[Tie]:
    match = _ROLE.match(fact.value)
    if match is None:
        return
    names, beside = _names(match["name"], is_named=kind in _NAMED)
    if relation is Relation.VISITED and HAN.search(fact.value):
        kind = EntityType.PLACE
    role = match["role"] or beside
    for name in names:
        yield Tie(relation, name, kind, role, fact)


def _names(value: str, *, is_named: bool) -> tuple[list[str], str | None]:
    """The names in a value, and the words beside them: "sister Ellie" has "Ellie" and "sister".

    What has no name of its own, such as a book shop, is called what it is, unless it must have one.
    """
    if HAN.search(value):
        return [value], None
    words = WORD.findall(value)
    # a name does not open a sentence here, where any word has a capital
    if names := [mention.name for mention in find_mentions(f"with {value}" if is_named else value)]:
        named = set(WORD.findall(" ".join(names)))
        beside = [word for word in words if word not in named and word.lower() not in FUNCTION_WORDS]
        return names, " ".join(beside) if 0 < len(beside) <= _LONGEST_ROLE else None
    while words and words[0].lower() in FUNCTION_WORDS:
        words.pop(0)
    return [] if is_named or not words else [value[value.index(words[0]) :]], None
