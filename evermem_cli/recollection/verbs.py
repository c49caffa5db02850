"""Verbs in sentences: whether a sentence has one, has it as done, or only means to do it."""

import re

from evermem_cli.consolidation.wordings.wording import wordings
from evermem_cli.formation.sentences.statements import is_question
from evermem_cli.recollection.word_forms import forms
from evermem_cli.recollection.words import content_stems, words_of

_TO_COME = re.compile(
    r"(?:\b(?:to|will|can|could|must|shall|gonna|let's|let us|please)|'ll)\s+(?:\w+\s+)?(?P<verb>[a-z]+)"
)
DENIES = re.compile(r"\b(?:not|never)\b|n't\b")


def has_verb(verb: str, text: str) -> bool:
    """Whether a text has the verb, in any of its forms."""
    bare = verb.removesuffix("s")
    return not content_stems(" ".join({verb, *forms(verb), *forms(bare)})).isdisjoint(content_stems(text))


def is_open(verb: str, sentence: str) -> bool:
    """Whether a sentence asks for it, or means to do it."""
    if DENIES.search(sentence):
        return False
    ahead = any(has_verb(verb, match["verb"]) for match in _TO_COME.finditer(sentence))
    return ahead or is_question(sentence) or bool(wordings("en").hedge.search(sentence))


def is_past(verb: str, sentence: str) -> bool:
    """Whether it says that it was done; advice says what to do, and how it is done."""
    return any(word.endswith("ed") or word in forms(verb)[1:] for word in words_of(sentence) if has_verb(verb, word))
