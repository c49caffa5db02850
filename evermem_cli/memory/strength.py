"""The strength of a memory, and how it fades."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

GREATEST_STRENGTH = 5.0  # the upper limit of a strength
NEW = 1.0  # the strength of a new memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Fading:
    """The share of a memory's strength that is left after a week without access, and the threshold for archiving."""

    decay: float = 0.95
    archive_below: float = 0.1

    def left(self, strength: float, unread: timedelta) -> float:
        """The strength left after so long without access."""
        return strength * math.pow(self.decay, max(0.0, unread / timedelta(weeks=1)))

    def oldest(self, clock: datetime) -> datetime:
        """The latest creation time of memories that are archived at `clock` because nobody accessed them."""
        ever = clock - datetime.min.replace(tzinfo=clock.tzinfo)
        if self.decay >= 1 or self.archive_below <= 0:
            return clock - ever
        weeks = math.log(self.archive_below / NEW) / math.log(self.decay)
        return clock - timedelta(weeks=min(weeks, ever / timedelta(weeks=1)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """The strength of a memory at a moment, and how often it was shown. `archived` memories are left out of answers."""

    strength: float
    last_accessed: datetime | None
    access_count: int
    archived: bool
