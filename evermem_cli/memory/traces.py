"""What is formed from a conversation: MemCells, and their episodes, facts and foresights."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from evermem_cli.memory.chats import ChatKind, Message, content_id
from evermem_cli.memory.consolidated import FactSupport
from evermem_cli.memory.strength import Strength
from evermem_cli.memory.times import Time


def forgotten_mark(*known_by: str) -> str:
    """A digest by which a memory that is formed again is recognised as one that the user forgot.

    `known_by` is its own id where that never changes; of an episode, fact or foresight, whose id changes with its
    topic, "episode", "fact" or "foresight", the id of the last message that it was drawn from, and its text.
    """
    return content_id("forgotten", *known_by)


class Policy(StrEnum):
    """Which memories are formed from chats between people. Chats with assistants yield the same under each policy.

    `all` forms one episode, facts and foresights. The other two are named after versions of EverMemOS's memory types:
    `v1.1` forms an episode for all and one per speaker; `v1.0` forms these, and facts and foresights that belong to
    each.
    """

    ALL = "all"
    V1_0 = "v1.0"
    V1_1 = "v1.1"


class Extraction(StrEnum):
    """The state of a MemCell in extraction by the language model."""

    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemCell:
    """One topic of one conversation: the container of everything derived from its messages.

    `open` while the next message may still belong to the topic. `policy` and `extraction` tell what the language model
    formed, or will form. Consolidation sets `scene_id`. `is_formed`: by code or a model. `forgotten` has the marks of
    what the user forgot, here and elsewhere, with the messages that each knows.
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
    is_formed: bool = False
    forgotten: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def start_at(self) -> datetime:
        """When its first message was said."""
        return self.messages[0].said_at

    @property
    def end_at(self) -> datetime:
        """When its last message was said; EverMemOS calls it `timestamp`."""
        return self.messages[-1].said_at

    @property
    def participants(self) -> tuple[str, ...]:
        """The speakers' names in order of first appearance."""
        return tuple(dict.fromkeys(message.speaker for message in self.messages))


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """The narrative of a MemCell: in the third person where `user_id` is None (group), else from that person's view."""

    id: str
    user_id: str | None
    subject: str
    summary: str
    episode: str
    memcell_event_id_list: tuple[str, ...]
    said_at: datetime

    @property
    def search_text(self) -> str:
        """The text that is indexed."""
        return f"{self.subject}. {self.episode}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One atomic fact (an event log record), valid in [valid_at, invalid_at); None is unknown or open."""

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
        """The text that is indexed."""
        return self.atomic_fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Foresight:
    """Something expected from `start_time` to `end_time`, both inclusive; no end means open.

    `predicted`: nobody said it; the language model expects it.
    """

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
    predicted: bool = False

    @property
    def search_text(self) -> str:
        """The text that is indexed."""
        return self.foresight


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """Everything formed from one MemCell, what it cost, and how much was dropped as unsupported.

    `failure` tells why a part that the model should have written is code's; empty where nothing is to be tried again.
    """

    summary: str
    episodes: tuple[Episode, ...] = ()
    facts: tuple[Fact, ...] = ()
    foresights: tuple[Foresight, ...] = ()
    dropped: int = 0
    failure: str = ""
    llm_calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0

    @property
    def memories(self) -> tuple[Episode | Fact | Foresight, ...]:
        """All memories: episodes, then facts, then foresights."""
        return (*self.episodes, *self.facts, *self.foresights)


@dataclass(frozen=True, slots=True, kw_only=True)
class CellContents:
    """A MemCell with everything formed from it."""

    cell: MemCell
    episodes: tuple[Episode, ...]
    facts: tuple[Fact, ...]
    foresights: tuple[Foresight, ...]
    # by id; of its messages, episodes, facts and foresights
    strengths: Mapping[str, Strength] = field(default_factory=dict)
    supports: Mapping[str, FactSupport] = field(
        default_factory=dict
    )  # of those facts that others confirm or contradict
