"""Export: everything in memory, one JSON object per line, in the order that import needs."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from evermem_cli.archive.lines import END, VERSION
from evermem_cli.memory import Tier
from evermem_cli.store import SCHEMA_VERSION, Store
from evermem_cli.terminal.visible import json_line


def export(
    store: Store, tiers: Mapping[str, Tier] | None = None, on_withheld: Callable[[int], None] = lambda count: None
) -> Iterator[str]:
    """The lines of an export, each with `type` and `schema_version`. The first describes the file, the last ends it.

    If the `tiers` of domains are given, private memories are left out and the lines say how many messages those are.
    Vectors are left out too, since import embeds anew. The export is one read transaction, so writers wait. Raises
    StoreError, StoreBusy.
    """
    with store.read_for_export(tiers) as portable:
        if tiers is not None:
            on_withheld(portable.withheld())
        rows = (line(table.type, row) for table in portable.tables() for row in portable.dump(table))
        yield from whole(portable.header(), rows)


def whole(header: dict[str, object], rows: Iterable[str]) -> Iterator[str]:
    """The rows of an export between its header and the line that counts them, without which import refuses them."""
    yield line("memory", header | {"export_version": VERSION})
    count = 0
    for row in rows:
        yield row
        count += 1
    yield line(END, {"rows": count})


def line(kind: str, fields: dict[str, object]) -> str:
    """One row of an export."""
    return json_line({"type": kind, "schema_version": SCHEMA_VERSION} | fields) + "\n"
