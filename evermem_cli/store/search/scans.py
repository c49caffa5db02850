"""Runs the queries of a search, with the conditions and the vectors of this file."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from evermem_cli.memory.pool import Floats
from evermem_cli.store.index.sketches import among
from evermem_cli.store.read.meta import MetaReader
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.search import queries

PARAMETER = re.compile(r"\$(\w+)")
Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Scans:
    """Runs the queries of `queries.py` in one transaction."""

    sql: Sql
    meta: MetaReader

    def columns(self, query: str, given: dict[str, Any]) -> Columns:
        """The columns that a query returns, by name."""
        columns = self.look(query, given).fetchnumpy()
        return {name: np.asarray(values) for name, values in columns.items()}

    def look(self, query: str, given: dict[str, Any]) -> duckdb.DuckDBPyConnection:
        """Runs a query with vectors of this file's length, and with the conditions and parameters that it uses.

        A type cannot be a parameter, and DuckDB rejects parameters that a query does not use.
        """
        asked = query.replace(
            "$passes", " and ".join(queries.PASSES[name] for name in queries.PASSES if given.get(name)) or "true"
        )
        sized = asked.replace("float[384]", f"float[{self._dimension}]")
        return self.sql.connection.execute(sized, {name: given[name] for name in PARAMETER.findall(sized)})

    def among(self, numbers: NDArray[Any]) -> dict[str, bytes]:
        """The parameter that selects the entries of these numbers."""
        return {"numbers": among(numbers, self._last_number)}

    def scaled(self, cosines: NDArray[Any]) -> Floats:
        """Cosines on the scale of the default embedder, for which the weights of the ranking were learned."""
        scale = self.meta.scale
        scaled: Floats = scale.slope * cosines.astype(np.float64) + scale.shift
        return scaled

    def has_others_chats(self, user_id: str) -> bool:
        """Whether the file has chats of other owners."""

        def ask() -> bool:
            return bool(self.columns(queries.OTHERS_CHATS, {"user_id": user_id})["n"][0])

        return self.sql.once(("others", user_id), ask)

    @cached_property
    def _last_number(self) -> int:
        """The number of the last entry, hidden or not: bits up to it can be combined with those of `withheld.py`."""
        query = "select coalesce(max(number), 0) as last from evermem.main.documents"
        return self.sql.once("last number", lambda: int(self.columns(query, {})["last"][0]))

    @cached_property
    def _dimension(self) -> int:
        return self.meta.dimension
