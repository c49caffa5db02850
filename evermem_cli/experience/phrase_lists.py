"""Reads phrases.toml and words.toml of this package and compiles them into regular expressions."""

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def tables(name: str) -> dict[str, Any]:
    """The tables of one of the two files."""
    return tomllib.loads(resources.files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))


def alternatives(text: str) -> str:
    """The lines of a phrase list as one group. A space matches any white space, an apostrophe both kinds."""
    joined = "|".join(line.strip() for line in text.strip().splitlines())
    return "(?:" + re.sub(r"\((?!\?)", "(?:", joined).replace(" ", r"\s+").replace("'", "['’]") + ")"


def phrases(table: str, name: str) -> re.Pattern[str]:
    """A phrase list as a pattern. English phrases match whole words, Chinese ones match anywhere.

    A line that begins with ^ matches at the beginning of the text only.
    """
    listed = tables("phrases")[table][name]
    english = rf"(?<!\w){alternatives(listed['en'])}(?!\w)" if "en" in listed else ""
    chinese = alternatives(listed["zh"]) if "zh" in listed else ""
    return re.compile("|".join(filter(None, (english, chinese))), re.IGNORECASE)
