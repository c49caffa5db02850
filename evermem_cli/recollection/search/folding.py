"""Folding: a message and the memories derived from it become one result."""

from collections.abc import Iterable
from dataclasses import replace

from evermem_cli.memory import NARRATIVES, Evidence, Message


def fold(hits: Iterable[Evidence]) -> list[Evidence]:
    """One result for each message, since a message and the facts derived from it say the same.

    The result has the rank of the best of them. Its text is the one that matches best, be it the message or a fact.
    """
    kept: list[list[Evidence]] = []
    of_message: dict[str, list[Evidence]] = {}
    for evidence in hits:
        ids = [] if evidence.kind in NARRATIVES else stated_in(evidence)
        same = next((of_message[one] for one in ids if one in of_message), None)
        if same is None:
            kept.append(same := [])
        same.append(evidence)
        for one in ids:
            of_message.setdefault(one, same)
    return [
        replace(max(same, key=_match), score=same[0].score, why=same[0].why, cosine=same[0].cosine) for same in kept
    ]


def messages_of(hits: Iterable[Evidence]) -> list[Message]:
    """The messages behind results, each once, the best result's first. Narratives have too many and are left out."""
    several = (message for hit in hits if hit.kind not in NARRATIVES for message in hit.messages)
    return list({message.id: message for message in several}.values())


def stated_in(evidence: Evidence) -> list[str]:
    """The ids of the messages that state it. The question that somebody else asked before a fact is not among them."""
    return [message.id for message in evidence.messages if evidence.speaker in (None, "", message.speaker)]


def _match(evidence: Evidence) -> float:
    """The score without the deduction for derived memories."""
    return evidence.score - (evidence.why.parts["drawn"] if evidence.why else 0.0)
