"""The steps of `embed`: another embedder's vectors for the whole memory."""

from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType

from evermem_cli.archive.reembedding import Reembedding
from evermem_cli.cli.shared.formatting import counted
from evermem_cli.cli.shared.progress import working
from evermem_cli.cli.shared.session import Session
from evermem_cli.cli.shared.terminal import styled
from evermem_cli.consolidate import Consolidation
from evermem_cli.engines import catalog
from evermem_cli.errors import StoreError
from evermem_cli.store.transfer.reembedding import Target, reembedding


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingState:
    """A memory's embedder, the number of its texts, and the target of an unfinished `embed` with its missing texts.

    `before` is the earlier embedder, if this command has replaced it.
    """

    embedder: str
    dimension: int
    texts: int
    before: str | None = None
    resumed: int = 0
    target: Target | None = None
    missing: int = 0


def state(session: Session) -> EmbeddingState:
    """The memory's embedder, and how many vectors of another one are missing. Raises StoreError, StoreBusy."""
    status = session.status()
    with reembedding(session.store, write=False) as opened:
        target = opened.target()
        missing = opened.missing() if target else 0
        total = opened.total()
    return EmbeddingState(
        embedder=status.embedder, dimension=status.dimension, texts=total, target=target, missing=missing
    )


def embed(session: Session, name: str) -> EmbeddingState:
    """Gives the memory vectors of this embedder, and forms scenes again by these vectors.

    Raises DiskFull, ModelError, StoreError, StoreBusy, UsageError.
    """
    session.store.refuse_agent()
    StoreError.refuse_absence(session.store.path)
    catalog.find_embedder(name)
    embedder = session.engines.load_embedder(name)
    if session.store.embedder == embedder.name:
        with reembedding(session.store, write=True) as opened:
            opened.stop()
        return state(session)
    with working(session.stderr) as progress:
        made = Reembedding(session.store, embedder, progress).run()
    Consolidation(session.store, session.settings).run()
    return EmbeddingState(
        embedder=made.embedder, dimension=made.dimension, texts=made.texts, before=made.before, resumed=made.resumed
    )


def document(done: EmbeddingState) -> dict[str, Any]:
    """`embed --json`."""
    target = done.target and {
        "embedder": done.target.embedder,
        "dimension": done.target.dimension,
        "missing": done.missing,
    }
    names = ("embedder", "dimension", "texts", "before", "resumed")
    return {name: getattr(done, name) for name in names} | {"unfinished": target}


def screen(done: EmbeddingState) -> RenderableType:
    """The memory's embedder, and the remaining work."""
    line = f"{counted(done.texts, 'texts')} embedded with {done.embedder}, {done.dimension:,} dimensions"
    if done.before:
        line += f"; before with {done.before}"
        line += f" ({done.resumed:,} were there from an earlier run)" if done.resumed else ""
        line += "\nSearches and what is ingested use it from now on. The last action can no longer be undone."
    if done.target:
        line += f"\n{done.missing:,} texts have no vector of {done.target.embedder} yet: `evermem embed --model"
        line += f" {done.target.embedder}` continues. Searches use {done.embedder} until then."
    return styled(line)
