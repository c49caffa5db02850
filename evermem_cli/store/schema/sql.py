"""Runs the statements of one transaction, with rows in and out."""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import duckdb
import numpy as np

from evermem_cli.store.schema.rows import Row, aware, columns

Value = TypeVar("Value")

# The ids of the chats that a user may read: those that the user owns or took part in.
READABLE = """
    select id from conversations where user_id = $user_id union
    select conversation_id from messages where lower(user_id) = lower($user_id)"""


@dataclass(frozen=True, slots=True)
class Sql:
    """A connection in a transaction. Times in rows are aware, those in parameters are UTC without a zone.

    `kept` has answers from earlier transactions on a file that has not changed since; None where it may change.
    """

    connection: duckdb.DuckDBPyConnection
    kept: dict[Hashable, Any] | None = None

    def rows(self, statement: str, /, **parameters: object) -> list[dict[str, Any]]:
        """The rows of a query, by column name."""
        cursor = self.connection.execute(statement, parameters)
        names = [column[0] for column in cursor.description]
        return [aware(dict(zip(names, values, strict=True))) for values in cursor.fetchall()]

    def look_up(self, query: str, ids: Collection[str]) -> dict[str, Row]:
        """The rows of a query that have one of these few ids, by id. DuckDB looks up parameters in a table's index."""
        given = {f"id_{place}": memory_id for place, memory_id in enumerate(ids)}
        named = ", ".join(f"${name}" for name in given)
        return self.by_id(f"{query} where id in ({named})", **given) if given else {}

    def by_id(self, query: str, /, **parameters: object) -> dict[str, Row]:
        """The rows of a query by id."""
        return {row["id"]: row for row in self.rows(query, **parameters)}

    def once(self, asked: Hashable, ask: Callable[[], Value]) -> Value:
        """What `ask` returns, without asking again if `kept` has it."""
        if self.kept is None:
            return ask()
        if asked not in self.kept:
            self.kept[asked] = ask()
        value: Value = self.kept[asked]
        return value

    def once_for(
        self, asked: str, ids: Collection[str], ask: Callable[[Collection[str]], dict[str, Value]]
    ) -> dict[str, Value]:
        """What `ask` returns for these ids, without asking again for those of which `kept` has it."""
        known: dict[str, Value] = self.once(asked, dict)
        if new := [name for name in ids if name not in known]:
            known |= ask(new)
        return {name: known[name] for name in ids if name in known}

    def execute(self, statement: str, /, **parameters: object) -> None:
        """Runs a statement that returns nothing."""
        self.connection.execute(statement, parameters)

    def want(self, ids: Iterable[str] | None) -> None:
        """Makes `wanted` a table of ids, since a list parameter of many thousand ids takes DuckDB seconds."""
        self.connection.register("wanted", {"id": np.array([*(ids or ())], dtype=object)})

    def register(self, records: Sequence[Row]) -> None:
        """Makes `incoming` a table of these rows."""
        self.connection.register("incoming", columns(records))
