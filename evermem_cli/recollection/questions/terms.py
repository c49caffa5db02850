"""The words of a question, in the sets that comparisons with messages and answers need."""

import re
from dataclasses import dataclass

from evermem_cli.languages.language import language, searchable
from evermem_cli.languages.word_forms import forms
from evermem_cli.languages.words import (
    STOP_WORDS,
    WORD_WITH_ENDING,
    amounts,
    claims,
    content_stems,
    content_words,
    words_of,
)
from evermem_cli.recollection.plans import topic

_ASKING_DAY_ZH = re.compile(r"什么时候|何时|哪天|几号|几月|[的是在到来去了我你他她们吗呢要会]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The words that a question is about.

    `content` are the content words in order, empty for Chinese, which is indexed as bigrams. `stems` are their stems,
    `all_stems` also those of irregular forms. `words` are casefolded, without stop words. `claims` are words that an
    answer need not have support for, `amounts` the question's numbers (see `languages.words.amounts`). `topic` may name
    an arrangement. `repeatable` are all words with which a small model may begin its answer, including those for the
    asker.
    """

    content: str
    stems: frozenset[str]
    all_stems: frozenset[str]
    words: frozenset[str]
    claims: frozenset[str]
    amounts: frozenset[str]
    topic: frozenset[str]
    repeatable: tuple[str, ...]


def read_terms(text: str, asker: str) -> Terms:
    """Reads the words of a question.

    `asker` is the name in passages of the person who says "I", "" where nobody does.
    """
    content = content_words(text)
    return Terms(
        content=content if language(text) == "en" else "",
        stems=content_stems(text),
        all_stems=frozenset(stem for word in content.split() for stem in content_stems(" ".join(forms(word)))),
        words=frozenset(words_of(text)) - STOP_WORDS,
        claims=claims(text),
        amounts=frozenset(amounts(text)),
        topic=topic(_ASKING_DAY_ZH.sub(" ", text)),
        repeatable=tuple(WORD_WITH_ENDING.findall(searchable(f"{text} {asker}".strip()))),
    )
