"""What is asked: one query on the command line, or with `-` one for each line of stdin."""

import json
import sys
from collections.abc import Iterator
from typing import Any

from evermem_cli.errors import UsageError


def queries(text: str, key: str) -> Iterator[dict[str, Any]]:
    """Each query as an object with its words as "query"; a line of stdin is plain text or an object with `key`.

    Raises UsageError for a line of JSON without it.
    """
    if text != "-":
        yield {"query": text}
        return
    for number, line in enumerate(sys.stdin, start=1):
        if line.lstrip().startswith("{"):
            yield _object(line, key, number)
        elif line.strip():
            yield {"query": line.strip()}


def _object(line: str, key: str, number: int) -> dict[str, Any]:
    try:
        given: dict[str, Any] = json.loads(line)
        return given | {"query": str(given.get("query") or given[key])}
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"stdin:{number}: no {key} in this line", f'write plain text or {{"{key}": …}}') from error
