"""How a transcript is to be read: format, zone of times that carry none, date of undated files, the user's name."""

import datetime
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """What the user says about a transcript.

    `format` is a name of `FORMATS`, None to detect it. `tz` is the zone of times without one. `date` is the day of a
    transcript that has no dates, None to look for it in the file and its name. `me` is the user's own name, "" if
    unknown; it replaces "User", "You" and the like.
    """

    tz: datetime.tzinfo
    format: str | None = None
    date: datetime.date | None = None
    me: str = ""
