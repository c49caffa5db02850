"""Whose words are read where a question names one person."""

from collections.abc import Sequence, Set

from evermem_cli.memory import Evidence, Role

# What others said is read where it is about as likely to be the evidence as the best: of LoCoMo's evidence for what
# names one person they said 5 %, and a small reader takes their cat for the cat of the one asked about.
ABOUT_AS_LIKELY = 1.0


def of_those_named(named: Set[str], hits: Sequence[Evidence]) -> list[Evidence]:
    """What is to be read: of several speakers' words those of the one whom the question names, and the most likely."""
    if len(named) != 1:
        return list(hits)
    best = max((hit.score for hit in hits), default=0.0)
    return [
        hit
        for hit in hits
        if hit.speaker in named or hit.score > best - ABOUT_AS_LIKELY or not hit.speaker or is_of_assistant(hit)
    ]


def is_of_assistant(hit: Evidence) -> bool:
    """Whether an assistant said it, who speaks about others."""
    return any(message.role is Role.ASSISTANT for message in hit.messages)
