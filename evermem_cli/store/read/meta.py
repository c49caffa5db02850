"""Reads what the memory file records of itself, such as its embedder."""

from dataclasses import dataclass

from evermem_cli.errors import StoreError
from evermem_cli.memory import Scale
from evermem_cli.store.schema.sql import Sql


@dataclass(frozen=True, slots=True)
class MetaReader:
    """Reads the table `meta`."""

    sql: Sql

    @property
    def embedder(self) -> str:
        """The embedder of the file's vectors."""
        return self.value("embedder")

    @property
    def dimension(self) -> int:
        """The length of the file's vectors."""
        return int(self.value("dimension"))

    @property
    def scale(self) -> Scale:
        """How the cosines of the file's vectors compare to those of the default embedder."""
        return Scale(slope=float(self.value("slope", "1")), shift=float(self.value("shift", "0")))

    def check_embedder(self, name: str, dimension: int) -> None:
        """Raises StoreError unless the file's vectors are from this embedder."""
        made_by, length = self.embedder, self.dimension
        if (made_by, length) != (name, dimension):
            raise StoreError(
                f"this memory was embedded with {made_by} ({length} dimensions), not with {name} ({dimension})",
                f"use --embedder {made_by}, or `evermem embed --model {name}` to give the memory other vectors",
            )

    def value(self, key: str, default: str | None = None) -> str:
        """The value of a key. Raises StoreError if there is neither a value nor a default."""
        return self.sql.once(("meta", key), lambda: self._read(key, default))

    def _read(self, key: str, default: str | None) -> str:
        records = self.sql.rows("select value from meta where key = $key", key=key)
        if not records and default is None:
            raise StoreError(f"the memory file has no {key}", "restore a backup")
        return str(records[0]["value"]) if records else str(default)
