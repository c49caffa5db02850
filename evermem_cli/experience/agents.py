"""The type of assistant that an interaction is for, decided by domain words in English and Chinese."""

import re

from evermem_cli.experience.phrase_lists import tables
from evermem_cli.formation.grounding import content_words
from evermem_cli.memory import AgentType

_FEWEST = 2  # different words of one domain that the assistant's text must have; the user's text needs one

_DOMAINS = {AgentType(name): words for name, words in tables("words")["domains"].items()}
_ENGLISH = {kind: frozenset(words["en"].split()) for kind, words in _DOMAINS.items()}
_CHINESE = {kind: re.compile("|".join(words["zh"].split())) for kind, words in _DOMAINS.items()}


def agent_type(wanted: str, done: str) -> AgentType:
    """The domain with the most different words in the user's text; else the assistant's, if it is clear.

    GENERAL where neither decides.
    """
    counts = {kind: len(words) for kind, words in domain_words(wanted).items()}
    if not counts:
        counts = {kind: len(words) for kind, words in domain_words(done).items() if len(words) >= _FEWEST}
    order = list(AgentType)
    return max(counts, key=lambda kind: (counts[kind], -order.index(kind)), default=AgentType.GENERAL)


def domain_words(text: str) -> dict[AgentType, list[str]]:
    """The words of each domain in the text, in order. Domains without a word are left out."""
    words = content_words(text)
    by_domain = {
        kind: [word for word in words if {word, word.removesuffix("s"), word.removesuffix("es")} & terms]
        + list(dict.fromkeys(_CHINESE[kind].findall(text)))
        for kind, terms in _ENGLISH.items()
    }
    return {kind: words for kind, words in by_domain.items() if words}
