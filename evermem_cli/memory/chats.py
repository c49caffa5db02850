"""What is read from a transcript, and how it is stored: conversations and their messages."""

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
    """One conversation as read from an export. `key` is the export's own id of it, None where it has none.

    `guesses` tells what neither the export nor the user states and was inferred or assumed, each in a few words.
    """

    format: str
    kind: ChatKind
    turns: tuple[Turn, ...]
    key: str | None = None
    title: str = ""
    guesses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A part of an input that could not be used: where, and why in one line. `line` counts from 1."""

    path: str
    reason: str
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """Messages of an input that are no conversation and were left out: how many, and what they are, in the plural."""

    path: str
    reason: str
    messages: int


Finding = Problem | Skipped  # what reading tells beside the transcripts


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
