"""What the values of settings may be: texts, paths, numbers and tables, read from a file, a variable or a flag."""

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NewType

from evermem_cli.memory import name_given
from evermem_cli.terminal.visible import is_text

MemoryFile = NewType("MemoryFile", Path)  # a path that is not a folder
NAMES = ("user", "me", "agent")  # settings that name somebody
_WITH_SECRET = re.compile(r"https?://[^#]*[@?]", re.IGNORECASE)  # refused, because `evermem config` shows settings
_BARE = re.compile(r"[A-Za-z0-9_-]+")  # a key of TOML that needs no quotes


def one_of(known: Sequence[object], value: object) -> object:
    """The value, which must be one of those known. Raises ValueError."""
    if value not in known:
        raise ValueError(f"{value} is not one of {', '.join(map(str, known))}")
    return value


def names_given(given: Mapping[str, object], flags: Mapping[str, object]) -> dict[str, object]:
    """The settings that name somebody, as `name_given` has them. A file may leave a name empty, a flag may not.

    Raises UsageError.
    """
    texts = {name: given[name] for name in NAMES if given.get(name) or flags.get(name) is not None}
    named: dict[str, object] = {name: name_given(text) for name, text in texts.items() if isinstance(text, str)}
    lists = {name: text for name, text in texts.items() if isinstance(text, list)}
    return named | {name: [name_given(str(part)) for part in text] for name, text in lists.items()}


def text_of(value: object) -> str:
    """A text or path as text. Raises ValueError."""
    if not isinstance(value, str | Path):
        raise ValueError(f"{value} is not text")
    return str(value)


def _utf8(value: object) -> str:
    text = text_of(value)
    if not is_text(text):
        raise ValueError(f"{text} is not UTF-8")
    if _WITH_SECRET.match(text):
        raise ValueError("an address with a password or a query in it; put a key into EVERMEM_API_KEY or the keyring")
    return text


def _path(value: object) -> Path:
    text = text_of(value)
    if "://" in text:
        raise ValueError("an address is no path; name one that is mounted on this machine")
    return Path(text).expanduser()


def _file(value: object) -> Path:
    path = _path(value)
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name a file in it")
    if (path.exists() and not path.is_file()) or os.path.islink(os.path.realpath(path)):
        raise ValueError(f"{path} is a pipe, a device or a link to itself; name a file")
    return path


def _flag(value: object) -> bool:
    known = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    if str(value).casefold() not in known:
        raise ValueError(f"{value} is neither true nor false")
    return known[str(value).casefold()]


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"{value} is not a number")
    try:
        return float(value)
    except ValueError as error:
        raise ValueError(f"{value} is not a number") from error


def _whole(value: object) -> int:
    number = _number(value)
    if not number.is_integer():
        raise ValueError(f"{value} is not a whole number")
    return int(number)


def table(value: object) -> dict[str, object]:
    """A table, also as JSON. Raises ValueError."""
    try:
        table = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        table = None
    if not isinstance(table, dict):
        raise ValueError("not a table")
    return {str(name): entry for name, entry in table.items()}


def toml_value(value: object) -> str:
    """A value of TOML on one line; paths and times become texts."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{toml_key(key)} = {toml_value(inner)}' for key, inner in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml_value, value))}]"
    return json.dumps(value, ensure_ascii=False, default=str)


def toml_key(name: str) -> str:
    """A key of TOML, in quotes where it needs them."""
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


# How a value of each type is read.
READERS: Mapping[Any, Callable[[object], Any]] = {
    str: _utf8, Path: _path, MemoryFile: _file, bool: _flag, int: _whole, float: _number
}  # fmt: skip
