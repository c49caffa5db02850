"""Reranking: a cross-encoder reads each of the best results together with the question.

It puts more evidence among the first results (tests/benchmarks/reranking.py), but these results are so similar to the
question that a small language model answers no better from them: token F1 of 62 single facts of LoCoMo fell by 7
points, that of 56 dates rose by 3. So reranking is for people who search; `ask` reads the results as they are ranked.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from evermem_cli.engines import Reranker
from evermem_cli.formation.pieces import question_asked
from evermem_cli.languages.language import language
from evermem_cli.memory import Evidence, Kind, Message
from evermem_cli.store import Store

# The number of results that are reranked. Results below this rank were hardly ever the evidence.
MOST_RERANKED = 30
# The weight of the reranker's logit beside the ranking's. Short messages between two people suggest 0.20, long ones to
# an assistant 0.52 (`python -m tests.benchmarks.reranking`). A value between them improves both.
WEIGHT = 0.3


def look_closer(question: str, hits: Sequence[Evidence], store: Store, reranker: Reranker) -> list[Evidence]:
    """The results of a search, reranked. Raises StoreError, StoreBusy."""
    with store.read() as reader:
        around = reader.messages.neighbours([message.id for evidence in hits for message in evidence.messages], 1)
    return reorder(question, hits, around, reranker)


def reorder(
    question: str, hits: Sequence[Evidence], around: Mapping[str, Message], reranker: Reranker
) -> list[Evidence]:
    """The same results, the best `MOST_RERANKED` of them in their new order.

    `around` are their messages and those just before, by id, since an answer is read with its question. Results in a
    language that the reranker does not read get the median score, and such a question changes nothing.
    """
    if language(question) not in reranker.languages:
        return list(hits)
    before = _before(around.values())
    near, rest = hits[:MOST_RERANKED], hits[MOST_RERANKED:]
    passages = {hit.id: _passage(hit, before) for hit in near if language(hit.text) in reranker.languages}
    scores = dict(zip(passages, reranker.score(question, list(passages.values())), strict=True))
    middle = float(np.median(list(scores.values()))) if scores else 0.0
    judged = [_with(hit, WEIGHT * scores.get(hit.id, middle)) for hit in near]
    return [*sorted(judged, key=lambda hit: -hit.score), *rest]


def passage(message: Message, before: Message | None) -> str:
    """A message with its speaker, after the question that it answers, if it answers one."""
    return f"{question_asked(message, before)} {message.speaker}: {message.text}".strip()


def _before(messages: Iterable[Message]) -> dict[str, Message]:
    """For each message, by id, the message just before it, if that is among them."""
    places = {(message.conversation_id, message.ordinal + 1): message for message in messages}
    return {
        message.id: places[place]
        for message in places.values()
        if (place := (message.conversation_id, message.ordinal)) in places
    }


def _passage(evidence: Evidence, before: Mapping[str, Message]) -> str:
    if evidence.kind is not Kind.MESSAGE:
        return evidence.text
    [message] = evidence.messages
    return passage(message, before.get(message.id))


def _with(evidence: Evidence, part: float) -> Evidence:
    why = evidence.why and replace(evidence.why, parts=evidence.why.parts | {"reranker": part})
    return replace(evidence, score=evidence.score + part, why=why)
