"""Search: what the question asks for, candidates by keyword and meaning, ranking, one result for each thing said."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

from evermem_cli import timespan
from evermem_cli.engines import Embedder, Vectors
from evermem_cli.memory import NARRATIVES, Evidence, Filter, Found
from evermem_cli.recollection.irregular import forms
from evermem_cli.recollection.question import read_question
from evermem_cli.recollection.ranking import REACH, rank, reasons
from evermem_cli.store import Store

# Candidates of each view, before the ranking looks closer: more than it would ever put among the best.
CANDIDATES = 300
# Results that may fold into one: a message, and what was drawn from it.
FOLDED = 4


def search(query: str, store: Store, embedder: Embedder, where: Filter, k: int) -> list[Evidence]:
    """The k best memories for the query, as `look_up` finds them."""
    return list(look_up(query, store, embedder, where, k).items)


def look_up(query: str, store: Store, embedder: Embedder, where: Filter, k: int) -> Found:
    """The k best memories for the query, best first; scores (logits) are comparable within one call only.

    Dates in the query count from `where.as_of`, else from now. Raises StoreError, StoreBusy.
    """
    spans = timespan.find(query, where.as_of or datetime.now(UTC))
    with store.read() as reader, ThreadPoolExecutor(1) as aside:
        names = reader.names_of(where.user_id) if where.user_id else []
        question = read_question(query, reader.called(where.user_id), spans, asker=next(iter(names), None))
        vectors = aside.submit(embedder.embed, [question.spoken, query])  # while the words are looked up

        def embedded() -> Vectors:
            reader.check_embedder(embedder.name, embedder.dimension)
            return vectors.result()

        words = [forms(word) for word in question.words]
        pool = reader.pool(words, embedded, where, max(CANDIDATES, k), REACH)
        rows, parts = rank(question, pool)
        ranked = [(int(pool.head[row]), float(score)) for row, score in zip(rows, parts.sum(axis=1), strict=True)]
        found = reader.evidence(ranked[: FOLDED * k])
    explained = (replace(each, why=why) for each, why in zip(found, reasons(parts), strict=False))
    return Found(tuple(fold(explained)[:k]), pool.archived)


def fold(found: Iterable[Evidence]) -> list[Evidence]:
    """Keeps the best result of each message: a message and the fact drawn from it say the same thing."""
    taken: set[str] = set()
    kept = []
    for evidence in found:
        ids = {message.id for message in evidence.messages}
        if evidence.kind in NARRATIVES or not ids & taken:
            kept.append(evidence)
        if evidence.kind not in NARRATIVES:
            taken |= ids
    return kept
