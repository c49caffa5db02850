"""Places by their Chinese names, which no capital shows."""

import re
import tomllib
from functools import cache
from importlib import resources


@cache
def in_english() -> dict[str, str]:
    """What each place is called in English."""
    read = tomllib.loads((resources.files(__package__) / "chinese_places.toml").read_text(encoding="utf-8"))
    pairs: str = read["places"]
    return {name: english.replace("_", " ") for name, english in (pair.split("=") for pair in pairs.split())}


@cache
def chinese_places() -> re.Pattern[str]:
    """Any of these names."""
    return re.compile("|".join(in_english()))
