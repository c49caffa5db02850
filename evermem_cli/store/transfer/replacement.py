"""A new memory file that replaces one without chats, as import needs it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evermem_cli.errors import UsageError
from evermem_cli.memory import Scale
from evermem_cli.store.file import connection, drafts
from evermem_cli.store.file.faults import explained
from evermem_cli.store.file.keys import Keys
from evermem_cli.store.schema.sql import Sql


@contextmanager
def replacement(path: Path, timeout: float, keys: Keys, made_by: tuple[str, int], scale: Scale) -> Iterator[Path]:
    """The draft of a memory for vectors that are `made_by` an embedder, given by its name and their length.

    It appears at `path` when the block ends well. Raises UsageError where the memory there holds chats, DiskFull,
    StoreError, StoreBusy.
    """
    place = path.resolve()
    if place.exists():
        with connection.connected(path, write=False, timeout=timeout, keys=keys) as opened:
            _refuse_chats(Sql(opened))
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    key = connection.newest_key(path, keys)
    with explained(path), drafts.drafted(place, place) as draft:
        connection.lay_out_memory(draft, made_by[1], made_by[0], key, scale)
        yield draft
        connection.flush_log(draft, timeout, keys)
        if not place.exists():
            drafts.put_in_place(draft, place, replace=False)
            return
        with connection.connected(path, write=True, timeout=timeout, keys=keys) as existing:
            _refuse_chats(Sql(existing))  # another process may have stored chats meanwhile
            drafts.put_in_place(draft, place, replace=True)


def _refuse_chats(sql: Sql) -> None:
    if sql.rows("from conversations limit 1"):
        raise UsageError("this memory holds chats already", "import into a new file: --db FILE")
