"""Times of validity: a moment, or a day, month or year of the calendar, which has no zone."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo


@dataclass(frozen=True, slots=True)
class CalendarTime:
    """A day, month or year that somebody named: the same in every zone.

    `wall` is the local time at which it begins or ends, wherever the clock is. `grain` is the unit named, one of
    `timespan.GRAINS` from "day" on. It is compared with a moment on the clock of the moment's own zone.
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
# The fields that hold such times.
TIMES = ("valid_at", "invalid_at", "start_time", "end_time", "old_timestamp", "new_timestamp")


def wall(time: Time) -> datetime:
    """The local time without its zone. For a moment it is the time in the moment's own zone."""
    return time.wall if isinstance(time, CalendarTime) else time.replace(tzinfo=None)


def seen_from(time: Time, zone: tzinfo | None) -> Time:
    """The moment in this zone; a calendar time is the same everywhere."""
    return time if isinstance(time, CalendarTime) else time.astimezone(zone)


def utc_text(moment: datetime, timespec: str = "auto") -> str:
    """The moment in UTC as ISO 8601 with a "Z"."""
    return moment.astimezone(UTC).isoformat(timespec=timespec).replace("+00:00", "Z")


def moment_in(time: Time, zone: tzinfo | None) -> datetime:
    """The moment at which the time begins in this zone."""
    return time.wall.replace(tzinfo=zone) if isinstance(time, CalendarTime) else time.astimezone(zone)


def grain_of(time: Time | None) -> str | None:
    """The unit in which the time was stated; None for a moment."""
    return time.grain if isinstance(time, CalendarTime) else None


def grain_name(name: str) -> str:
    """The name of the field with the grain of a time: `valid_grain` for `valid_at`."""
    return f"{name.rpartition('_')[0]}_grain"
