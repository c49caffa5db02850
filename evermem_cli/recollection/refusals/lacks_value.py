"""Refuses if nothing that was read mentions the one thing of several that the question asks about."""

from evermem_cli.consolidation.attributes import SEVERAL, SPECIES, TIES
from evermem_cli.languages.words import word_beginnings
from evermem_cli.reading.statements.labels import Asks
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

_STEM = 5  # letters that two words must share to count as one: "peanut" and "peanuts"


def lacks_value(question: Question, recollection: Recollection) -> bool:
    """Whether it asks if somebody has one thing of several, and no line has a word of it.

    Somebody who is allergic to walnuts may be allergic to peanuts too: nothing known denies it.
    """
    profile = question.profile
    if not profile.asks_for(Asks.YES_NO) or profile.supposes_any or profile.attribute not in SEVERAL - TIES:
        return False
    stems = word_beginnings(" ".join(recollection.quotes), _STEM)
    return not any(
        word[:_STEM] in stems
        for supposed_word in profile.supposed_words
        for word in (supposed_word, *SPECIES.get(supposed_word, ()))
    )
