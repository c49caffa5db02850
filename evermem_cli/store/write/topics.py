"""Writes MemCells and the memories formed from them: episodes, facts and foresights."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from evermem_cli.engines import Vectors
from evermem_cli.memory import Episode, Extraction, Fact, Foresight, MemCell, Traces
from evermem_cli.store.index import postings
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.write.entries import SearchEntries
from evermem_cli.store.write.sources import put_sources

TABLES = {Episode: "episodes", Fact: "event_logs", Foresight: "foresights"}
# Removes everything derived from MemCells before it is formed anew.
FORGET_DERIVED = (
    *postings.without("select id from derived"),
    "delete from sources where memory_id in (select id from derived)",
    "delete from episodes where memcell_id in (select unnest($cells))",
    "delete from event_logs where memcell_id in (select unnest($cells))",
    "delete from foresights where memcell_id in (select unnest($cells))",
    "delete from assertions where memcell_id in (select unnest($cells))",
    "delete from accords where fact_id in (select id from derived) or other_id in (select id from derived)",
    "delete from digests where list_has_any(memcell_ids, $cells)",
)


@dataclass(frozen=True, slots=True)
class TopicWriter:
    """Writes MemCells and the memories formed from them."""

    sql: Sql
    entries: SearchEntries

    def put_open_cells(self, conversation_id: str, cells: Sequence[MemCell]) -> int:
        """Replaces the conversation's open MemCell by these; only the last of them may be open.

        A MemCell's id is derived from its messages: an unchanged one keeps its memories, a grown one is new and waits
        for the language model. Returns how many are new.
        """
        kept = {cell.event_id for cell in cells}
        for event_id in self._open_cell(conversation_id):
            if event_id not in kept:
                self.forget_derived([event_id])
                self.sql.execute("delete from memcells where event_id = $cell", cell=event_id)
        self.sql.want(kept)
        known = {
            row["event_id"] for row in self.sql.rows("select event_id from memcells where event_id in (from wanted)")
        }
        for cell in cells:
            if cell.event_id in known:
                change = "update memcells set is_open = $open, boundary_reason = $reason where event_id = $cell"
                self.sql.execute(change, open=cell.open, reason=cell.boundary_reason, cell=cell.event_id)
        return self.put_new_cells([cell for cell in cells if cell.event_id not in known])

    def put_new_cells(self, cells: Sequence[MemCell]) -> int:
        """Stores unknown MemCells of any conversations; returns how many."""
        if cells:
            now = datetime.now(UTC)
            self.sql.register([rows.memcell_row(cell, now) for cell in cells])
            self.sql.execute("insert into memcells by name select * from incoming")
            self.sql.register(
                [
                    {"id": m.id, "conversation_id": cell.conversation_id, "cell": cell.event_id}
                    for cell in cells
                    for m in cell.messages
                ]
            )
            self.sql.execute(
                """update messages set memcell_id = cell from incoming
                   where messages.conversation_id = incoming.conversation_id and messages.id = incoming.id"""
            )
        return len(cells)

    def put_traces(
        self, formed: Sequence[tuple[MemCell, Traces]], vectors: Vectors, model: str, *, waits: bool = False
    ) -> None:
        """Replaces everything that was formed from MemCells. With `waits`, these go on waiting for a model.

        `vectors` has one row for each memory, in the order of `formed` and `Traces.memories`.
        """
        self.forget_derived([cell.event_id for cell, _ in formed])
        now = datetime.now(UTC)
        made = [(item, cell) for cell, traces in formed for item in traces.memories]
        for noun in (Episode, Fact, Foresight):
            same = [rows.derived_row(item, cell, now) for item, cell in made if isinstance(item, noun)]
            if same:
                self.sql.register(same)
                self.sql.execute(f"insert into {TABLES[noun]} by name select * from incoming")
        put_sources(self.sql, ((item.id, _message_ids(item, cell)) for item, cell in made))
        if made:
            items, chats = [item for item, _ in made], [cell.conversation_id for _, cell in made]
            self.entries.add(items, [1] * len(items), vectors, chats)
        self.sql.register([{"cell": cell.event_id, "told": traces.summary} for cell, traces in formed])
        self.sql.execute(
            """update memcells set extraction = $state, consolidated = false, failure = null,
               summary = told, model = $model from incoming where event_id = cell""",
            state=(Extraction.PENDING if waits else Extraction.DONE).value,
            model=model,
        )

    def end_waiting(self, event_ids: Iterable[str]) -> None:
        """Marks MemCells that have memories as done, though no model did its part."""
        self.sql.want(event_ids)
        self.sql.execute(
            "update memcells set extraction = 'done', failure = null where event_id in (select id from wanted)"
        )

    def mark_failed(self, event_id: str, reason: str) -> None:
        """Records that the language model failed on a MemCell; `enrich` tries again."""
        change = "update memcells set extraction = $state, failure = $reason where event_id = $cell"
        self.sql.execute(change, state=Extraction.FAILED.value, reason=reason, cell=event_id)

    def _open_cell(self, conversation_id: str) -> list[str]:
        query = "select event_id from memcells where conversation_id = $id and is_open"
        return [row["event_id"] for row in self.sql.rows(query, id=conversation_id)]

    def forget_derived(self, event_ids: Sequence[str]) -> None:
        """Removes everything that was formed from these MemCells."""
        self.sql.execute(
            """create or replace temp table derived as
               select id from episodes where memcell_id in (select unnest($cells)) union all
               select id from event_logs where memcell_id in (select unnest($cells)) union all
               select id from foresights where memcell_id in (select unnest($cells)) union all
               select id from assertions where memcell_id in (select unnest($cells)) union all
               select id from digests where list_has_any(memcell_ids, $cells)""",
            cells=[*event_ids],
        )
        if not self.sql.rows("select id from derived limit 1"):
            return
        for statement in FORGET_DERIVED:
            self.sql.execute(statement, **({"cells": [*event_ids]} if "$cells" in statement else {}))


def _message_ids(item: Episode | Fact | Foresight, cell: MemCell) -> tuple[str, ...]:
    if isinstance(item, Episode):
        return tuple(message.id for message in cell.messages)
    return item.message_ids
