"""Forms of English words: irregular ones, which no stemmer unites, and stems that abbreviations share.

"buy" in a question matches "bought", and "education" in a retelling matches "edu".
"""

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
_SHORTEST_STEM = 3  # letters of a stem, and of an abbreviation: fam, edu, mem
_LONGEST_ENDING = 3


def forms(word: str) -> tuple[str, ...]:
    """The word, casefolded, in all its forms that differ by more than an ending; most words have one."""
    return lexicon().forms.get(word, (word,))


def word_stem(word: str) -> str:
    """A word without its ending, in its basic form: the longest suffix that leaves three letters is removed."""
    basic = forms(word)[0]
    word = _RETOLD.get(basic, basic)
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
