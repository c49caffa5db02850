"""Selects the sentences that summarise a MemCell: those with figures, then answers and dates, then informative ones."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from evermem_cli import timespan
from evermem_cli.formation.grounding import NUMBERS, content_words
from evermem_cli.languages.language import DIGIT, language

_WORD = re.compile(r"[^\W\d_]+")
_COUNTS = frozenset(NUMBERS) - {"one", "zero"}
_ROOM = {"en": 240, "zh": 90}  # characters of a summary
_RESULTS_ROOM = {"en": 480, "zh": 180}  # characters for sentences with figures, where these need more


@dataclass(frozen=True, slots=True)
class SummarySentence:
    """A sentence for a summary: `text` with its speaker and the question answered, `said` as it was said.

    `clear` if the text can be understood alone, `answers` if a question came before.
    """

    text: str
    said: str
    at: datetime
    clear: bool
    answers: bool

    @property
    def has_figure(self) -> bool:
        """Whether it has a number: an amount, a count, a day of the month, an hour."""
        return bool(DIGIT.search(self.said)) or any(word.lower() in _COUNTS for word in _WORD.findall(self.said))

    @property
    def rank(self) -> int:
        """A rank for how likely the sentence states the outcome of the talk."""
        return 2 if self.has_figure else int(self.answers or bool(timespan.find(self.said, self.at)))


def summary(sayings: Sequence[SummarySentence], names: frozenset[str], written_in: str) -> str:
    """The sentences that fit, in order: those with a figure, then those that can be understood alone."""
    results = [saying for saying in sayings if saying.has_figure]
    chosen = telling_most(results, names, _RESULTS_ROOM[written_in]) if results else []
    others = [saying for saying in sayings if saying.clear and saying not in results] or ([] if chosen else sayings)
    chosen = _filled(chosen, others, names, _ROOM[written_in])
    return ("" if written_in == "zh" else " ").join(saying.text for saying in sorted(chosen, key=sayings.index))


def heading(sayings: Sequence[SummarySentence], names: frozenset[str], limit: int) -> str:
    """The most informative sentence of those that fit within `limit` characters, if any."""
    clear = [saying for saying in sayings if saying.clear] or list(sayings)
    fitting = [saying for saying in clear if len(saying.text) <= limit] or clear[:1]
    return max(fitting, key=lambda saying: (saying.rank, len(_words(saying, names)))).text


def telling_most(sayings: Sequence[SummarySentence], names: frozenset[str], room: int) -> list[SummarySentence]:
    """The most informative sentence and as many more as fit within `room` characters."""
    return _filled([max(sayings, key=lambda saying: len(_words(saying, names)))], sayings, names, room)


def _filled(
    chosen: Sequence[SummarySentence], sayings: Sequence[SummarySentence], names: frozenset[str], room: int
) -> list[SummarySentence]:
    """The chosen sentences and as many more as fit; each next one has the highest rank and the most new words."""
    filled = list(chosen)
    covered = {word for saying in filled for word in _words(saying, names)}
    while True:
        size = sum(len(saying.text) + 1 for saying in filled)
        new = [s for s in sayings if s not in filled and _words(s, names) - covered]
        fitting = [s for s in new if not filled or size + len(s.text) <= room]
        if not fitting:
            return filled
        filled.append(max(fitting, key=lambda saying: (saying.rank, len(_words(saying, names) - covered))))
        covered |= _words(filled[-1], names)


def _words(saying: SummarySentence, names: frozenset[str]) -> frozenset[str]:
    """Its content words without names; its characters in Chinese."""
    return frozenset(saying.text if language(saying.text) == "zh" else content_words(saying.text, names))
