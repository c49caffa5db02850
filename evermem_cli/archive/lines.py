"""Turns a line of an export into a row of the memory file and checks its fields and types."""

import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from evermem_cli.memory import ChatKind, Extraction, Policy, Role, TimeSource
from evermem_cli.store import EXPLAINED, SCHEMA_VERSION, Column, Table
from evermem_cli.terminal.visible import is_text

Row = dict[str, Any]

VERSION = 2  # of an export, in its first line since it has a last one, whose type is `END` and which counts the rows
END = "end"

CHOICES: dict[tuple[str, str], tuple[str, ...]] = {
    ("conversations", "kind"): tuple(ChatKind),
    ("messages", "role"): tuple(Role),
    ("messages", "time_source"): tuple(TimeSource),
    ("memcells", "kind"): tuple(ChatKind),
    ("memcells", "policy"): tuple(Policy),
    ("memcells", "extraction"): tuple(Extraction),
}
VECTOR = re.compile(r"FLOAT\[(\d+)\]")
YEARS = range(2, 9999)  # the first and the last year have days that do not exist in every zone


def document(line: bytes) -> dict[str, Any]:
    """The JSON object on a line. Raises ValueError that says what is wrong."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise ValueError("no object with a type")
    version = value.get("schema_version")
    if not isinstance(version, int) or version > SCHEMA_VERSION:
        raise ValueError(f"schema_version {version}, this evermem knows {SCHEMA_VERSION}")
    return value


def row(stated: Mapping[str, Any], table: Table, *, with_vectors: bool) -> Row:
    """The columns of a table from an object. Raises ValueError that names the missing, unknown or wrong field."""
    columns = {column.label: column for column in table.columns}
    beside = {"type", "schema_version", *EXPLAINED.get(table.type, ())}
    given = {label: value for label, value in stated.items() if label not in beside}
    for label in given:
        if label not in columns:
            raise ValueError(f"{table.type} has no {label}")
    for label, column in columns.items():
        if given.get(label) is None and not column.optional:
            raise ValueError(f"{table.type} without {label}")
    return {
        columns[label].name: _value(value, columns[label], table)
        for label, value in given.items()
        if with_vectors or not VECTOR.fullmatch(columns[label].kind)
    }


def _value(value: Any, column: Column, table: Table) -> Any:
    if value is None:
        return None
    try:
        vector = VECTOR.fullmatch(column.kind)
        converted = _vector(value, int(vector[1])) if vector else _CONVERTERS[column.kind](value)
        if converted not in CHOICES.get((table.name, column.name), (converted,)):
            raise ValueError
        return converted
    except (ValueError, TypeError) as error:
        raise ValueError(f"{column.label} of this {table.type}: {value!r:.60} is not a valid value") from error


def _text(value: Any) -> str:
    if not isinstance(value, str) or not is_text(value):
        raise ValueError
    return value


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise ValueError
    return value


def _truth(value: Any) -> bool:
    if type(value) is not bool:
        raise ValueError
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float):
        raise ValueError
    return float(value)


def _moment(value: Any) -> datetime:
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None or moment.year not in YEARS:
        raise ValueError
    return moment


def _vector(value: Any, length: int) -> list[float]:
    if len(value) != length:
        raise ValueError
    return [_number(item) for item in value]


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list):
        raise ValueError
    return [_text(item) for item in value]


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "VARCHAR": _text,
    "VARCHAR[]": _texts,
    "INTEGER": _whole,
    "BIGINT": _whole,
    "BOOLEAN": _truth,
    "DOUBLE": _number,
    "TIMESTAMP": _moment,
}
