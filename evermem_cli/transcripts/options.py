"""How a transcript is to be read: format, zone and order of dates, date of undated files, the user's name."""

import datetime
from dataclasses import dataclass
from enum import StrEnum

from evermem_cli.errors import UsageError


class DateOrder(StrEnum):
    """Where day, month and year stand in a date like 03/06/2024."""

    DMY = "dmy"
    MDY = "mdy"
    YMD = "ymd"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """What the user says about a transcript.

    `format` is a name of `FORMATS`, None to detect it. `tz` is the zone of times without one, `tz_named` whether the
    user chose it. `date` is the day of a transcript that has no dates, None to look for it in the file and its name.
    `date_order` is how dates are to be read that do not tell by themselves, None to refuse these. `me` is the user's
    own name, "" if unknown; it replaces "User", "You" and the like.
    """

    tz: datetime.tzinfo
    format: str | None = None
    tz_named: bool = True
    date: datetime.date | None = None
    date_order: DateOrder | None = None
    me: str = ""


def date_order(name: str | None) -> DateOrder | None:
    """The order that an option names. Raises UsageError if there is none such."""
    try:
        return DateOrder(name) if name else None
    except ValueError as error:
        raise UsageError(f"no such order of dates: {name}", f"--date-order is one of {', '.join(DateOrder)}") from error
