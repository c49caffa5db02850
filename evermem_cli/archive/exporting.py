"""Export: everything that is remembered, one JSON object a line, in the order in which import wants it."""

import json
from collections.abc import Iterator

from evermem_cli.store import SCHEMA_VERSION, Store


def export(store: Store) -> Iterator[str]:
    """The lines of an export, each with `type` and `schema_version`; the first tells of the file itself.

    One read transaction: what is written meanwhile waits. Vectors are left out, import makes them anew. Raises
    StoreError, StoreBusy.
    """
    with store.carry_out() as portable:
        yield _line("memory", portable.header())
        for table in portable.tables():
            for row in portable.dump(table):
                yield _line(table.type, row)


def _line(kind: str, fields: dict[str, object]) -> str:
    return json.dumps({"type": kind, "schema_version": SCHEMA_VERSION} | fields, ensure_ascii=False) + "\n"
