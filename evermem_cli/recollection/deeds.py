"""Whether something was done: of "I want to buy a racket" a small model makes one bought."""

import re
from collections.abc import Iterable

from Stemmer import Stemmer

from evermem_cli.consolidation.wording import wordings
from evermem_cli.formation.statements import is_question, split_sentences
from evermem_cli.language import language, searchable
from evermem_cli.recollection.irregular import forms
from evermem_cli.recollection.question import FUNCTION_WORDS, WORD

_ASKS = re.compile(
    r"\s*(?:did|have|has)\s+[\w'’-]+\s+(?:(?:ever|already|really|finally|actually|yet)\s+)?(?P<verb>[a-z]+)\b(?P<what>.*)",
    re.IGNORECASE,
)
_POINTING = frozenset("it one ones them that this these those".split())
_TO_COME = re.compile(
    r"(?:\b(?:to|will|can|could|must|shall|gonna|let's|let us|please)|'ll)\s+(?:\w+\s+)?(?P<verb>[a-z]+)"
)
_DENIES = re.compile(r"\b(?:not|never)\b|n't\b")


def lacks_deed(question: str, own: Iterable[str], others: Iterable[str]) -> bool:
    """Whether it asks if somebody did something, and all that is told of it is that they mean to.

    `own` is what they said themselves. What is denied is ground for an answer, and so is "it" with the very verb.
    """
    match = _ASKS.match(question) if language(question) == "en" else None
    if not match:
        return False
    verb, asked = match["verb"].casefold(), _stems(match["what"])
    own, others = ([each.casefold() for text in said for each in split_sentences(text)] for said in (own, others))

    def tells(sentence: str) -> bool:
        return _has(verb, sentence) and not (asked | _POINTING).isdisjoint(_stems(sentence) | set(sentence.split()))

    if any(tells(each) and _is_past(verb, each) for each in others):
        return False
    told = [each for each in own if tells(each) or asked & _stems(each)]
    return any(map(tells, told)) and all(_is_open(verb, each) for each in told)


def _is_open(verb: str, sentence: str) -> bool:
    """Whether a sentence asks for it, or means to do it."""
    if _DENIES.search(sentence):
        return False
    ahead = any(_has(verb, match["verb"]) for match in _TO_COME.finditer(sentence))
    return ahead or is_question(sentence) or bool(wordings("en").hedge.search(sentence))


def _is_past(verb: str, sentence: str) -> bool:
    """Whether it says that it was done; advice says what to do, and how it is done."""
    return any(
        _has(verb, word) and word not in (verb, f"{verb}s") and not word.endswith("ing") for word in _words(sentence)
    )


def _has(verb: str, text: str) -> bool:
    return not _stems(" ".join(forms(verb))).isdisjoint(_stems(text))


def _stems(text: str) -> set[str]:
    return set(Stemmer("porter").stemWords([word for word in _words(text) if word not in FUNCTION_WORDS]))


def _words(text: str) -> list[str]:
    return WORD.findall(searchable(text))
