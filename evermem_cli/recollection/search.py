"""Hybrid search: candidates by keyword and by meaning, fused by rank, one result for each thing said."""

from collections.abc import Iterable, Sequence

from evermem_cli.engines import Embedder
from evermem_cli.memory import Evidence, Filter, Kind
from evermem_cli.store import Store

# Reciprocal rank fusion, Cormack et al. 2009; 60 is their constant and the documents'.
RRF_K = 60
# Candidates per view: the documents' max(50, 5k), so that what one view ranks low the other can still lift.
LEAST_CANDIDATES = 50


def search(query: str, store: Store, embedder: Embedder, where: Filter, k: int) -> list[Evidence]:
    """The k best memories for the query, best first; scores are comparable within one call only.

    Raises StoreError, StoreBusy.
    """
    vector = embedder.embed([query])[0]
    with store.read() as reader:
        reader.check_embedder(embedder.name, embedder.dimension)
        limit = max(LEAST_CANDIDATES, 5 * k)
        fused = fuse(reader.keyword(query, where, limit), reader.similar(vector, where, limit))
        return fold(reader.evidence(fused[: 3 * k]))[:k]


def fuse(*views: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Document numbers with the sum of 1 / (60 + rank) over the views they are in, best first."""
    scores: dict[int, float] = {}
    for view in views:
        for rank, (number, _) in enumerate(view, start=1):
            scores[number] = scores.get(number, 0.0) + 1 / (RRF_K + rank)
    return sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))


def fold(found: Iterable[Evidence]) -> list[Evidence]:
    """Keeps the best result of each message: a message and the fact drawn from it say the same thing."""
    taken: set[str] = set()
    kept = []
    for evidence in found:
        if evidence.kind is Kind.EPISODE:
            kept.append(evidence)
            continue
        ids = {message.id for message in evidence.messages}
        if not ids & taken:
            kept.append(evidence)
        taken |= ids
    return kept
