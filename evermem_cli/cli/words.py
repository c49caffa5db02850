"""How days, numbers and long texts are put on a screen."""

import re
from datetime import datetime, tzinfo

DIM = "dim"
TOPICS = {"memcells": "topics"}  # what people are told of instead of the field's own word
EXCERPT = 300  # characters of a message in a list; `show` prints all of it


def day(moment: datetime, zone: tzinfo) -> str:
    """As "6 Jan 2025"."""
    local = moment.astimezone(zone)
    return f"{local.day} {local:%b %Y}"


def excerpt(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1] + "…"


def counted(count: int, noun: str) -> str:
    """A count with its noun, which is given in the plural."""
    singular = re.sub("(?<=ss)es$|(?<!s)s$", "", re.sub("ies$", "y", noun))
    return f"{count:,} {singular if count == 1 else noun}"
