"""Plain SQL within a transaction of the store, for what no method of the store brings about or tells."""

from typing import Any

from evermem_cli.store import Searcher, Writer


def rows(opened: Searcher, statement: str, /, **parameters: object) -> list[dict[str, Any]]:
    """The rows of a query by column. Times are naive, in UTC, as they are stored."""
    cursor = opened.connection.execute(statement, parameters)
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]


def execute(opened: Searcher | Writer, statement: str, /, **parameters: object) -> None:
    """Carries out a statement."""
    opened.connection.execute(statement, parameters)
