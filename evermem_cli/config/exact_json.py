"""Reads JSON of other programs that is to be written again, and refuses what would come out as something else."""

import json
from decimal import Decimal
from typing import Any


def read_exactly(text: str) -> Any:
    """The value of a JSON text. Raises ValueError where it is no JSON, or where writing the value would change it."""
    value = json.loads(text, parse_float=_number, object_pairs_hook=_object)
    json.dumps(value, ensure_ascii=False).encode()  # half a character is a UnicodeEncodeError, which is a ValueError
    return value


def _number(text: str) -> float:
    number = float(text)
    if Decimal(repr(number)) != Decimal(text):
        raise ValueError(f"{text} would be written as {number!r}")
    return number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    known = dict(pairs)
    if len(known) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)} occurs twice")
    return known
