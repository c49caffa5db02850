"""Light words of English, in whatever form: a retelling needs them, and no text is about them."""

from collections.abc import Iterable
from functools import lru_cache

from evermem_cli.languages.word_forms import forms
from evermem_cli.languages.words import porter_stems


@lru_cache(10_000)
def basic_stem(word: str) -> str:
    """The stem of a word in its basic form: that of "take" for "took"."""
    return porter_stems([forms(word)[0]])[0]


def stems_of(words: Iterable[str]) -> frozenset[str]:
    """The stems of words in basic forms."""
    return frozenset(map(basic_stem, words))


# Allowed in a retelling without support, though they lower the confidence.
_LIGHT = stems_of(
    """
    able agree answer ask become believe cause come consider continue current describe enjoy especial expect feel
    find get give go include involve keep know like make mean mention need now part people person plan probable
    rather recent remember say see share something take tell thing think time try use value want way
""".split()
)
_AS_THEY_STAND = frozenset("called named".split())  # to call somebody is a deed


def is_light(word: str) -> bool:
    """Whether a word in small letters is light."""
    return word in _AS_THEY_STAND or basic_stem(word) in _LIGHT
