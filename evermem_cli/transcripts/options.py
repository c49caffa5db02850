"""How a transcript is to be read: format, zone and order of dates, the date of undated files, the user's name."""

import datetime
from dataclasses import dataclass
from enum import StrEnum

from evermem_cli.errors import UsageError


class DateOrder(StrEnum):
    """The order of day, month and year in a date like 03/06/2024."""

    DMY = "dmy"
    MDY = "mdy"
    YMD = "ymd"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """What the user states about a transcript.

    `format` is a name of `FORMATS`, None to detect it. `tz` is the zone of times without one, `tz_named` whether the
    user chose it. `date` is the day of a transcript without dates, None to look for it in the file and its name.
    `date_order` applies to ambiguous dates, None to reject these. `me` is the user's own name, "" if unknown; it
    replaces "User", "You" and the like.
    """

    tz: datetime.tzinfo
    format: str | None = None
    tz_named: bool = True
    date: datetime.date | None = None
    date_order: DateOrder | None = None
    me: str = ""


def date_order(name: str | None) -> DateOrder | None:
    """The order for the value of the option. Raises UsageError for an unknown value."""
    try:
        return DateOrder(name) if name else None
    except ValueError as error:
        raise UsageError(f"no such order of dates: {name}", f"--date-order is one of {', '.join(DateOrder)}") from error
