"""Who and what is spoken of: names in messages, what they name, and how that hangs together."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from evermem_cli.memory.times import Time


class EntityType(StrEnum):
    """What a name names."""

    PERSON = "person"
    ORGANIZATION = "organization"
    PLACE = "place"
    PRODUCT = "product"
    EVENT = "event"
    ANIMAL = "animal"


class Relation(StrEnum):
    """How somebody stands to somebody or something."""

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
    """A name in a message, and what the words around it show it to be; None where they do not."""

    name: str
    type: EntityType | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """All mentions of one name as one type: when each was said, and in which message, in order of time."""

    name: str
    type: EntityType | None
    said: tuple[tuple[datetime, str], ...]

    @property
    def first_at(self) -> datetime:
        """When it was named first."""
        return self.said[0][0]

    @property
    def last_at(self) -> datetime:
        """When it was named last."""
        return self.said[-1][0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Somebody who speaks under a name: how many messages, and from when to when."""

    name: str
    user_id: str
    messages: int
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """One thing or person with all its names, and the messages that name it, in order of time.

    `user_id` is that of a person who speaks, and `said` counts their messages. Times are of all of that.
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
        """In how many messages it is named."""
        return len(self.message_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Relationship:
    """What held in [valid_at, invalid_at) between two entities, by their ids; None is unknown or still.

    `role` says more where the words did: "cousin", "boss". `said_at` is when it was first told, by `message_ids`.
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

    def holds_at(self, moment: datetime) -> bool:
        """Whether it is so then."""
        begun = self.valid_at is None or self.valid_at <= moment
        return begun and (self.invalid_at is None or moment < self.invalid_at)
