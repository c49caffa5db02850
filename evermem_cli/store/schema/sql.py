"""Runs the statements of one transaction, with rows in and out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np

from evermem_cli.store.schema.rows import Row, aware, columns


@dataclass(frozen=True, slots=True)
class Sql:
    """A connection in a transaction. Times in rows are aware, those in parameters are UTC without a zone."""

    connection: duckdb.DuckDBPyConnection

    def rows(self, statement: str, /, **parameters: object) -> list[dict[str, Any]]:
        """The rows of a query, by column name."""
        cursor = self.connection.execute(statement, parameters)
        names = [column[0] for column in cursor.description]
        return [aware(dict(zip(names, values, strict=True))) for values in cursor.fetchall()]

    def execute(self, statement: str, /, **parameters: object) -> None:
        """Runs a statement that returns nothing."""
        self.connection.execute(statement, parameters)

    def want(self, ids: Iterable[str] | None) -> None:
        """Makes `wanted` a table of ids, since a list parameter of many thousand ids takes DuckDB seconds."""
        self.connection.register("wanted", {"id": np.array([*(ids or ())], dtype=object)})

    def register(self, records: Sequence[Row]) -> None:
        """Makes `incoming` a table of these rows."""
        self.connection.register("incoming", columns(records))
