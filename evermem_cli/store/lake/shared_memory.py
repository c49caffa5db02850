"""A shared memory by its address, opened for one turn at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from evermem_cli.memory.lake_address import LakeAddress
from evermem_cli.store.lake.log import Log
from evermem_cli.store.lake.visits import explained, visited


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """A memory that several machines share. `timeout` are the seconds to wait for a turn.

    All methods raise StoreError where the server, the folder or the extension is missing, and StoreBusy.
    """

    address: LakeAddress
    timeout: float

    def snapshot(self) -> int | None:
        """The number of its latest snapshot, which any change raises; None where there is no shared memory yet."""
        with visited(self.address, write=False, timeout=self.timeout) as visit, explained(self.address):
            return visit.snapshot()

    @contextmanager
    def read(self) -> Iterator[Log | None]:
        """Its log for reading; None where there is no shared memory yet."""
        with visited(self.address, write=False, timeout=self.timeout) as visit:
            yield None if visit.snapshot() is None else Log(visit)

    @contextmanager
    def write(self) -> Iterator[Log]:
        """Its log for writing. It is made where there is none."""
        with visited(self.address, write=True, timeout=self.timeout) as visit:
            yield Log(visit)
