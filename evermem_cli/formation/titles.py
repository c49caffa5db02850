"""Checks that statements support a title. The standard is that of facts, since a title is read first and alone."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from evermem_cli.formation.facts import Retelling
from evermem_cli.formation.grounding import CitedWords, content_words, keeps_negation, name_words
from evermem_cli.formation.sentences.statements import without_instructions
from evermem_cli.languages.english import LIGHT_WORDS
from evermem_cli.languages.language import language

_CLAUSE = re.compile(r"[,;:–—.!?…]|\s-\s|\b(?:and|but|or|so|because|though|while|since|if|when)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’`][^\W_]+)*")


def is_supported(title: str, retellings: Sequence[Retelling]) -> bool:
    """Whether one speaker stated every word of a title in one sentence or two adjacent ones, and denied none.

    Adjacent words of the title must occur in one clause: "yoga, wedding on Friday" does not support "yoga wedding".
    """
    return any(_supports(sentences, title, names) for sentences, names in _passages(retellings))


def _passages(retellings: Sequence[Retelling]) -> Iterator[tuple[list[str], frozenset[str]]]:
    """Each sentence, and each pair of adjacent sentences of one speaker, with the names allowed in a title."""
    lines = [
        (retelling, sentence) for retelling in retellings for sentence in map(without_instructions, retelling.sentences)
    ]
    for retelling, sentence in lines:
        yield [sentence], _free_names(retelling, sentence)
    for (retelling, first), (other, second) in pairwise(lines):
        if retelling.name == other.name:
            yield [first, second], _free_names(retelling, f"{first} {second}")


def _free_names(retelling: Retelling, said: str) -> frozenset[str]:
    """The speaker's name is allowed for what the speaker did or reports."""
    return name_words(retelling.name) if retelling.name in said else frozenset()


def _supports(sentences: Sequence[str], title: str, names: frozenset[str]) -> bool:
    source = CitedWords(list(sentences), names)
    if not source.supports(title) or not keeps_negation(" ".join(_carrying(sentences, title)), title):
        return False
    if language(title) == "zh":
        return True
    words = [word for word in content_words(title, names) if word not in LIGHT_WORDS]
    return bool(words) and all(_stand_together(pair, sentences) for pair in _compounds(title, words))


def _carrying(sentences: Iterable[str], title: str) -> list[str]:
    """The sentences that contain a word of the title."""
    title_words = CitedWords([title], frozenset())
    return [sentence for sentence in sentences if any(map(title_words.has, content_words(sentence)))] or list(sentences)


def _compounds(title: str, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The pairs of words in a title with nothing between them."""
    for first, second in pairwise(_WORD.findall(title.lower())):
        if first in words and second in words:
            yield first, second


def _stand_together(pair: tuple[str, str], sentences: Iterable[str]) -> bool:
    clauses = (CitedWords([clause], frozenset()) for sentence in sentences for clause in _CLAUSE.split(sentence))
    return any(all(map(clause.has, pair)) for clause in clauses)
