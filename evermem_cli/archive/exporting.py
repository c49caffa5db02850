"""Export: everything in memory, one JSON object per line, in the order that import needs."""

from collections.abc import Callable, Iterator, Mapping

from evermem_cli.memory import Tier
from evermem_cli.store import SCHEMA_VERSION, Store
from evermem_cli.terminal.visible import json_line


def export(
    store: Store, tiers: Mapping[str, Tier] | None = None, on_withheld: Callable[[int], None] = lambda count: None
) -> Iterator[str]:
    """The lines of an export, each with `type` and `schema_version`. The first line describes the file.

    If the `tiers` of domains are given, private memories are left out and the lines say how many messages those are.
    Vectors are left out too, since import embeds anew. The export is one read transaction, so writers wait. Raises
    StoreError, StoreBusy.
    """
    with store.read_for_export(tiers) as portable:
        if tiers is not None:
            on_withheld(portable.withheld())
        yield line("memory", portable.header())
        for table in portable.tables():
            for row in portable.dump(table):
                yield line(table.type, row)


def line(kind: str, fields: dict[str, object]) -> str:
    """One row of an export."""
    return json_line({"type": kind, "schema_version": SCHEMA_VERSION} | fields) + "\n"
