"""Forms of English words: irregular ones, which no stemmer unites, and stems that abbreviations share.

"buy" in a question matches "bought", and "education" in a retelling matches "edu".
"""

from collections.abc import Collection, Iterator

from evermem_cli.languages.lexicon import lexicon

# What a retelling may put for a word.
_RETOLD = dict(
    pair.split(":")
    for pair in """
    child:kid mom:mother mum:mother dad:father grandma:grandmother grandpa:grandfather
    """.split()
)
_SUFFIXES = (
    "ations", "ation", "ingly", "ness", "ment", "ions", "ing", "ion", "ity", "ies", "ied", "ers", "ed", "es", "ly",
    "er", "al", "y", "s", "e",
)  # fmt: skip
_PEOPLE = tuple("person people".split())  # of which the lexicon makes two words
_SHORTEST_STEM = 3  # letters of a stem, and of an abbreviation: fam, edu, mem
_LONGEST_ENDING = 3


def forms(word: str) -> tuple[str, ...]:
    """The word, casefolded, in all its forms that differ by more than an ending; most words have one."""
    return _PEOPLE if word in _PEOPLE else lexicon().forms.get(word, (word,))


def inflects(word: str, basics: Collection[str], *, by_ing: bool = True) -> bool:
    """Whether a word is one of the basic words or an inflection of one: "tries" or "trying" of "try", and "took".

    Neither a derivation such as "useful" is one, nor a participle that is no past tense: "gone". `by_ing` tells whether
    a form in -ing is.
    """
    is_irregular = word not in lexicon().participles and forms(word)[0] in basics
    return is_irregular or any(basic in basics for basic in _basic_forms(word, by_ing=by_ing))


def _basic_forms(word: str, *, by_ing: bool) -> Iterator[str]:
    """The words that a word may be a regular inflection of, itself included."""
    yield word
    if word in lexicon().not_past:  # "seed"
        return
    if word.endswith("s"):
        yield word[:-1]
    for ending in ("es", "ed", "ing") if by_ing else ("es", "ed"):
        stem = word.removesuffix(ending)
        if stem in (word, ""):
            continue
        if ending != "es":
            yield from (stem, f"{stem}e", stem[:-1] if stem[-2:] == 2 * stem[-1] else stem)  # "plann"
        elif stem.endswith(("o", "s", "x", "z", "h")):
            yield stem
        yield f"{stem[:-1]}y" if stem[-1] == "i" else word


def word_stems(word: str) -> frozenset[str]:
    """The stems of the word in all its forms: "rose" may be of "roses" and of "rises"."""
    return frozenset(map(_stem, (word, *forms(word))))


def word_stem(word: str) -> str:
    """A word without its ending, in its basic form: the longest suffix that leaves three letters is removed."""
    return _stem(forms(word)[0])


def _stem(word: str) -> str:
    word = _RETOLD.get(word, word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            stem = word[: -len(suffix)]
            return stem[:-1] if len(stem) > _SHORTEST_STEM and stem[-1] == stem[-2] else stem
    return word


def is_form_of(stem: str, said: str) -> bool:
    """Whether a stem belongs to the same word as one that was said: it differs in its ending, or one is abbreviated."""
    shorter, longer = sorted((stem, said), key=len)
    if not longer.startswith(shorter):
        return False
    alike = len(shorter) > _SHORTEST_STEM and len(longer) - len(shorter) <= _LONGEST_ENDING
    return alike or stem == said or (shorter == said and len(said) == _SHORTEST_STEM)
