"""Reads the messages that memories were derived from."""

from collections.abc import Iterable
from dataclasses import dataclass

from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.search.entries import VisibleEntries


@dataclass(frozen=True, slots=True)
class SourceReader:
    """Reads the messages behind memories, from the entries in memory where there are any."""

    sql: Sql
    visible: VisibleEntries | None = None

    def of(self, memory_ids: Iterable[str]) -> dict[str, list[str]]:
        """The messages that each memory was derived from, in order; memories without any are left out."""
        ids = [*memory_ids]
        sources = self.visible.sources_of(ids) if self.visible else None
        return self._in_file(ids) if sources is None else sources

    def behind(self, memory_id: str) -> tuple[str, ...]:
        """The messages that one memory was derived from, in order."""
        return tuple(self.of([memory_id]).get(memory_id, ()))

    def _in_file(self, memory_ids: Iterable[str]) -> dict[str, list[str]]:
        self.sql.want(memory_ids)
        sources: dict[str, list[str]] = {}
        query = "select * from sources where memory_id in (select id from wanted) order by memory_id, place"
        for row in self.sql.rows(query):
            sources.setdefault(row["memory_id"], []).append(row["message_id"])
        return sources
