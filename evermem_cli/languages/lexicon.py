"""Forms of English words that their endings do not tell, from the SPECIALIST Lexicon of the NIH.

`python -m tests.training.lexicon` makes the file.
"""

import json
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from evermem_cli.whole_files import of_package

FILE = Path(__file__).with_name("lexicon.json")


class Lexicon:
    """Words in small letters."""

    def __init__(self, stored: dict[str, Any]) -> None:
        self._verbs: dict[str, list[str]] = stored["verbs"]
        self._nouns: dict[str, list[str]] = stored["nouns"]
        self._unchanged: list[str] = stored["unchanged"]
        self.not_past = frozenset[str](stored["not_past"])  # end in -ed: "need", "hundred"
        self.auxiliaries = frozenset[str](stored["auxiliaries"])
        self.adverbs = frozenset[str](stored["adverbs"])  # that are nothing else
        self.adverbial = frozenset[str](stored["adverbial"])  # adverbs that are adjectives, too

    @cached_property
    def past(self) -> frozenset[str]:
        """Past forms and participles that do not end in -ed, or are spelled in a way of their own: "took", "put"."""
        return frozenset(self._unchanged).union(*self._verbs.values())

    @cached_property
    def unlike_present(self) -> frozenset[str]:
        """Those of `past` that are no present forms: "took", "found"."""
        return self.past.difference(self._unchanged)

    @cached_property
    def forms(self) -> dict[str, tuple[str, ...]]:
        """Words with their forms of another stem, after the word that they are forms of: "take", "took", "taken"."""
        words = [*self._verbs.items(), *self._nouns.items()]
        inflected = [(form, word, others) for word, others in words for form in others]
        groups: dict[str, dict[str, None]] = {}
        for form, word, others in (*inflected, *((word, word, others) for word, others in words)):
            groups.setdefault(form, {}).update(dict.fromkeys((word, *others)))  # "saw" is rather of "see" than of "saw"
        return {word: tuple(forms) for word, forms in groups.items()}


@cache
def lexicon() -> Lexicon:
    """The lexicon, which the first use reads. Raises ModelError where it is missing or damaged."""
    with of_package(FILE) as stream:
        return Lexicon(json.load(stream))
