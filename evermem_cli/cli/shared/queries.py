"""The queries of a command: one on the command line, or with `-` one per line of stdin."""

import json
import re
from collections.abc import Iterator
from typing import Any

from evermem_cli.errors import UsageError
from evermem_cli.terminal.streams import lines_in
from evermem_cli.terminal.visible import whole

MOST_RESULTS = 1000
MOST_CHARACTERS = 5000  # of a query; a page of text asks for nothing, and its grammar takes seconds to read
_WORD = re.compile(r"[^\W_]")
_TIMES = {"as_of", "at", "tz"}


def worded(text: str, key: str) -> Iterator[dict[str, Any]]:
    """Each query as an object with its words as "query". A line of stdin is plain text or an object with `key`.

    Blank lines are skipped. Raises UsageError for a JSON line without a query, and for a query without words or of more
    than `MOST_CHARACTERS`, with its line on stdin.
    """
    for place, query in [("", {"query": text})] if text != "-" else _lines(key):
        if not has_words(query["query"]):
            raise UsageError(f"{place}the {key} has no words", "write what to look for")
        if len(query["query"]) > MOST_CHARACTERS:
            length = len(query["query"])
            raise UsageError(f"{place}the {key} has {length:,} characters", f"write at most {MOST_CHARACTERS:,}")
        yield query


def has_words(text: str) -> bool:
    """Whether the text has anything that can be looked up."""
    return _WORD.search(text) is not None


def _lines(key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The queries of stdin, each with its line."""
    for number, line in enumerate(lines_in(), start=1):
        place = f"stdin:{number}: "
        if line.lstrip().startswith("{"):
            yield place, _object(line, key, place)
        elif line.strip():
            yield place, {"query": line.strip()}


def _object(line: str, key: str, place: str) -> dict[str, Any]:
    try:
        given = json.loads(line, object_pairs_hook=lambda pairs: {name: _whole(value) for name, value in pairs})
        fields: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        query = fields["query"] if "query" in fields else fields[key]
    except (ValueError, KeyError, AttributeError, RecursionError) as error:
        raise UsageError(f"{place}no {key} in this line", f'write plain text or {{"{key}": …}}') from error
    for name in _TIMES & fields.keys():
        if not isinstance(fields[name], str):
            raise UsageError(f"{place}{name} is not a text", f'write it in quotes, as in {{"{name}": "2025-03-20"}}')
    if "k" in fields and (type(fields["k"]) is not int or not 1 <= fields["k"] <= MOST_RESULTS):
        raise UsageError(f"{place}k is not a number from 1 to {MOST_RESULTS}")
    return fields | {"query": str(query)}


def _whole(value: Any) -> Any:
    return whole(value) if isinstance(value, str) else value
