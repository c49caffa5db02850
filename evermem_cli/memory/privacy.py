"""What is kept, what is forgotten, and who may see it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is to be forgotten: by id, or the messages of a user's own chats that all the other marks fit.

    `ids` and `conversation` may be beginnings of ids. `words` are normalised as for the index; every one must occur.
    `before` is exclusive, `after` inclusive.
    """

    user_id: str
    ids: tuple[str, ...] = ()
    conversation: str | None = None
    person: str | None = None
    before: datetime | None = None
    after: datetime | None = None
    words: tuple[str, ...] = ()

    @property
    def marks(self) -> bool:
        """Whether anything but ids selects."""
        return any((self.conversation, self.person, self.before, self.after, self.words))


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """How many rows of each kind are forgotten; `pending` MemCells lost some messages and are to be formed anew."""

    counts: dict[str, int]
    pending: int

    @property
    def nothing(self) -> bool:
        """Whether nothing was selected."""
        return not any(self.counts.values())


class Tier(StrEnum):
    """Who may see a memory: every agent, an agent that says what for, the owner alone."""

    PUBLIC = "public"
    SENSITIVE = "sensitive"
    PRIVATE = "private"


REASON_LENGTH = 20  # what is sensitive opens to a reason longer than this (REQUIREMENTS.md N)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessEntry:
    """One line of the access log, naive UTC; `sensitive` tells whether the reason opened what is sensitive."""

    read_at: datetime
    agent: str
    reason: str
    command: str
    sensitive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """On whose behalf memory is read, what for, and by which command. `tiers` are those of the domains."""

    agent: str
    reason: str
    command: str
    tiers: Mapping[str, Tier]

    @property
    def hidden(self) -> tuple[Tier, ...]:
        """The tiers that stay hidden from this agent."""
        told = len(self.reason.strip()) > REASON_LENGTH
        return (Tier.PRIVATE,) if told else (Tier.PRIVATE, Tier.SENSITIVE)

    def entry(self, read_at: datetime) -> AccessEntry:
        """What the access log says of it."""
        return AccessEntry(
            read_at=read_at.astimezone(UTC).replace(tzinfo=None),
            agent=self.agent,
            reason=self.reason,
            command=self.command,
            sensitive=Tier.SENSITIVE not in self.hidden,
        )
