"""What a user does to memory and can take back, and what was wrong in it by the user's own word."""

import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from evermem_cli.memory.times import Time


class ActionKind(StrEnum):
    """What a user can do to memory. All but forgetting and sync can be taken back."""

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
    """One thing that a user has done, perhaps in several transactions."""

    kind: ActionKind
    id: str = field(default_factory=lambda: f"action-{uuid.uuid4().hex[:16]}")
    done_at: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True, slots=True, kw_only=True)
class Undoing:
    """What taking back the last action does.

    `messages` go, those of `chats`; `changed` counts older messages and memories that get back what they had. `texts`
    are what goes, and what comes back for it: a correction and what was wrong, a name and another.
    """

    action: Action
    messages: int = 0
    chats: tuple[str, ...] = ()
    changed: int = 0
    texts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What the user states in place of a wrong memory.

    `memory_id` names the wrong memory as it was read, of a kind (fact, foresight, assertion, episode), `wrong` what it
    said, of `user_id`, from `valid_at` on, drawn from `message_ids`. `statement_id` is the message in which the user
    states what is right; None where that is a title.
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
class Owned:
    """Under which names a user speaks in chats of people, and under which others do, with how many messages."""

    names: dict[str, int]
    others: dict[str, int]
