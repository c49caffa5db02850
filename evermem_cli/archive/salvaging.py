"""Salvage: an export of whatever can still be read of a damaged memory file, in a form that import accepts."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from evermem_cli.archive.exporting import line, whole
from evermem_cli.memory import ChatKind, Extraction, Policy, utc_text
from evermem_cli.store import Store, Table

Rows = dict[str, list[dict[str, Any]]]  # rows by table
# Rows derived from a MemCell. They are dropped when the MemCell and all of its messages are lost.
OF_A_CELL = ("episodes", "event_logs", "foresights", "assertions")
UNKNOWN = "?"


def salvage(store: Store, on_lost: Callable[[str, int | None], None]) -> Iterator[str]:
    """The lines of an export, private memories included. Reports how many rows of each type or column are lost.

    The number is None where the whole table is lost.
    A lost chat or MemCell is restored from its messages as far as possible. The language model then forms its memories
    again. Raises DiskFull, StoreError, StoreBusy.
    """
    with store.salvage() as damaged:
        tables = damaged.tables()
        saved = {table.name: damaged.saved(table) for table in tables}
        header = damaged.header()
        gone = [table.type for table in tables if not damaged.has(table)]
    rows = {name: kept for name, (kept, _) in saved.items()}
    before = {name: len(kept) for name, kept in rows.items()}
    if header["embedder"] is None:
        on_lost("memory.embedder", 1)
    for kind in gone:
        on_lost(kind, None)
    _complete(rows)
    for table in tables:
        lost = saved[table.name][1]
        lost[table.type] += max(0, before[table.name] - len(rows[table.name]))
        for kind, count in lost.items():
            if count:
                on_lost(kind, count)
    yield from whole(header, _lines(tables, rows))


def _lines(tables: list[Table], rows: Rows) -> Iterator[str]:
    for table in tables:
        for row in rows[table.name]:
            yield line(table.type, row)


def _complete(rows: Rows) -> None:
    """Restores lost chats and MemCells from messages, and drops what was derived from lost ones."""
    surviving = {row["memcell_id"] for row in rows["messages"]}
    rows["memcells"] = [row for row in rows["memcells"] if row["event_id"] in surviving]
    chats = {row["id"]: row for row in rows["conversations"]}
    for row in rows["messages"]:
        if row["conversation"] not in chats:
            chats[row["conversation"]] = _chat(row)
    cells = {row["event_id"]: row for row in rows["memcells"]}
    for row in sorted(rows["messages"], key=lambda message: str(message["said_at"])):
        if row["memcell_id"] and row["memcell_id"] not in cells:
            cells[row["memcell_id"]] = _cell(row, chats[row["conversation"]])
        elif row["memcell_id"] and cells[row["memcell_id"]]["boundary_reason"] == UNKNOWN:
            cells[row["memcell_id"]]["end_at"] = row["said_at"]
    rows["conversations"], rows["memcells"] = list(chats.values()), list(cells.values())
    for name in OF_A_CELL:
        rows[name] = [row for row in rows[name] if row["memcell_id"] in cells]


def _chat(message: dict[str, Any]) -> dict[str, Any]:
    """A chat restored from its messages."""
    kind = ChatKind.GROUP if message["role"] == "participant" else ChatKind.ASSISTANT
    return {
        "id": message["conversation"],
        "key": message["conversation"],
        "title": "",
        "kind": kind.value,
        "format": UNKNOWN,
        "group_id": message["conversation"],
        "user_id": message["user_id"],
        "created_at": _now(),
    }


def _cell(message: dict[str, Any], chat: dict[str, Any]) -> dict[str, Any]:
    """A MemCell restored from its messages, of which the first is given."""
    return {
        "event_id": message["memcell_id"],
        "conversation": chat["id"],
        "group_id": chat["group_id"],
        "kind": chat["kind"],
        "boundary_reason": UNKNOWN,
        "is_open": False,
        "policy": Policy.V1_1.value,
        "extraction": Extraction.PENDING.value,
        "summary": "",
        "start_at": message["said_at"],
        "end_at": message["said_at"],
        "created_at": _now(),
    }


def _now() -> str:
    return utc_text(datetime.now(UTC), "seconds")
