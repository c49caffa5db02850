"""When something is true: from a moment on, or from a day, month or year of the calendar on, which is of no zone."""

from dataclasses import dataclass, field
from datetime import datetime, tzinfo


@dataclass(frozen=True, slots=True)
class CalendarTime:
    """A day, month or year that somebody named: the same one in every zone.

    `wall` is what a clock shows as it begins or ends, wherever that clock is. `grain` is the unit named, one of
    `timespan.GRAINS` from "day" on. It is compared with a moment by the clock of the moment's own zone.
    """

    wall: datetime
    grain: str = field(compare=False)

    def __str__(self) -> str:
        return str(self.wall)

    def __lt__(self, other: "Time") -> bool:
        return self.wall < wall(other)

    def __le__(self, other: "Time") -> bool:
        return self.wall <= wall(other)

    def __gt__(self, other: "Time") -> bool:
        return self.wall > wall(other)

    def __ge__(self, other: "Time") -> bool:
        return self.wall >= wall(other)


Time = datetime | CalendarTime
# The names under which nouns have such times.
TIMES = ("valid_at", "invalid_at", "start_time", "end_time", "old_timestamp", "new_timestamp")


def wall(time: Time) -> datetime:
    """What a clock shows then, without zone: that of the moment's own zone, any for a day."""
    return time.wall if isinstance(time, CalendarTime) else time.replace(tzinfo=None)


def seen_from(time: Time, zone: tzinfo | None) -> Time:
    """A moment by the clock of this zone; a day is the same one."""
    return time if isinstance(time, CalendarTime) else time.astimezone(zone)


def moment_in(time: Time, zone: tzinfo | None) -> datetime:
    """The moment that it is for somebody in this zone."""
    return time.wall.replace(tzinfo=zone) if isinstance(time, CalendarTime) else time.astimezone(zone)


def grain_of(time: Time | None) -> str | None:
    """The unit in which it was told; None for a moment."""
    return time.grain if isinstance(time, CalendarTime) else None


def grain_name(name: str) -> str:
    """What the grain of a time is called beside it: `valid_grain` of `valid_at`."""
    return f"{name.rpartition('_')[0]}_grain"
