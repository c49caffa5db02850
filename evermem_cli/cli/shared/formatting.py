"""How days, numbers and long texts are printed."""

import re
from datetime import date, datetime, time, timedelta, tzinfo

from evermem_cli.languages.labels import label_of
from evermem_cli.memory import Time, grain_of, moment_in

DIM = "dim"
INTERFACE = "en"  # the language of headings and of the names of attributes; values stay as said
TOPICS = {"memcells": "topics"}  # words shown instead of technical ones
# Shown where the day is unknown.
LONG = dict.fromkeys(("month", "season", "quarter", "half"), "%b %Y") | dict.fromkeys(
    ("year", "decade", "century"), "%Y"
)
WEEKS = {"week": 7, "weekend": 2}  # days of what is told by its first day
TORN = ",;:-–，、；："  # marks that stand at no end of a text that was cut
EXCERPT = 300  # characters of a message in a list; `show` prints it whole


def heading(attribute: str) -> str:
    """The name of an attribute, in the language of the interface."""
    return label_of(attribute, INTERFACE)


def day(time: Time, zone: tzinfo) -> str:
    """As "6 Jan 2025", or as precisely as it was stated: "the week of 6 Jan 2025", "Jan 2025", "2025"."""
    local, grain = moment_in(time, zone), grain_of(time) or ""
    whole = f"the {grain} of " if grain in WEEKS else ""
    return whole + format(local, LONG.get(grain, f"{local.day} %b %Y"))


def value_shown(value: str) -> str:
    """A value as people read it: of a thing the day on which it is, "2025-06-03", as "3 Jun 2025"."""
    try:
        named = date.fromisoformat(value) if len(value) == len("2025-06-03") else None
    except ValueError:
        named = None
    return f"{named.day} {named:%b %Y}" if named else value


def month(time: Time, zone: tzinfo) -> str:
    """As "January 2025"; "2025" where the month is unknown."""
    whole_year = LONG.get(grain_of(time) or "") == "%Y"
    return f"{moment_in(time, zone):{'%Y' if whole_year else '%B %Y'}}"


def bounds(first: datetime | None, last: datetime | None, zone: tzinfo, names: tuple[str, str]) -> str:
    """As "since 1 October 2026, until 31 October 2026"; `names` are what the two moments are called. "" without them.

    The time of day is left out at the very beginning and end of a day.
    """
    named = zip(names, (first, last), strict=True)
    return ", ".join(f"{name} {whole_day_or_minute(moment.astimezone(zone))}" for name, moment in named if moment)


def whole_day_or_minute(local: datetime) -> str:
    """As "1 October 2026", or "1 October 2026, 09:30" where it is neither the beginning nor the end of a day."""
    clock = "" if local.time() in (time.min, time.max) else f", {local:%H:%M}"
    return f"{local.day} {local:%B %Y}{clock}"


def day_of_month(time: Time, zone: tzinfo) -> str:
    """As "6", or "6–12" of a week; "" where not even the week is known."""
    local, grain = moment_in(time, zone), grain_of(time) or ""
    if grain in WEEKS:
        return f"{local.day}–{(local + timedelta(days=WEEKS[grain] - 1)).day}"
    return "" if grain in LONG else str(local.day)


def excerpt(text: str) -> str:
    """The beginning of a text on one line, up to the end of a word."""
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else first_words(line, EXCERPT - 1) + "…"


def first_words(line: str, size: int) -> str:
    """The first characters of a line, at most `size`, up to the end of a word if that leaves half of them."""
    space = size if line[size : size + 1].isspace() else line.rfind(" ", size // 2, size)
    return line[: space if space > 0 else size].rstrip(f" {TORN}")


def counted(count: int, noun: str) -> str:
    """A count with its noun, which is given in the plural."""
    singular = re.sub("(?<=ss)es$|(?<!s)s$", "", re.sub("ies$", "y", noun))
    return f"{count:,} {singular if count == 1 else noun}"
