"""The workflow that embeds a memory with another embedder. Searches use the old vectors until it is done."""

from collections.abc import Sequence
from dataclasses import dataclass

from evermem_cli.engines import Embedder
from evermem_cli.engines.calibration import scale_of
from evermem_cli.formation.pieces import spoken_pieces
from evermem_cli.progress import Progress
from evermem_cli.store import Store
from evermem_cli.store.transfer.reembedding import Target, Unembedded, adopt, reembedding

_READ = 4096  # texts read at once
_SLICE = 256  # texts embedded and committed together: a few seconds of work


@dataclass(frozen=True, slots=True, kw_only=True)
class Reembedded:
    """The result: the old and the new embedder, the number of texts, and how many an earlier run had embedded."""

    before: str
    embedder: str
    dimension: int
    texts: int
    resumed: int


@dataclass(frozen=True, slots=True)
class Reembedding:
    """Gives everything in a memory vectors of this embedder.

    The file is locked only while new vectors are stored, so searches and ingests go on with the old ones. When every
    text has a new vector, the file is rewritten with the new vectors. The next run continues a run that was stopped.
    """

    store: Store
    embedder: Embedder
    progress: Progress
    together: int = _SLICE

    def run(self) -> Reembedded:
        """Embeds every text without a new vector, and switches to the new ones.

        Raises DiskFull, ModelError, StoreError, StoreBusy.
        """
        target, total, resumed = self._begin()
        before = self.store.embedder or ""
        done = resumed
        while (texts := self._embed_missing(target, done, total)) is None:
            with reembedding(self.store, write=False) as opened:
                total, done = opened.total(), opened.total() - opened.missing()
        return Reembedded(
            before=before, embedder=target.embedder, dimension=target.dimension, texts=texts, resumed=resumed
        )

    def _begin(self) -> tuple[Target, int, int]:
        """The target, the number of texts, and the number of texts that have new vectors already."""
        name, dimension = self.embedder.name, self.embedder.dimension
        with reembedding(self.store, write=False) as opened:
            target = opened.target()
        if target is None or (target.embedder, target.dimension) != (name, dimension):
            target = Target(embedder=name, dimension=dimension, scale=scale_of(self.embedder))
            with reembedding(self.store, write=True) as opened:
                opened.begin(target)
        with reembedding(self.store, write=False) as opened:
            total = opened.total()
            return target, total, total - opened.missing()

    def _embed_missing(self, target: Target, done: int, total: int) -> int | None:
        """Embeds every text without a new vector, and switches; None if more texts have come meanwhile."""
        while True:
            with reembedding(self.store, write=False) as opened:
                waiting = opened.unembedded(_READ)
            if not waiting:
                return adopt(self.store, target)
            for start in range(0, len(waiting), self.together):
                self.progress("texts", done, total)
                texts = waiting[start : start + self.together]
                self._put(texts)
                done += len(texts)
            self.progress("texts", done, total)

    def _put(self, texts: Sequence[Unembedded]) -> None:
        pieces = [_pieces(text) for text in texts]
        vectors = self.embedder.embed([piece for parts in pieces for piece in parts])
        with reembedding(self.store, write=True) as opened:
            opened.put(texts, [len(parts) for parts in pieces], vectors)


def _pieces(text: Unembedded) -> list[str]:
    return spoken_pieces(text.message, text.before) if text.message else [text.text]
