"""The words of a text, as the index, questions, answers and profiles compare them.

`word_forms.py` has stems that also match abbreviations such as "edu", for retellings.
"""

import re
from collections.abc import Sequence

from Stemmer import Stemmer

from evermem_cli.languages.english import FUNCTION_WORDS
from evermem_cli.languages.language import searchable

# Dropped from the question only, so that the index needs no list. It is short on purpose: the extension's 570 words
# also drop "new", "first" and "used", which cost half a point of recall on LoCoMo.
STOP_WORDS = FUNCTION_WORDS | {"我"}
WORD = re.compile(r"[^\W_]+")
WORD_WITH_ENDING = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")  # "I'm" and "Ann's" are one
_NEGATION = re.compile(r"\b(not|never|no|none|nobody|nothing|without|cannot|hardly)\b|n['’]t\b|不|没|未|别|无法", re.I)
_AMOUNT = re.compile(r"\d[\d.,]*")
# "Won't" and "don't" do not contain "won" and "Don", which are words of their own.
CONTRACTION = re.compile(r"\b[a-z]+n['’]t\b")
CLAIM_STEM = 5  # letters of a stem that tell "photo" and "photography" to be the same


def words_of(text: str) -> list[str]:
    """All words of a text in order, as the index knows words: casefolded, unspaced scripts and Hangul as bigrams."""
    return WORD.findall(searchable(text))


def content_words(text: str) -> str:
    """The words that a text is about, as the index knows words."""
    words = WORD.findall(CONTRACTION.sub(" ", searchable(text)))
    return " ".join(word for word in words if word not in STOP_WORDS)


def word_beginnings(text: str, letters: int) -> set[str]:
    """The words of a text cut to so many letters, by which two forms of a word are the same: "eats" and "eat"."""
    return {word[:letters] for word in words_of(text)}


def porter_stems(words: Sequence[str]) -> list[str]:
    """The stems of words (Porter 1980), as the keyword index has them."""
    stemmed: list[str] = Stemmer("porter").stemWords(words)
    return stemmed


def content_stems(text: str) -> frozenset[str]:
    """The words that a text is about, stemmed."""
    return frozenset(porter_stems(content_words(text).split()))


def amounts(text: str) -> list[str]:
    """The digits of each number, without cents of which there are none: "12500" of "£12,500.00"."""
    numbers = (match[0].rstrip(".,").removesuffix(".00") for match in _AMOUNT.finditer(text))
    return ["".join(filter(str.isdigit, number)) for number in numbers]


def claims(text: str) -> frozenset[str]:
    """The words of a text that claim something, cut to the first letters of their stems."""
    claiming = [word for word in words_of(text) if word not in FUNCTION_WORDS]
    return frozenset(stem[:CLAIM_STEM] for stem in porter_stems(claiming))


def negates(text: str) -> bool:
    """Whether the text has a word that negates."""
    return bool(_NEGATION.search(text))
