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
    """Rebuilds the static keyword index now and then, so that new memories are found while more are coming in."""

    finished: float = field(default_factory=time.monotonic)
    seconds: float = 0.0

    def keep(self, writer: Writer) -> None:
        """Rebuilds if the last rebuild was long enough ago for what it cost."""
        start = time.monotonic()
        if start - self.finished >= self.seconds / INDEX_SHARE:
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
