"""What both tiers share: how they tell of their progress, and how they keep the keyword index up to date."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from evermem_cli.store import Store, Writer

# Largest part of the time that may go into rebuilding the keyword index while more is coming in.
INDEX_SHARE = 0.05

Progress = Callable[[str, int, int], None]  # what is being done, how many are done, of how many (0: unknown)


@dataclass(slots=True)
class IndexPace:
    """Rebuilds the static keyword index now and then: what is newer than it has to be read through by every search."""

    finished: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    behind: bool = False  # whether anything is newer than the index

    @property
    def due(self) -> bool:
        """Whether the last rebuild was long enough ago for what it cost."""
        return time.monotonic() - self.finished >= self.seconds / INDEX_SHARE

    def keep(self, writer: Writer) -> None:
        """Rebuilds if that is due; to be called with whatever is written."""
        self.behind = not self.due
        if not self.behind:
            start = time.monotonic()
            writer.build_index()
            self.finished = time.monotonic()
            self.seconds = self.finished - start


def finish_index(store: Store) -> None:
    """Builds the keyword index if anything was written since it was built."""
    with store.read() as reader:
        stale = reader.status().unindexed
    if stale:
        with store.write() as writer:
            writer.build_index()
