"""Refuses if nobody says that they have the thing asked about."""

import re
from collections.abc import Iterable

from evermem_cli.consolidation.wordings.wording import wordings_of
from evermem_cli.formation.sentences.statements import is_question, split_sentences
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def lacks_possession(question: Question, recollection: Recollection) -> bool:
    """Whether it asks if somebody has any, and nothing that the person says mentions having one.

    From "I'm thinking of getting a car" a small model infers a car, and from somebody else's brother one's own.
    """
    asked = question.profile.possession
    return asked is not None and any(
        asked.is_about(name) and not _has_any(asked.of.spoken, recollection.said_by(name))
        for name in question.whose.subjects
    )


def _has_any(spoken: str, texts: Iterable[str]) -> bool:
    has, hedge = re.compile(rf"\b(?:{spoken})\b", re.I), wordings_of("en").hedge
    sentences = (sentence for text in texts for sentence in split_sentences(text))
    return any(
        has.search(sentence) and not is_question(sentence) and not hedge.search(sentence) for sentence in sentences
    )
