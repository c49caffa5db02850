"""Searches of a memory, as tests ask for them."""

from evermem_cli.engines import Embedder
from evermem_cli.memory import Evidence, Filter
from evermem_cli.recollection.search.find import look_up
from evermem_cli.store import Store


def search(text: str, store: Store, embedder: Embedder, where: Filter, k: int) -> list[Evidence]:
    """The k best memories, best first."""
    return list(look_up(text, store, embedder, where, k).items)
