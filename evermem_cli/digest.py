"""The workflow that replaces the episodes of old MemCells about one thing by a digest, and undoes that."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from evermem_cli.consolidation.digests import apart, due, episodes_for_all, make_digest
from evermem_cli.consolidation.scenes import chains
from evermem_cli.engines import Embedder
from evermem_cli.memory import Digest
from evermem_cli.store import Searcher, Store


@dataclass(frozen=True, slots=True)
class Digesting:
    """Digests of one user's memory. No language model is involved."""

    store: Store
    user_id: str

    def planned(self, before: datetime, within: Collection[str] | None = None) -> list[Digest]:
        """The digests to make of MemCells that ended before a time, of those `within` only if given.

        One digest covers a scene and the earlier scenes that it continues. Its MemCells are formed and closed.
        """
        with self.store.read() as reader:
            threads = _threads(reader, self.user_id, before)
            if within is not None:
                threads = [thread for thread in threads if not thread.isdisjoint(within)]
            return [_digest(reader, cells) for cells in due(map(sorted, threads), reader.digests.of(self.user_id))]

    def make(self, planned: list[Digest], embedder: Embedder) -> None:
        """Stores digests in place of the episodes of their MemCells. Raises StoreError, StoreBusy."""
        if not planned:
            return
        vectors = embedder.embed([digest.search_text for digest in planned])
        cells = {cell for digest in planned for cell in digest.memcell_ids}
        with self.store.write() as writer:
            if len(writer.reader.topics.memcells(cells)) == len(
                cells
            ):  # otherwise somebody has changed their chats meanwhile
                writer.digests.drop_digests(
                    digest.id for digest in apart(writer.reader.digests.of(self.user_id), cells)
                )
                writer.digests.put_digests(planned, vectors)

    def existing(self, within: Collection[str] | None = None) -> list[Digest]:
        """The existing digests, or those that cover any of these MemCells."""
        with self.store.read() as reader:
            known = reader.digests.of(self.user_id)
        return known if within is None else apart(known, within)

    def undo(self, digests: list[Digest]) -> None:
        """Removes digests, which restores the episodes. Raises StoreError, StoreBusy."""
        with self.store.write() as writer:
            writer.digests.drop_digests(digest.id for digest in digests)


def _threads(reader: Searcher, user_id: str, before: datetime) -> list[set[str]]:
    """The old MemCells of each chain of scenes."""
    scenes = reader.consolidation.scenes(user_id)
    first = chains(scenes)
    old = reader.topics.settled_ids(before)
    threads: dict[str, set[str]] = {}
    for scene in scenes:
        threads.setdefault(first[scene.scene_id], set()).update(old.intersection(scene.memcell_ids))
    return list(threads.values())


def _digest(reader: Searcher, cells: Collection[str]) -> Digest:
    return make_digest(reader.topics.memcells(cells), episodes_for_all(reader.topics.episodes(cells)))
