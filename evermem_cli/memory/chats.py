"""Conversations and messages, as read from a transcript and as stored."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from enum import StrEnum

MAX_NAME = 80  # characters of a chat's name that is what somebody said in it
NAMED_SPEAKERS = 3  # speakers named where a chat has no title
ID_BEGINNING = 8  # characters of a session's id that the names of its files have

UNNAMED = "User"  # the speaker whom an export calls the user, without a name


def content_id(prefix: str, *parts: object) -> str:
    """An id that depends on the content alone, so that reading the same input twice adds nothing."""
    digest = hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).hexdigest()
    return f"{prefix}-{digest}"


class ChatKind(StrEnum):
    """Who takes part: a person and an assistant, or people."""

    ASSISTANT = "assistant"
    GROUP = "group"


def own_title(title: str, key: str, kind: ChatKind) -> str:
    """A chat's title; "" where it is the name of a session's file, which is made of the session's id, `key`."""
    is_id = title == key or (len(key) >= ID_BEGINNING and key[:ID_BEGINNING] in title)
    return "" if is_id and kind is ChatKind.ASSISTANT else title


def chat_name(title: str, key: str, kind: ChatKind, opening: str, speakers: Sequence[str]) -> str:
    """What a chat is called wherever it is named.

    That is its own title, else what a person said first to an assistant, else who speaks.
    """
    if own := own_title(title, key, kind):
        return own
    line = " ".join(opening.split()) if kind is ChatKind.ASSISTANT else ""
    beginning = line if len(line) <= MAX_NAME else line[: MAX_NAME - 1] + "…"
    return beginning or title or ", ".join(speakers[:NAMED_SPEAKERS]) or key


class Role(StrEnum):
    """A speaker's role in the chat."""

    USER = "user"
    ASSISTANT = "assistant"
    PARTICIPANT = "participant"


class TimeSource(StrEnum):
    """How a message's time is known."""

    EXPLICIT = "explicit"  # date, time and zone are in the transcript
    ASSUMED = "assumed"  # date and time are in the transcript; the zone was assumed
    UNKNOWN = "unknown"  # the transcript has no time; it is from --date, the file's name or the file's date


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a transcript, before it belongs to a stored conversation.

    `sent_at` is aware, in the speaker's zone, which decides what "tomorrow" means. `time_source` tells how certain it
    is. `external_id` is the transcript's own id or None. `line` counts from 1, for error messages. `unnamed` is true
    where the export calls the speaker the user and nothing else, so that `speaker` comes from the settings, and
    `is_edited` where it says that the text was another one before.
    """

    speaker: str
    text: str
    sent_at: datetime
    role: Role = Role.PARTICIPANT
    unnamed: bool = False
    is_edited: bool = False
    time_source: TimeSource = TimeSource.EXPLICIT
    external_id: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """One conversation read from an export. `key` is the export's own id of it or None.

    Of a note, whose key is the path of its file, `is_gone` tells whether the file of another key is no longer there.
    Where a later export may give the same chat another key, `is_same` tells by key and title whether a chat is it.
    `guesses` lists in a few words each what was inferred or assumed, since neither the export nor the user states it.
    """

    format: str
    kind: ChatKind
    turns: tuple[Turn, ...]
    key: str | None = None
    title: str = ""
    guesses: tuple[str, ...] = ()
    is_gone: Callable[[str], bool] | None = None
    is_same: Callable[[str, str], bool] | None = None


@dataclass(frozen=True, slots=True)
class KnownNote:
    """A note as stored: the id and the key of its conversation, and the ids and texts of its messages in order."""

    id: str
    key: str
    sections: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A part of an input that could not be used: its place, and the reason on one line. `line` counts from 1."""

    path: str
    reason: str
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """Messages of an input that were left out, since they belong to no conversation: their number and plural kind."""

    path: str
    reason: str
    messages: int


Finding = Problem | Skipped  # what a reader reports besides transcripts


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
class ChatOutline:
    """How many messages a stored conversation has, when it began and ended, and what a person said first in it.

    `opening` is "" where only an assistant speaks. `name` is what `chat_name` says. `is_alone`: nobody but the
    user speaks, as in notes.
    """

    message_count: int
    first_at: datetime
    last_at: datetime
    opening: str
    name: str
    is_alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A stored message.

    `ordinal` is its place in the conversation, from 1; `utc_offset` is that of the speaker's zone.
    """

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
        """The time on the speaker's clock, which decides what "tomorrow" means."""
        return self.said_at.astimezone(timezone(self.utc_offset))

    @property
    def search_text(self) -> str:
        """The text that is indexed."""
        return self.text
