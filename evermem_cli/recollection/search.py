"""Search: what the question asks for, candidates by keyword and meaning, ranking, one result for each thing said."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from evermem_cli import timespan
from evermem_cli.engines import Embedder, Vectors
from evermem_cli.memory import NARRATIVES, Evidence, Filter, Found, Message
from evermem_cli.recollection.irregular import forms
from evermem_cli.recollection.question import by_name, read_question
from evermem_cli.recollection.ranking import REACH, rank, reasons
from evermem_cli.store import Store

# Candidates of each view, before the ranking looks closer: more than it would ever put among the best.
CANDIDATES = 300
# Results that may fold into one: a message, and what was drawn from it.
FOLDED = 4
# What a question as a statement counts beside the question. At 1, of LongMemEval's questions one more has all its
# sessions among ten and two fewer among five.
STATED = 0.6
SHORTEST = 1e-12  # zeros stay zeros


def search(query: str, store: Store, embedder: Embedder, where: Filter, k: int) -> list[Evidence]:
    """The k best memories for the query, as `look_up` finds them."""
    return list(look_up(query, store, embedder, where, k).items)


def look_up(query: str, store: Store, embedder: Embedder, where: Filter, k: int) -> Found:
    """The k best memories for the query, best first; scores (logits) are comparable within one call only.

    Dates in the query count from `where.as_of`, else from now. Raises StoreError, StoreBusy.
    """
    query = by_name(query)
    spans = timespan.find(query, where.as_of or datetime.now(UTC))
    with store.read() as reader, ThreadPoolExecutor(1) as aside:
        names = reader.names_of(where.user_id) if where.user_id else []
        question = read_question(query, reader.called(where.user_id), spans, asker=next(iter(names), None))
        vectors = aside.submit(embedder.embed, [question.spoken, question.stated, query])  # while words are looked up

        def embedded() -> Vectors:
            reader.check_embedder(embedder.name, embedder.dimension)
            spoken, stated, asked = vectors.result()
            return np.stack([as_one(spoken, stated), asked])

        words = [forms(word) for word in question.words]
        pool = reader.pool(words, embedded, where, max(CANDIDATES, k), REACH)
        rows, parts = rank(question, pool)
        ranked = [(int(pool.head[row]), float(score)) for row, score in zip(rows, parts.sum(axis=1), strict=True)]
        found = reader.evidence(ranked[: FOLDED * k])
    explained = (replace(each, why=why) for each, why in zip(found, reasons(parts), strict=False))
    return Found(tuple(fold(explained)[:k]), pool.archived)


def as_one(spoken: NDArray[np.float32], stated: NDArray[np.float32]) -> NDArray[np.float32]:
    """The unit vector between a question and the same as a statement, unit vectors too, nearer to the question.

    Messages are statements: of LoCoMo's questions 94.8 % then have evidence among ten messages, not 94.4.
    """
    both: NDArray[np.float32] = spoken + np.float32(STATED) * stated
    return both / max(float(np.linalg.norm(both)), SHORTEST)


def fold(found: Iterable[Evidence]) -> list[Evidence]:
    """One result for each message: a message and the facts drawn from it say the same thing.

    It stands where the best of them stands, and is the one that says it best, though it was drawn from another.
    """
    kept: list[list[Evidence]] = []
    of_message: dict[str, list[Evidence]] = {}
    for evidence in found:
        ids = [] if evidence.kind in NARRATIVES else stated_in(evidence)
        same = next((of_message[one] for one in ids if one in of_message), None)
        if same is None:
            kept.append(same := [])
        same.append(evidence)
        for one in ids:
            of_message.setdefault(one, same)
    return [replace(max(same, key=_match), score=same[0].score, why=same[0].why) for same in kept]


def messages_of(found: Iterable[Evidence]) -> list[Message]:
    """The messages behind results, each once, the best result's first; narratives tell of too many."""
    several = (message for each in found if each.kind not in NARRATIVES for message in each.messages)
    return list({message.id: message for message in several}.values())


def stated_in(evidence: Evidence) -> list[str]:
    """Messages (ids) that say it: of a fact, not the question that somebody else asked before."""
    return [each.id for each in evidence.messages if evidence.speaker in (None, "", each.speaker)]


def _match(evidence: Evidence) -> float:
    """The score without what speaks against all that is drawn from messages."""
    return evidence.score - (evidence.why.parts["drawn"] if evidence.why else 0.0)
