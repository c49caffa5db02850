"""The nouns of the system: what is read, what is remembered, what is found. Times are aware UTC datetimes."""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from enum import StrEnum


def content_id(prefix: str, *parts: object) -> str:
    """An id that depends on nothing but the content, so that reading the same thing twice adds nothing."""
    digest = hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).hexdigest()
    return f"{prefix}-{digest}"


class ChatKind(StrEnum):
    """Who talks: a person with an assistant, or people with each other."""

    ASSISTANT = "assistant"
    GROUP = "group"


class Role(StrEnum):
    """A speaker's part in the chat."""

    USER = "user"
    ASSISTANT = "assistant"
    PARTICIPANT = "participant"


class TimeSource(StrEnum):
    """Where a message's time comes from."""

    EXPLICIT = "explicit"  # date, time and zone stand in the transcript
    ASSUMED = "assumed"  # date and time stand there, the zone was assumed
    UNKNOWN = "unknown"  # the transcript gives no time: taken from --date, the file's name or its own date


class Kind(StrEnum):
    """What a search result is."""

    MESSAGE = "message"
    EPISODE = "episode"
    FACT = "fact"
    FORESIGHT = "foresight"


class Policy(StrEnum):
    """Which memories are extracted from a group chat: v1.1 episodes only, v1.0 facts and foresights too."""

    V1_0 = "v1.0"
    V1_1 = "v1.1"


class Extraction(StrEnum):
    """How far a MemCell is on its way through the language model."""

    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message as a transcript has it, before it belongs to a stored conversation.

    `sent_at` is aware, in the speaker's zone, from which "tomorrow" counts; `time_source` tells how sure it is.
    `external_id` is the transcript's own id, None where it gave none. `line` counts from 1 for error messages.
    """

    speaker: str
    text: str
    sent_at: datetime
    role: Role = Role.PARTICIPANT
    time_source: TimeSource = TimeSource.EXPLICIT
    external_id: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """One conversation as read from an export. `key` is the export's own id of it, None where it has none."""

    format: str
    kind: ChatKind
    turns: tuple[Turn, ...]
    key: str | None = None
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A part of an input that could not be used: where, and why in one line. `line` counts from 1."""

    path: str
    reason: str
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A stored conversation."""

    id: str
    key: str
    title: str
    kind: ChatKind
    format: str
    group_id: str
    user_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A stored message. `ordinal` is its place in the conversation from 1; `utc_offset` the speaker's own zone."""

    id: str
    conversation_id: str
    ordinal: int
    external_id: str
    speaker: str
    user_id: str
    role: Role
    text: str
    said_at: datetime
    utc_offset: timedelta = timedelta()
    time_source: TimeSource = TimeSource.EXPLICIT

    @property
    def local_time(self) -> datetime:
        """When it was said, on the speaker's clock: what "tomorrow" is counted from."""
        return self.said_at.astimezone(timezone(self.utc_offset))

    @property
    def search_text(self) -> str:
        """What search looks at."""
        return self.text


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
    valid_at: datetime | None
    invalid_at: datetime | None
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
    start_time: datetime
    end_time: datetime | None
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A search result: a memory with its score, its times and the messages that support it, in order."""

    id: str
    kind: Kind
    text: str
    score: float
    speaker: str | None
    said_at: datetime
    valid_at: datetime | None
    invalid_at: datetime | None
    conversation: str
    scene: str | None = None
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What a search may return. `as_of` asks what was true then, `known_at` what had been told by then.

    `since` and `until` bound when it was said, both inclusive. None does not filter; no kinds means all.
    """

    user_id: str | None = None
    kinds: tuple[Kind, ...] = ()
    as_of: datetime | None = None
    known_at: datetime | None = None
    since: datetime | None = None
    until: datetime | None = None
    ended: bool = True  # with `as_of`: keep facts that were over by then, as dated history


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What is in the memory file. `pending` counts MemCells that wait for the language model."""

    schema_version: int
    embedder: str
    dimension: int
    counts: dict[str, int]
    pending: int
    failed: int
    unindexed: int  # memories written since the keyword index was built
