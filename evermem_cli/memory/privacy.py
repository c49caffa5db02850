"""Forgetting and privacy: what to forget, privacy tiers, and access by agents."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What to forget: memories by id, or the messages of a user's own chats that match all other criteria.

    `ids` and `conversation` may be prefixes of ids. `person` is an id or a whole name. `words`
    are normalised as in the index, and all of them must occur. `before` is exclusive, `after` inclusive.
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
        """Whether there are criteria besides ids."""
        return any((self.conversation, self.person is not None, self.before, self.after, self.words))


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """How many rows of each kind are forgotten. `pending` MemCells lost some messages, or a correction of what they
    say, and will be formed anew. `stated` are the user's words in the corrections that go.
    """

    counts: dict[str, int]
    pending: int
    stated: tuple[str, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether nothing matched."""
        return not any(self.counts.values())


class Tier(StrEnum):
    """Who may see a memory: every agent, an agent that gives a reason, or the owner alone."""

    PUBLIC = "public"
    SENSITIVE = "sensitive"
    PRIVATE = "private"


REASON_LENGTH = 20  # a reason must be longer than this to unlock sensitive memories


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessEntry:
    """One line of the access log, in UTC. `sensitive` tells whether the reason unlocked sensitive memories."""

    read_at: datetime
    agent: str
    reason: str
    command: str
    sensitive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Who reads memory, why, and by which command. `tiers` are those of the domains."""

    agent: str
    reason: str
    command: str
    tiers: Mapping[str, Tier]

    @property
    def hidden(self) -> tuple[Tier, ...]:
        """The tiers that this agent may not see."""
        is_explained = len(self.reason.strip()) > REASON_LENGTH
        return (Tier.PRIVATE,) if is_explained else (Tier.PRIVATE, Tier.SENSITIVE)

    def entry(self, read_at: datetime) -> AccessEntry:
        """Its line of the access log."""
        return AccessEntry(
            read_at=read_at.astimezone(UTC),
            agent=self.agent,
            reason=self.reason,
            command=self.command,
            sensitive=Tier.SENSITIVE not in self.hidden,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaUse:
    """An area of life with its tier, and how many messages and facts are about it by their own words."""

    area: str
    tier: Tier
    messages: int
    facts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyInForce:
    """All areas, the number of messages, and how many an assistant is not shown: without a reason, and with one."""

    areas: tuple[AreaUse, ...]
    messages: int
    withheld: int
    withheld_with_reason: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Why an assistant is not shown a memory: the memory or assertion `id`, itself or another, has this tier.

    `domain` is what that one is about; None for one without a domain of its own, of which the user has set the tier.
    """

    id: str
    tier: Tier
    domain: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSetting:
    """A memory's tier, None where it is that of its messages, and how many memories were just given it."""

    id: str
    tier: Tier | None
    domain: str | None
    covered: int
