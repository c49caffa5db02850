"""English words by their class or form: function words, auxiliaries, past forms and the like."""

import re
from collections.abc import Sequence
from itertools import dropwhile, pairwise

from evermem_cli.languages.lexicon import lexicon

WORD = re.compile(r"[^\W_]+(?:['’`][^\W\d_]+)*")
HYPHENATED = re.compile(r"(?<![\w-])[^\W_]+(?:['’`-][^\W_]+)*")  # "well-known" is one


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


AUXILIARIES = lexicon().auxiliaries
_POINTERS = _words("this that")
DETERMINERS = _POINTERS | _words("a an the my your his her its our their some")
PREPOSITIONS = _words("of at in on to for with")
CONJUNCTIONS = _words("after because before since until when while")
_THEY = _words("he she they")
THIRD_PERSONS = _THEY | _words("him her them")
_SUBJECTS = _THEY | _POINTERS | _words("i we it these those there who you")
# Adverbs that the lexicon knows as other words, too.
_SMALL_ADVERBS = _words("again all also both even just only so still then too")
_REPLIES = _words("no not yes")
_ADVERBS = _SMALL_ADVERBS | _words("first kinda now often once sure well")
# That say how sure or how often something is, unlike "abroad" and "together", and have no ending that tells.
_OF_DEGREE = _words("almost already always either ever never sometimes soon")
_OTHERS = _words("""
    and or but nor yet by from as into onto about over under during till where why how whom whose which what than here
    doing done ca wo hers theirs himself herself itself themselves others other very each own such if due up
    down out off any one ones more most much many lot lots s t re ve ll d m me us
""")
# Function words, which a message does not have to support.
FUNCTION_WORDS = frozenset[str]().union(
    AUXILIARIES, DETERMINERS, PREPOSITIONS, CONJUNCTIONS, THIRD_PERSONS, _SUBJECTS, _SMALL_ADVERBS, _REPLIES, _OTHERS
)
NAMING = _words("called name named names")
ANSWERS = _REPLIES | _words("yeah yep yup nope nah ok okay")
# What begins a clause.
_BEGINNINGS = _SUBJECTS | _words("u ya yall anyone anybody")
_CONTRACTED = tuple("m re s ve".split())  # "im": people type in haste
_INFORMAL = _words("aint been cant gonna shant wont")


def is_adverb(word: str) -> bool:
    """Whether a word in small letters is an adverb that tells nothing by itself: "often", "exactly", not "abroad"."""
    return word in _ADVERBS | _OF_DEGREE or (word.endswith("ly") and word in lexicon().adverbs)


def may_be_adverb(word: str) -> bool:
    """Whether a word in small letters may be an adverb between a subject and its verb."""
    known = lexicon().adverbs | lexicon().adverbial
    return word in _ADVERBS or (word in known and word not in FUNCTION_WORDS)


def is_past(word: str) -> bool:
    """Whether a word in small letters is a past form or participle, by its form alone, and rather nothing else."""
    return word.removesuffix("n't") in lexicon().past - lexicon().nominal or _ends_in_ed(word)


def tells_past(words: Sequence[str]) -> bool:
    """Whether a sentence of words in small letters has a past form; "rose" is one after its subject, "he rose"."""
    after_subject = (word for before, word in pairwise(words) if before in _SUBJECTS)
    return any(map(is_past, words)) or not lexicon().past.isdisjoint(after_subject)


def is_only_past(word: str) -> bool:
    """Whether a word in small letters is a past form or participle, and no present form either: not "put"."""
    return word in lexicon().unlike_present or _ends_in_ed(word)


def _ends_in_ed(word: str) -> bool:
    return word.endswith("ed") and word not in lexicon().not_past | lexicon().nominal


def is_uninflected(word: str) -> bool:
    """Whether a word in small letters stays as it is after a name: past forms, function words, negated auxiliaries."""
    is_function_word = word in FUNCTION_WORDS and word != "own"  # "I own a flat"
    is_past_form = word in lexicon().past or _ends_in_ed(word)
    return is_function_word or is_past_form or word.removesuffix("not") in lexicon().finite or _makes_clause(word)


def _makes_clause(word: str) -> bool:
    """Whether a word is a finite auxiliary, perhaps negated, with or without its apostrophe: "is", "isnt", "isn't"."""
    plain = word.replace("'", "")
    return plain.removesuffix("nt") in lexicon().finite or plain in _INFORMAL


def is_clause(text: str) -> bool:
    """Whether a text has a subject and a verb, by its pronouns and auxiliaries; "a flat in Hull" has not."""
    plain = map(_without_apostrophes, WORD.findall(text))
    words = [*dropwhile(lambda word: is_adverb(word) or word in ANSWERS, plain)]
    return bool(words) and (_begins_clause(words[0]) or any(map(_makes_clause, words[1:])))


def _begins_clause(word: str) -> bool:
    """Whether a word is a pronoun, perhaps with a verb: "she", "shes", "theyre", but not "were"."""
    pronouns = (word.removesuffix(ending) for ending in _CONTRACTED if word not in AUXILIARIES)
    return word in _BEGINNINGS or not _SUBJECTS.isdisjoint(pronouns)


def _without_apostrophes(word: str) -> str:
    """A word in lower case without apostrophes; "I'll" and "she's" become their pronouns."""
    parts = word.lower().replace("’", "'").replace("`", "'").split("'")
    return parts[0] if parts[0] in _BEGINNINGS else "".join(parts)


def begins_in_past(phrase: str) -> bool:
    """Whether the phrase begins with a verb in the past: "sold the car", "dropped maths"; one word may be a state."""
    first, *rest = phrase.casefold().split() or [""]
    return bool(rest) and first not in FUNCTION_WORDS and is_past(first)


def finished(phrase: str) -> str:
    """The phrase without function words at its end: "Callum" for "Callum and"."""
    while phrase and phrase.split()[-1].casefold() in FUNCTION_WORDS:
        phrase = phrase.rstrip()[: -len(phrase.split()[-1])].rstrip()
    return phrase
