"""Reads what the memory file records of itself, such as its embedder."""

from typing import Any

import duckdb

from evermem_cli.errors import StoreError
from evermem_cli.memory import Scale
from evermem_cli.store.schema.sql import Sql


class MetaReader:
    """One read transaction."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = self._connection = connection  # public, for plain SQL within the transaction
        self._sql = Sql(connection)

    @property
    def embedder(self) -> str:
        """The embedder of the file's vectors."""
        return self._meta("embedder")

    @property
    def scale(self) -> Scale:
        """How the cosines of the file's vectors compare to those of the default embedder."""
        return Scale(slope=float(self._meta("slope", "1")), shift=float(self._meta("shift", "0")))

    def check_embedder(self, name: str, dimension: int) -> None:
        """Raises StoreError unless the file's vectors are from this embedder."""
        made_by, length = self._meta("embedder"), int(self._meta("dimension"))
        if (made_by, length) != (name, dimension):
            raise StoreError(
                f"this memory was embedded with {made_by} ({length} dimensions), not with {name} ({dimension})",
                f"use --embedder {made_by}, or `evermem embed --model {name}` to give the memory other vectors",
            )

    def _meta(self, key: str, default: str | None = None) -> str:
        records = self._rows("select value from meta where key = $key", key=key)
        if not records and default is None:
            raise StoreError(f"the memory file has no {key}", "restore a backup")
        return str(records[0]["value"]) if records else str(default)

    def _rows(self, statement: str, /, **parameters: object) -> list[dict[str, Any]]:
        return self._sql.rows(statement, **parameters)
