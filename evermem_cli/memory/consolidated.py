"""What consolidation draws from many MemCells: scenes, what people are and how it changed, and conflicts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from evermem_cli.memory.statements import Stance
from evermem_cli.memory.times import Time


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """What somebody said of themselves under one attribute ("diet: vegan"), before it is weighed against the rest.

    `valid_at` is when it became true, or, where it ended, when it did so; None is unknown. `invalid_at` is an end that
    was told with it. A value that ended may be "", which is any; one that was taken is "", which is the last that was
    offered. `fact_ids` are the stored facts that state it. A profile rests only on what is `sure`. Moments are in the
    zone of whoever said it, by whose clock they are compared with the days told.
    """

    id: str
    user_id: str
    attribute: str
    value: str
    stance: Stance
    valid_at: Time | None
    invalid_at: Time | None
    said_at: datetime
    confidence: float
    message_ids: tuple[str, ...]
    scene_id: str | None = None
    fact_ids: tuple[str, ...] = ()
    sure: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileFact:
    """A value that held in [valid_at, invalid_at); None is unknown or still. `said_at` is when it was first told.

    `ended_by` are the assertions that ended it; empty where its end was told with it or it has none.
    """

    attribute: str
    value: str
    confidence: float
    valid_at: Time | None
    invalid_at: Time | None
    said_at: datetime
    assertions: tuple[Assertion, ...]
    ended_by: tuple[Assertion, ...] = ()

    @property
    def message_ids(self) -> tuple[str, ...]:
        """The messages it rests on, in order of time."""
        return tuple(dict.fromkeys(each for assertion in self.assertions for each in assertion.message_ids))

    @property
    def source_scenes(self) -> tuple[str, ...]:
        """The scenes it rests on."""
        return tuple(dict.fromkeys(assertion.scene_id for assertion in self.assertions if assertion.scene_id))

    def holds_at(self, moment: datetime) -> bool:
        """Whether it is true then."""
        begun = self.valid_at is None or self.valid_at <= moment
        return begun and (self.invalid_at is None or moment < self.invalid_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trait:
    """A pattern in what somebody does or likes; tentative until it was seen in several conversations."""

    trait: str
    confidence: float
    tentative: bool
    said_at: datetime
    message_ids: tuple[str, ...]
    source_scenes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is known of one person: each attribute's values, oldest first, those that held only at `as_of` or all."""

    user_id: str
    name: str
    as_of: datetime
    facts: dict[str, tuple[ProfileFact, ...]]
    traits: tuple[Trait, ...]
    last_updated: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two statements that cannot both be true. The newer is held true: `resolution` is recency_wins.

    `scope` is profile (two values of one attribute) or scene (two statements of one chain of scenes).
    """

    id: str
    scope: str
    user_id: str
    attribute: str
    old_value: str
    new_value: str
    old_timestamp: Time
    new_timestamp: Time
    old_messages: tuple[str, ...]
    new_messages: tuple[str, ...]
    resolution: str = "recency_wins"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """MemCells about one thing, close in time; `previous_scene_id` is the chapter that it goes on from."""

    scene_id: str
    user_id: str
    theme: str
    summary: str
    memcell_ids: tuple[str, ...]
    first_timestamp: datetime
    latest_timestamp: datetime
    previous_scene_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """What MemCells about one thing tell, oldest first, for all; made of their own sentences.

    `conversation_id` is that of the last of them, which ended at `said_at`; `message_ids` are all of theirs.
    """

    id: str
    conversation_id: str
    subject: str
    digest: str
    memcell_ids: tuple[str, ...]
    start_at: datetime
    said_at: datetime
    message_ids: tuple[str, ...]

    @property
    def user_id(self) -> None:
        """Nobody's own view."""
        return None

    @property
    def search_text(self) -> str:
        """What search looks at."""
        return f"{self.subject}. {self.digest}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """An entry of a timeline: what happened (a MemCell's episode), or what changed in a profile.

    `title` is one line, `text` a few sentences where there is more to say.
    """

    at: Time
    kind: str
    title: str
    text: str
    theme: str
    people: tuple[str, ...]
    id: str
    message_ids: tuple[str, ...]


class Effect(StrEnum):
    """What one fact does to another: it states the same, or what ended or replaced it."""

    CONFIRMS = "confirms"
    ENDS = "ends"


class Voice(NamedTuple):
    """What one fact, `other`, does to another; by their ids."""

    fact: str
    other: str
    effect: Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Accord:
    """The facts that confirm a fact, and those by which it ended: how sure each is by itself, by id."""

    confirmed_by: Mapping[str, float] = field(default_factory=dict)
    ended_by: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What every memory has, of whichever kind it is (REQUIREMENTS.md A8), but for strength and tier.

    `context` is the domain, theme or type of assistant that it belongs to, `sources` are what it was made of, and
    `contradictions` the facts that ended what it states, by their ids. `accord` is that of a fact, if it has one.
    """

    id: str
    kind: str
    content: str
    context: str | None
    valid_at: Time | None
    invalid_at: Time | None
    created_at: datetime
    sources: tuple[str, ...]
    confidence: float
    contradictions: tuple[str, ...]
    accord: Accord | None = None
