"""The workflow from old MemCells about one thing to a digest in place of their episodes, and back."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from evermem_cli.consolidation.digests import apart, due, episodes_for_all, make_digest
from evermem_cli.consolidation.scenes import chains
from evermem_cli.engines import Embedder
from evermem_cli.memory import Digest
from evermem_cli.store import Searcher, Store


@dataclass(frozen=True, slots=True)
class Condensation:
    """Digests of one user's memory. No language model takes part."""

    store: Store
    user_id: str

    def planned(self, before: datetime, within: Collection[str] | None = None) -> list[Digest]:
        """The digests that are to be made of what ended before, `within` these MemCells only if given.

        One is made for each scene and the chapters that it goes on from, of MemCells that are formed and closed.
        """
        with self.store.read() as reader:
            threads = _threads(reader, self.user_id, before)
            if within is not None:
                threads = [thread for thread in threads if not thread.isdisjoint(within)]
            return [_digest(reader, cells) for cells in due(map(sorted, threads), reader.digests(self.user_id))]

    def make(self, planned: list[Digest], embedder: Embedder) -> None:
        """Puts digests in place of the episodes of their MemCells. Raises StoreError, StoreBusy."""
        if not planned:
            return
        vectors = embedder.embed([each.search_text for each in planned])
        cells = {cell for each in planned for cell in each.memcell_ids}
        with self.store.write() as writer:
            if len(writer.memcells(cells)) == len(cells):  # else somebody has changed their chats meanwhile
                writer.drop_digests(each.id for each in apart(writer.digests(self.user_id), cells))
                writer.put_digests(planned, vectors)

    def existing(self, within: Collection[str] | None = None) -> list[Digest]:
        """The digests that there are, or those that tell of any of these MemCells."""
        with self.store.read() as reader:
            known = reader.digests(self.user_id)
        return known if within is None else apart(known, within)

    def undo(self, digests: list[Digest]) -> None:
        """Takes digests away, so that memory is as it was before them. Raises StoreError, StoreBusy."""
        with self.store.write() as writer:
            writer.drop_digests(each.id for each in digests)


def _threads(reader: Searcher, user_id: str, before: datetime) -> list[set[str]]:
    """The old MemCells of each chain of scenes."""
    scenes = reader.scenes(user_id)
    first = chains(scenes)
    old = reader.settled_ids(before)
    threads: dict[str, set[str]] = {}
    for scene in scenes:
        threads.setdefault(first[scene.scene_id], set()).update(old.intersection(scene.memcell_ids))
    return list(threads.values())


def _digest(reader: Searcher, cells: Collection[str]) -> Digest:
    return make_digest(reader.memcells(cells), episodes_for_all(reader.episodes(cells)))
