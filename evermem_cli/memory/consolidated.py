"""What consolidation derives from many MemCells: scenes, profiles with their history, and conflicts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from evermem_cli.memory.statements import Stance
from evermem_cli.memory.times import Time


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """What somebody stated of themselves under one attribute ("diet: vegan"), before other statements are considered.

    `valid_at` is when it became true, or, if it ended, when it ended; None is unknown. `invalid_at` is an end stated
    with it. The value "" of something that ended means any value; the value "" of an accepted offer means the last one
    offered. `fact_ids` are the stored facts that state it. Profiles use only assertions that are `sure`. Moments are in
    the speaker's zone, so that they can be compared with days.
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
    """A value that held in [valid_at, invalid_at); None is unknown or open. `said_at` is when it was first stated.

    `ended_by` are the assertions that ended it; empty where its end was stated with it or it has not ended.
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
        """The messages behind it, in order of time."""
        return tuple(dict.fromkeys(message_id for assertion in self.assertions for message_id in assertion.message_ids))

    @property
    def source_scenes(self) -> tuple[str, ...]:
        """The scenes behind it."""
        return tuple(dict.fromkeys(assertion.scene_id for assertion in self.assertions if assertion.scene_id))

    def holds_at(self, moment: datetime) -> bool:
        """Whether it is true at that time."""
        begun = self.valid_at is None or self.valid_at <= moment
        return begun and (self.invalid_at is None or moment < self.invalid_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trait:
    """A pattern in what somebody does or likes; tentative until several conversations show it."""

    trait: str
    confidence: float
    tentative: bool
    said_at: datetime
    message_ids: tuple[str, ...]
    source_scenes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A person's profile: values by attribute, oldest first; either those that held at `as_of` or all."""

    user_id: str
    name: str
    as_of: datetime
    facts: dict[str, tuple[ProfileFact, ...]]
    traits: tuple[Trait, ...]
    last_updated: datetime | None

    @property
    def is_known(self) -> bool:
        """Whether it tells anything."""
        return bool(self.facts or self.traits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two statements that cannot both be true. The newer one is taken as true: `resolution` is recency_wins.

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
    """MemCells about one thing, close in time. `previous_scene_id` is the scene that this one continues."""

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
    """A summary of MemCells about one thing, oldest first, made of sentences from their episodes.

    `conversation_id` is that of the last MemCell, which ended at `said_at`. `message_ids` are those of all of them.
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
        """None: a digest is not told from one person's view."""
        return None

    @property
    def search_text(self) -> str:
        """The text that is indexed."""
        return f"{self.subject}. {self.digest}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEvent:
    """An entry of a timeline: something that happened (a MemCell's episode) or changed in a profile.

    `title` is one line, `text` a few sentences if there is more to say. `values` are those before and after a change of
    one value to another.
    """

    at: Time
    kind: str
    title: str
    text: str
    theme: str
    people: tuple[str, ...]
    id: str
    message_ids: tuple[str, ...]
    values: tuple[ProfileFact, ProfileFact] | None = None


class Effect(StrEnum):
    """The effect of one fact on another: it confirms, ends or replaces it."""

    CONFIRMS = "confirms"
    ENDS = "ends"


class FactEffect(NamedTuple):
    """The effect that the fact `other` has on the fact `fact`, by their ids."""

    fact: str
    other: str
    effect: Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class FactSupport:
    """The facts that confirm a fact and those that ended it, by id, each with its own confidence."""

    confirmed_by: Mapping[str, float] = field(default_factory=dict)
    ended_by: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What every memory has, whatever its kind, except strength and tier.

    `context` is the domain, theme or type of assistant; `sources` are the ids that the memory is made of;
    `contradictions` are the facts that ended it. `support` is that of a fact, if it has one.
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
    support: FactSupport | None = None
