"""What attributes and values are called in English and Chinese; read from labels.toml."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any


def label_of(attribute: str, language: str) -> str:
    """The name of an attribute in a language; the attribute itself where no name is given."""
    labels: dict[str, str] = _read()["labels"].get(language, {})
    return labels.get(attribute, attribute.replace("_", " "))


@cache
def in_english() -> dict[str, str]:
    """English translations of Chinese values, except names."""
    pairs: str = _read()["english"]["values"]
    return dict(pair.strip().split("=") for pair in pairs.split(";"))


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads((resources.files(__package__) / "labels.toml").read_text(encoding="utf-8"))
