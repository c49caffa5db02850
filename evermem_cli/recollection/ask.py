"""The workflow from question to answer: recall, then have the model read what was recalled."""

import time
from collections.abc import Callable
from datetime import datetime

from evermem_cli.engines import Embedder, Llm
from evermem_cli.memory import Filter
from evermem_cli.recollection.answer import Answer, answer, evidence_only
from evermem_cli.recollection.recall import recall
from evermem_cli.store import Store

CHARACTERS_PER_TOKEN = 4  # without a model, a budget in tokens is estimated: English has about four to the token


def ask(
    question: str,
    store: Store,
    embedder: Embedder,
    load_llm: Callable[[], Llm] | None,
    where: Filter,
    now: datetime,
    budget: int,
    on_text: Callable[[str], None],
) -> Answer:
    """Answers from memory, streaming to `on_text`; without a model the answer is the evidence itself.

    `where` says which memories count, `now` is the moment asked at, `budget` the tokens of memory to read.
    Raises StoreError, StoreBusy, ModelError.
    """
    start = time.monotonic()
    llm = load_llm() if load_llm else None
    loaded = time.monotonic()
    count = llm.count_tokens if llm else lambda text: len(text) // CHARACTERS_PER_TOKEN
    found = recall(question, store, embedder, where, budget, count, now)
    timings = {"load": loaded - start, "search": time.monotonic() - loaded}
    if llm is None:
        return evidence_only(question, now, found, timings | {"first_token": 0.0, "total": time.monotonic() - start})
    return answer(question, now, found, llm, on_text, timings, start)
