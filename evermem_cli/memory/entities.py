"""Entities: the names in messages, what they refer to, and how entities are related."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from evermem_cli.errors import UsageError
from evermem_cli.memory.times import Time

SHOW_IDS = "`evermem list` and `evermem search` show ids"


def name_given(text: str) -> str:
    """A name that a user or an assistant gave, with one space between its words. Raises UsageError for an empty one."""
    if not (words := text.split()):
        raise UsageError("the name is empty", "give a name, or leave it out")
    return " ".join(words)


def id_given(text: str) -> str:
    """An id, or the beginning of one, that a user or an assistant gave. Raises UsageError for an empty one."""
    if not (given := text.strip()):
        raise UsageError("the id is empty", SHOW_IDS)
    return given


class EntityType(StrEnum):
    """What kind of thing a name refers to."""

    PERSON = "person"
    ORGANIZATION = "organization"
    PLACE = "place"
    PRODUCT = "product"
    EVENT = "event"
    ANIMAL = "animal"


class Relation(StrEnum):
    """The kind of a relationship between two entities."""

    KNOWS = "KNOWS"
    PARTNER_OF = "PARTNER_OF"
    FAMILY_OF = "FAMILY_OF"
    WORKS_AT = "WORKS_AT"
    LIVES_IN = "LIVES_IN"
    COMES_FROM = "COMES_FROM"
    OWNS = "OWNS"
    VISITED = "VISITED"
    ATTENDED = "ATTENDED"
    PURCHASED = "PURCHASED"
    PREFERS = "PREFERS"


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a message, and its type if the words around it show one."""

    name: str
    type: EntityType | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """All mentions of one name as one type: when and in which message, in order of time."""

    name: str
    type: EntityType | None
    said: tuple[tuple[datetime, str], ...]

    @property
    def first_at(self) -> datetime:
        """When the name was first mentioned."""
        return self.said[0][0]

    @property
    def last_at(self) -> datetime:
        """When the name was last mentioned."""
        return self.said[-1][0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """A name under which somebody speaks: the number of messages, and the first and last time."""

    name: str
    user_id: str
    messages: int
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A person or thing with all its names and the messages that mention it, in order of time.

    `user_id` is that of a person who speaks, and `said` counts their messages. Times span both messages and mentions.
    """

    id: str
    name: str
    type: EntityType
    aliases: tuple[str, ...]
    message_ids: tuple[str, ...]
    first_seen: datetime
    last_mentioned: datetime
    user_id: str | None = None
    said: int = 0

    @property
    def mention_count(self) -> int:
        """The number of messages that mention it."""
        return len(self.message_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Relationship:
    """A relationship that held in [valid_at, invalid_at) between two entities, by id; None is unknown or open.

    `role` is more specific than `relation`: "cousin", "boss". `said_at` is when it was first stated, in `message_ids`.
    """

    id: str
    source: str
    relation: Relation
    target: str
    role: str | None
    valid_at: Time | None
    invalid_at: Time | None
    said_at: datetime
    confidence: float
    message_ids: tuple[str, ...]

    @property
    def is_acquaintance(self) -> bool:
        """Whether it says only that the two have met in a chat."""
        return self.relation is Relation.KNOWS and not self.role

    def holds_at(self, moment: datetime) -> bool:
        """Whether it holds at that time."""
        begun = self.valid_at is None or self.valid_at <= moment
        return begun and (self.invalid_at is None or moment < self.invalid_at)
