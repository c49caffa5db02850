"""The memory file: all SQL, and the only importer of duckdb. Opened for one short transaction at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evermem_cli.memory import Forgotten, Selection
from evermem_cli.store import connection
from evermem_cli.store.forget import Forgetter
from evermem_cli.store.renewal import renewed
from evermem_cli.store.search import Searcher
from evermem_cli.store.writer import Writer

__all__ = ["Searcher", "Store", "Writer"]


@dataclass(frozen=True, slots=True)
class Store:
    """A memory file by its path. `timeout` is how many seconds to wait for another process to let go of it."""

    path: Path
    timeout: float

    @property
    def exists(self) -> bool:
        """Whether there is a file."""
        return self.path.exists()

    def create(self, embedder: str, dimension: int) -> None:
        """Makes the file for this embedder's vectors unless it is there. Raises StoreError where it cannot."""
        if not self.exists:
            connection.create(self.path, dimension, embedder)

    @contextmanager
    def read(self) -> Iterator[Searcher]:
        """A read transaction; any number of processes can read at once. Raises StoreError, StoreBusy."""
        with connection.connected(self.path, write=False, timeout=self.timeout) as opened:
            yield Searcher(opened)

    @contextmanager
    def write(self) -> Iterator[Writer]:
        """A write transaction, alone on the file; committed at the end of the block. Raises StoreError, StoreBusy."""
        with connection.connected(self.path, write=True, timeout=self.timeout) as opened:
            yield Writer(opened)

    def would_forget(self, selection: Selection) -> Forgotten:
        """What `forget` would take away. Raises StoreError, StoreBusy, UsageError."""
        with connection.connected(self.path, write=False, timeout=self.timeout) as opened:
            return Forgetter(opened).select(selection)

    def forget(self, selection: Selection) -> Forgotten:
        """Takes the selection and all that rests on it away for good: the file is written anew without it.

        Raises StoreError, StoreBusy, UsageError.
        """
        with renewed(self.path, self.timeout) as opened:
            forgetter = Forgetter(opened)
            forgotten = forgetter.select(selection)
            forgetter.carry_over(selection)
        return forgotten
