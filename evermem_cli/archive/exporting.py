"""Export: everything that is remembered, one JSON object a line, in the order in which import wants it."""

from collections.abc import Callable, Iterator, Mapping

from evermem_cli.memory import Tier
from evermem_cli.store import SCHEMA_VERSION, Store
from evermem_cli.terminal.visible import json_line


def export(
    store: Store, tiers: Mapping[str, Tier] | None = None, on_withheld: Callable[[int], None] = lambda count: None
) -> Iterator[str]:
    """The lines of an export, each with `type` and `schema_version`; the first tells of the file itself.

    With the `tiers` of domains what is private is left out, and how many messages that are is told. Vectors are left
    out, import makes them anew. One read transaction: what is written meanwhile waits. Raises StoreError, StoreBusy.
    """
    with store.carry_out(tiers) as portable:
        if tiers is not None:
            on_withheld(portable.withheld())
        yield line("memory", portable.header())
        for table in portable.tables():
            for row in portable.dump(table):
                yield line(table.type, row)


def line(kind: str, fields: dict[str, object]) -> str:
    """One row of an export."""
    return json_line({"type": kind, "schema_version": SCHEMA_VERSION} | fields) + "\n"
