"""Verbs in sentences: whether a sentence has a verb, and has it in the past."""

import re

from evermem_cli.languages.english import is_only_past
from evermem_cli.languages.word_forms import forms
from evermem_cli.languages.words import content_stems, words_of

UNDONE = re.compile(r"\b(?:not|never|if|unless|maybe|perhaps|hope|wish)\b|n't\b")


def has_verb(verb: str, text: str) -> bool:
    """Whether a text has the verb, in any of its forms."""
    bare = verb.removesuffix("s")
    return not content_stems(" ".join({verb, *forms(verb), *forms(bare)})).isdisjoint(content_stems(text))


def is_past(verb: str, sentence: str) -> bool:
    """Whether the sentence has the verb in a past form, so that it was done; advice and instructions have none.

    A verb like "put", whose past form is also its present, has none that tells.
    """
    return any(is_only_past(word) for word in words_of(sentence) if has_verb(verb, word))
