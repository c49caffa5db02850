"""Whether the best evidence for a question is withheld from the agent that asks.

The rest may then tell the contrary: of "I missed the race", "Registered for the race!" alone is left.
"""

from dataclasses import replace

from evermem_cli.engines import Embedder
from evermem_cli.memory import Filter
from evermem_cli.recollection.questions.query import Query
from evermem_cli.recollection.search.find import find
from evermem_cli.store import Store

DECISIVE = 3  # the owner's best results; what stands near them is read, too


def withholds_best(query: Query, store: Store, embedder: Embedder, where: Filter) -> bool:
    """Whether one of the owner's best results for the query is hidden. Raises StoreError, StoreBusy."""
    if store.access is None and store.public is None:
        return False
    with store.read_withheld() as reader:
        if not reader.is_any():
            return False
    best = find(query, replace(store, access=None, public=None), embedder, where, DECISIVE)
    with store.read_withheld() as reader:
        return reader.count({message.id for hit in best for message in hit.messages}) > 0
