"""Import: reads the lines of an export into an empty memory file, all of them or none."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from evermem_cli.archive import lines
from evermem_cli.archive.lines import Row
from evermem_cli.engines import Embedder
from evermem_cli.engines.calibration import scale_of
from evermem_cli.errors import InputError
from evermem_cli.formation.pieces import spoken_pieces
from evermem_cli.memory import Message
from evermem_cli.progress import Progress
from evermem_cli.store import Item, Loader, Store, Table

BATCH = 1000  # rows written in one go, and the most texts embedded at once
# Tables that every reader of memory expects to exist.
OF_A_CHAT = ("memcells", "messages")
OF_A_CELL = ("messages", "episodes", "event_logs", "foresights")


class End(Enum):
    """What is known of the last line, which tells that an export is whole. Exports of an earlier form have none."""

    NONE = auto()
    EXPECTED = auto()
    REACHED = auto()


@dataclass(slots=True)
class Names:
    """The names that the lines have defined so far, and the MemCells that wait for their first message."""

    seen: set[tuple[str, str]] = field(default_factory=set)
    empty_cells: dict[str, int] = field(default_factory=dict)

    def note(self, table: Table, row: Row, line: int) -> None:
        """Registers a row's name. Raises ValueError where the name is taken or the row refers to something unknown."""
        if table.name in OF_A_CHAT and ("conversations", row["conversation_id"]) not in self.seen:
            raise ValueError(f"{table.type} of an unknown conversation, {row['conversation_id']}")
        cell = row.get("memcell_id")
        if table.name in OF_A_CELL and cell and ("memcells", cell) not in self.seen:
            raise ValueError(f"{table.type} of an unknown memcell, {cell}")
        if table.key:
            name = (table.name, row[table.key])
            if name in self.seen:
                raise ValueError(f"{table.type} {name[1]} a second time")
            self.seen.add(name)
        if table.name == "memcells":
            self.empty_cells[row["event_id"]] = line
        elif table.name == "messages":
            self.empty_cells.pop(cell or "", None)


@dataclass(slots=True)
class Import:
    """Reads an export into a draft that replaces the memory file when the import is complete.

    Search entries are made anew, so the embedder may differ from that of the export. The centroids of scenes belong to
    the old embedder and are then left out.
    """

    store: Store
    embedder: Embedder
    progress: Progress
    path: Path | None = None  # of the input, for errors
    _version: int = 0  # schema version of the input
    _end: End = End.NONE
    _same_embedder: bool = True  # whether the vectors of the input are of the same embedder
    _names: Names = field(default_factory=Names)
    _last: Message | None = None
    _chats: dict[str, str] = field(default_factory=dict)  # conversation id by MemCell

    def run(self, source: Iterable[bytes]) -> Counter[str]:
        """Imports all lines; returns how many rows of each type there were.

        Raises InputError that names the wrong line, UsageError where the memory is not empty, StoreError, StoreBusy.
        """
        counts: Counter[str] = Counter()
        with self.store.new_file(self.embedder.name, self.embedder.dimension, scale_of(self.embedder)) as draft:
            with draft.read_for_export() as portable:
                tables = {table.type: table for table in portable.tables()}
            rows = self._rows(source, tables)
            while batch := list(islice(rows, BATCH)):
                for kind, group in groupby(batch, key=lambda entry: entry[0]):
                    self._take_in(draft, tables[kind], [row for _, row in group])
                counts.update(kind for kind, _ in batch)
                self.progress("memories", counts.total(), 0)
            with draft.write_import() as loader:
                loader.fill_days(self._version)
        return counts

    def _rows(self, source: Iterable[bytes], tables: dict[str, Table]) -> Iterator[tuple[str, Row]]:
        """The type and row of every line but the first and the last, which describe the others."""
        number = 0
        for number, line in enumerate(source, start=1):
            try:
                document = lines.document(line)
                if number == 1:
                    self._begin(document)
                    continue
                if self._ends(document, rows=number - 2):
                    continue
                table, row = self._row(document, tables, number)
            except ValueError as error:
                raise self._error(str(error), number) from error
            yield table.type, row
        if number == 0:
            raise self._error("nothing in it", None)
        if self._end is End.EXPECTED:
            raise self._error("the export was cut off: its last line is missing; export it again", None)
        if self._names.empty_cells:
            raise self._error("memcell without messages", min(self._names.empty_cells.values()))

    def _begin(self, document: dict[str, Any]) -> None:
        """Reads the first line."""
        if document["type"] != "memory":
            raise ValueError("an export begins with a line of type memory")
        self._version = document["schema_version"]
        self._end = End.EXPECTED if "export_version" in document else End.NONE
        ours = (self.embedder.name, self.embedder.dimension)
        self._same_embedder = (document.get("embedder"), document.get("dimension")) == ours

    def _ends(self, document: dict[str, Any], rows: int) -> bool:
        """Whether this is the last line, which counts the rows. Raises ValueError where it is not the last."""
        if self._end is End.REACHED:
            raise ValueError("a line after the end of the export")
        if document["type"] != lines.END:
            return False
        if document.get("rows") != rows:
            raise ValueError(f"the export had {document.get('rows')} rows, of which {rows} are here")
        self._end = End.REACHED
        return True

    def _row(self, document: dict[str, Any], tables: dict[str, Table], number: int) -> tuple[Table, Row]:
        """The table and row of another line."""
        if document["type"] not in tables:
            raise ValueError(f"{document['type']} is not a known type of line")
        table = tables[document["type"]]
        row = lines.row(document, table, with_vectors=self._same_embedder)
        self._names.note(table, row, number)
        return table, row

    def _take_in(self, draft: Store, table: Table, rows: list[Row]) -> None:
        """Writes rows of one table and indexes those that search needs."""
        if table.name == "memcells":
            self._chats |= {row["event_id"]: row["conversation_id"] for row in rows}
        with draft.write_import() as loader:
            items = loader.items(table, rows)
            loader.load(table, rows)
            if items:
                self._make_searchable(loader, items, rows)

    def _make_searchable(self, loader: Loader, items: list[Item], rows: list[Row]) -> None:
        pieces = [self._pieces(item) for item in items]
        vectors = self.embedder.embed([piece for parts in pieces for piece in parts])
        chats = [row.get("conversation_id") or self._chats[row["memcell_id"]] for row in rows]
        loader.add_entries(items, [len(parts) for parts in pieces], vectors, chats)

    def _pieces(self, item: Item) -> list[str]:
        if not isinstance(item, Message):
            return [item.search_text]
        before = self._last if self._last and self._last.conversation_id == item.conversation_id else None
        self._last = item
        return spoken_pieces(item, before)

    def _error(self, reason: str, line: int | None) -> InputError:
        return InputError(reason, "nothing was imported", path=self.path, line=line)
