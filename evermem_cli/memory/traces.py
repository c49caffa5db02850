"""What is made of a conversation: MemCells, and the episodes, facts and foresights that come from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from evermem_cli.memory.chats import ChatKind, Message
from evermem_cli.memory.consolidated import Accord
from evermem_cli.memory.strength import Strength
from evermem_cli.memory.times import Time


class Policy(StrEnum):
    """Which memories are extracted from a chat of people; a chat with an assistant yields the same under each.

    `all` is one episode, facts and foresights. The documents' v1.1 is an episode for all and one for each speaker,
    v1.0 these and facts and foresights that hang on them.
    """

    ALL = "all"
    V1_0 = "v1.0"
    V1_1 = "v1.1"


class Extraction(StrEnum):
    """How far a MemCell is on its way through the language model."""

    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemCell:
    """One topic of one conversation: the container that all derived memory comes from.

    `open` while its topic may still go on with the next message. `policy` and `extraction` tell what the language
    model made, or is to make, of it. Consolidation sets `scene_id`.
    """

    event_id: str
    conversation_id: str
    group_id: str
    kind: ChatKind
    messages: tuple[Message, ...]
    boundary_reason: str
    open: bool
    policy: Policy
    extraction: Extraction = Extraction.PENDING
    summary: str = ""
    scene_id: str | None = None

    @property
    def start_at(self) -> datetime:
        """When its first message was said."""
        return self.messages[0].said_at

    @property
    def end_at(self) -> datetime:
        """When its last message was said; the documents' `timestamp`."""
        return self.messages[-1].said_at

    @property
    def participants(self) -> tuple[str, ...]:
        """Names of the speakers in order of first appearance."""
        return tuple(dict.fromkeys(message.speaker for message in self.messages))


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """The narrative of a MemCell: third person where `user_id` is None (group), else that person's own view."""

    id: str
    user_id: str | None
    subject: str
    summary: str
    episode: str
    memcell_event_id_list: tuple[str, ...]
    said_at: datetime

    @property
    def search_text(self) -> str:
        """What search looks at."""
        return f"{self.subject}. {self.episode}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One atomic fact (an event log record). Valid in [valid_at, invalid_at); None is unknown or open."""

    id: str
    atomic_fact: str
    speaker: str
    user_id: str
    group_id: str
    parent_type: str
    parent_id: str
    said_at: datetime
    valid_at: Time | None
    invalid_at: Time | None
    confidence: float
    message_ids: tuple[str, ...]

    @property
    def search_text(self) -> str:
        """What search looks at."""
        return self.atomic_fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Foresight:
    """Something expected: valid from `start_time` to `end_time`, both inclusive; no end means open."""

    id: str
    foresight: str
    evidence: str
    user_id: str
    start_time: Time
    end_time: Time | None
    duration_days: int | None
    duration_type: str
    confidence: float
    parent_type: str
    parent_id: str
    said_at: datetime
    message_ids: tuple[str, ...]

    def is_valid_at(self, moment: datetime) -> bool:
        """Whether it holds at `moment`; both ends are inclusive."""
        return self.start_time <= moment and (self.end_time is None or moment <= self.end_time)

    @property
    def search_text(self) -> str:
        """What search looks at."""
        return self.foresight


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """All that the language model made of one MemCell, with what it cost and how much was not supported."""

    summary: str
    episodes: tuple[Episode, ...] = ()
    facts: tuple[Fact, ...] = ()
    foresights: tuple[Foresight, ...] = ()
    dropped: int = 0
    llm_calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0

    @property
    def memories(self) -> tuple[Episode | Fact | Foresight, ...]:
        """All of them: episodes, then facts, then foresights."""
        return (*self.episodes, *self.facts, *self.foresights)


@dataclass(frozen=True, slots=True, kw_only=True)
class CellContents:
    """A MemCell with all that was made of it."""

    cell: MemCell
    episodes: tuple[Episode, ...]
    facts: tuple[Fact, ...]
    foresights: tuple[Foresight, ...]
    strengths: Mapping[str, Strength] = field(default_factory=dict)  # by id, of its messages and of all these
    accords: Mapping[str, Accord] = field(default_factory=dict)  # of its facts that others speak for or against
