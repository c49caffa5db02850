"""How days, numbers and long texts are printed."""

import re
from datetime import tzinfo

from evermem_cli.memory import Time, grain_of, moment_in

DIM = "dim"
TOPICS = {"memcells": "topics"}  # words shown instead of technical ones
LONG = {"month": "%b %Y", "year": "%Y"}  # shown where the day is unknown
EXCERPT = 300  # characters of a message in a list; `show` prints it whole


def day(time: Time, zone: tzinfo) -> str:
    """As "6 Jan 2025", or as precisely as it was stated: "Jan 2025", "2025"."""
    local = moment_in(time, zone)
    return format(local, LONG.get(grain_of(time) or "", f"{local.day} %b %Y"))


def excerpt(text: str) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1] + "…"


def counted(count: int, noun: str) -> str:
    """A count with its noun, which is given in the plural."""
    singular = re.sub("(?<=ss)es$|(?<!s)s$", "", re.sub("ies$", "y", noun))
    return f"{count:,} {singular if count == 1 else noun}"
