"""Repairs of memory: the actions that a user can undo, and corrections."""

import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from evermem_cli.memory.times import Time


class ActionKind(StrEnum):
    """What a user can do to memory. All but forgetting and sync can be undone."""

    INGEST = "ingest"
    REMEMBER = "remember"
    CORRECT = "correct"
    ME = "me"
    MERGE = "merge"
    SPLIT = "split"
    PRIVACY = "privacy"
    FORGET = "forget"
    SYNC = "sync"


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One action of the user, which may span several transactions."""

    kind: ActionKind
    id: str = field(default_factory=lambda: f"action-{uuid.uuid4().hex[:16]}")
    done_at: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True, slots=True, kw_only=True)
class Undoing:
    """What undoing the last action does.

    `messages` of `chats` are removed. `changed` counts older messages and memories that are restored. `texts` are pairs
    of what is removed and what is restored: a correction and the wrong memory, one name and another.
    """

    action: Action
    messages: int = 0
    chats: tuple[str, ...] = ()
    changed: int = 0
    texts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A statement of the user that replaces a wrong memory.

    `memory_id` identifies the wrong memory as it was, of a kind (fact, foresight, assertion, episode). `wrong` is its
    text, of `user_id`, from `valid_at` on, derived from `message_ids`. `statement_id` is the message with the user's
    statement; None where that is a title.
    """

    id: str
    memory_id: str
    kind: str
    user_id: str
    attribute: str
    wrong: str
    stated: str
    valid_at: Time | None
    message_ids: tuple[str, ...]
    statement_id: str | None
    corrected_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NameOwnership:
    """The names under which a user speaks in chats between people, and those of everybody else, with message counts."""

    names: dict[str, int]
    others: dict[str, int]
