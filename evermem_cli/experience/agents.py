"""The type of assistant that a request is for: by its vector in English, by words of a domain in Chinese."""

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from evermem_cli.experience.phrase_lists import tables
from evermem_cli.languages.language import language
from evermem_cli.memory import AgentType, Scale

Vectors = NDArray[np.float32]

# The cosine to a description from which a request is of its type, on the default embedder's scale. Of 88 requests by
# blind hands, labelled by hand as well, 59 are right so, 16 of another type. With 320 words it was 56 and 18.
LEAST = 0.2
_DOMAINS = {AgentType(name): words for name, words in tables("words")["domains"].items()}
_CHINESE = {kind: re.compile("|".join(words["zh"].split())) for kind, words in _DOMAINS.items()}


class AgentTypes:
    """The types with the vectors of their descriptions; `embed` gives unit vectors, whose cosines have this scale."""

    def __init__(self, embed: Callable[[Sequence[str]], Vectors], scale: Scale) -> None:
        described = [(kind, text) for kind, words in _DOMAINS.items() for text in words["about"]]
        self._kinds = [kind for kind, _ in described]
        self._descriptions = embed([text for _, text in described])
        self._least = scale.own(LEAST)

    def of(self, situation: str, vector: Vectors) -> AgentType:
        """The type of a request, given with its vector; GENERAL where it is near no description."""
        if language(situation) == "zh":
            return _by_words(situation)
        cosines = self._descriptions @ vector
        best = int(cosines.argmax())
        return self._kinds[best] if cosines[best] > self._least else AgentType.GENERAL


def _by_words(text: str) -> AgentType:
    """The type with the most different words in a Chinese text."""
    counts = {kind: len(set(pattern.findall(text))) for kind, pattern in _CHINESE.items()}
    best = max(counts, key=lambda kind: counts[kind])
    return best if counts[best] else AgentType.GENERAL
