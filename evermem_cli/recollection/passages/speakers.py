"""Selects whose words are read where a question names one person."""

from collections.abc import Sequence, Set

from evermem_cli.memory import Evidence, Role

# Others' words are read if they are about as likely the evidence as the best. For LoCoMo's questions about one person
# they have 5 % of the evidence, and a small reader confuses their cat with that of the person asked about.
ABOUT_AS_LIKELY = 1.0


def of_those_named(named: Set[str], hits: Sequence[Evidence]) -> list[Evidence]:
    """The hits to read: those of the speaker whom the question names, and the most likely ones of others."""
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
