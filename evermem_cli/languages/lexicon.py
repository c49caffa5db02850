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
        self._unchanged = frozenset[str](stored["unchanged"])  # "put", not "knit", whose present is as common
        self._present = frozenset[str](stored["present"])  # past forms that are rather present ones: "lay"
        self.nominal = frozenset[str](stored["nominal"])  # past forms that are rather nouns or adjectives: "spelt"
        self.participles = frozenset[str](stored["participles"])  # that are no past tense: "gone"
        self.not_past = frozenset[str](stored["not_past"])  # end in -ed: "need", "hundred"
        self.auxiliaries = frozenset[str](stored["auxiliaries"])
        self.finite = frozenset[str](stored["finite"])  # auxiliaries that make a clause: "is", not "being"
        self.adverbs = frozenset[str](stored["adverbs"])  # that are nothing else
        self.adverbial = frozenset[str](stored["adverbial"])  # adverbs that are adjectives, too

    @cached_property
    def past(self) -> frozenset[str]:
        """Past forms and participles that do not end in -ed, or are spelled in a way of their own: "took", "put"."""
        return self.unlike_present | self._unchanged

    @cached_property
    def unlike_present(self) -> frozenset[str]:
        """Those of `past` that are no present forms: "took", "found"."""
        return frozenset[str]().union(*self._verbs.values()) - self._present

    @cached_property
    def forms(self) -> dict[str, tuple[str, ...]]:
        """Words with their forms of another stem: the word that they are forms of, its forms, "take", "took", "taken".

        A form that rather is another word is the first: "rose", "rise", "risen".
        """
        words = [*self._verbs.items(), *self._nouns.items()]
        inflected = [(form, word, others) for word, others in words for form in others]
        groups: dict[str, dict[str, None]] = {}
        for form, word, others in (*inflected, *((word, word, others) for word, others in words)):
            own = (form,) if form in self.nominal | self._present else ()
            groups.setdefault(form, {}).update(dict.fromkeys((*own, word, *others)))  # "saw" is rather of "see"
        return {word: tuple(forms) for word, forms in groups.items()}


@cache
def lexicon() -> Lexicon:
    """The lexicon, which the first use reads. Raises ModelError where it is missing or damaged."""
    with of_package(FILE) as stream:
        return Lexicon(json.load(stream))
