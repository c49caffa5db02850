"""Titles: the sentence of a topic that the highlighter finds best, and checks that statements support a proposed one.

The standard of the checks is that of facts, since a title is read first and alone. `narratives.py` holds each sentence
to the same.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from evermem_cli.formation.facts import Retelling, called, names_speaker
from evermem_cli.formation.grounding import CitedWords, content_words, keeps_negation, name_words
from evermem_cli.formation.sentences.ownership import own_remark
from evermem_cli.formation.sentences.statements import (
    Remark,
    TaggedStatements,
    instructs,
    is_question,
    strip_lead,
    without_instructions,
)
from evermem_cli.formation.sentences.third_person import tell
from evermem_cli.languages.english import WORD
from evermem_cli.languages.language import language
from evermem_cli.languages.light_words import is_light
from evermem_cli.memory import Role

_CLAUSE = re.compile(r"[,;:–—.!?…]|\s-\s|\b(?:and|but|or|so|because|though|while|since|if|when)\b", re.IGNORECASE)
_FEWEST_WORDS = 2  # content words of a title that the highlighter chooses: "Wow" tells nothing


class TitleCandidate(NamedTuple):
    """A sentence that may be the title of its topic, for everybody and for its speaker, and how well it would do.

    `odds` are log odds. `for_all` is in the third person, or after the speaker's name where it cannot be; `for_speaker`
    is as it was said, without leading exclamations.
    """

    speaker: str
    for_all: str
    for_speaker: str
    odds: float


def candidates(
    remarks: Sequence[Remark], read: TaggedStatements, retellings: Sequence[Retelling]
) -> Iterator[TitleCandidate]:
    """Each sentence of people that may be the title, in order; none in a language that is not highlighted.

    What instructs the memory, is somebody else's by the tagger or its form, or has hardly a word, may not.
    """
    retelling_of = {retelling.statement.message.id: retelling for retelling in retellings}
    for remark in remarks:
        own = own_remark(remark.whole, read.get(remark.message.id, ()))
        if own is None or not own.marks or remark.message.role is Role.ASSISTANT:
            continue
        retold = _clear_sentences(retelling_of.get(remark.message.id))
        for place in own.kept:
            said = own.said[place]
            if not instructs(said) and len(content_words(said)) >= _FEWEST_WORDS:
                plain = _plain(said)
                for_all = retold.get(place) or _for_all(plain, called(remark))
                yield TitleCandidate(remark.message.speaker, for_all, plain, own.marks[place].heading)


def _clear_sentences(retelling: Retelling | None) -> dict[int, str]:
    """The sentences in the third person that can be understood alone, by their places in the message."""
    if retelling is None:
        return {}
    pairs = zip(retelling.statement.kept, retelling.sentences, strict=True)
    return {place: sentence for place, sentence in pairs if sentence in retelling.clear}


def _plain(said: str) -> str:
    """The sentence without its leading exclamations, from a capital on."""
    bare = strip_lead(said) or said
    return bare[:1].upper() + bare[1:]


def _for_all(plain: str, name: str) -> str:
    """The sentence in the third person if it has an "I"; after the speaker's name where that would not be clear."""
    retold = tell(plain, name)
    if name not in retold or name in plain:
        return plain
    return retold if names_speaker(retold, name) and not is_question(plain) else f"{name}: {plain}"


def is_supported(title: str, retellings: Sequence[Retelling]) -> bool:
    """Whether one speaker stated every word of a title in one sentence or two adjacent ones, and denied none.

    Adjacent words of the title must occur in one clause: "yoga, wedding on Friday" does not support "yoga wedding".
    """
    return any(supports(sentences, title, free_names(name, sentences)) for name, sentences in passages(retellings))


def passages(retellings: Sequence[Retelling]) -> Iterator[tuple[str, list[str]]]:
    """Each sentence, and each pair of adjacent sentences of one speaker, after what the speaker is called."""
    lines = [
        (retelling.name, sentence)
        for retelling in retellings
        for sentence in map(without_instructions, retelling.sentences)
    ]
    for name, sentence in lines:
        yield name, [sentence]
    for (name, first), (other, second) in pairwise(lines):
        if name == other:
            yield name, [first, second]


def free_names(name: str, sentences: Sequence[str]) -> frozenset[str]:
    """The words of the speaker's name, which are allowed for what the speaker did or reports."""
    return name_words(name) if any(name in sentence for sentence in sentences) else frozenset()


def supports(sentences: Sequence[str], text: str, names: frozenset[str]) -> bool:
    """Whether sentences have every word of a text but `names`, adjacent words in one clause, and deny none."""
    source = CitedWords(list(sentences), names)
    if not source.supports(text) or not keeps_negation(" ".join(carrying(sentences, text)), text):
        return False
    if language(text) == "zh":
        return True
    words = [word for word in content_words(text, names) if not is_light(word)]
    return bool(words) and all(_stand_together(pair, sentences) for pair in _compounds(text, words))


def carrying(sentences: Iterable[str], text: str, names: frozenset[str] = frozenset()) -> list[str]:
    """The sentences that contain a word of the text besides `names`; all where none does."""
    words = CitedWords([text], frozenset())
    return [sentence for sentence in sentences if any(map(words.has, content_words(sentence, names)))] or [*sentences]


def _compounds(title: str, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The pairs of words in one clause of a title with nothing between them."""
    for clause in _CLAUSE.split(title.lower()):
        for first, second in pairwise(WORD.findall(clause)):
            if first in words and second in words:
                yield first, second


def _stand_together(pair: tuple[str, str], sentences: Iterable[str]) -> bool:
    clauses = (CitedWords([clause], frozenset()) for sentence in sentences for clause in _CLAUSE.split(sentence))
    return any(all(map(clause.has, pair)) for clause in clauses)
