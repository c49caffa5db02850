"""Refuses if the answer about the one person named was more likely said by another person."""

from collections.abc import Iterable, Set

import numpy as np

from evermem_cli.memory import Evidence
from evermem_cli.recollection.passages.speakers import is_of_assistant
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

# Of 491 answerable LoCoMo questions outside the benchmark's sample 4 % are below this, of 145 about another person's
# deeds 73 %, by the 30 best results. A regression on eight such measures, evaluated on left-out conversations, is no
# better.
LEAST_ODDS = 0.5
# A question for several things is answered by any of them: of 194 answerable ones 4 % are below this, of 37 about
# another person's deeds 62 %.
LEAST_ODDS_OF_SEVERAL = 0.2


def about_another(question: Question, recollection: Recollection) -> bool:
    """Whether the evidence favours another person over the one whom the question names."""
    return is_about_another(question.whose.named, recollection.hits, several=question.wants.much)


def is_about_another(named: Set[str], hits: Iterable[Evidence], *, several: bool) -> bool:
    """The same for these hits; `several`: the question asks for all things of a kind.

    Search scores are logits of "this is the evidence", so those of each side sum to the likelihood that it has the
    evidence. If several people or nobody is named, all results count; an assistant speaks about others.
    """
    if len(named) != 1:
        return False
    [name] = named
    theirs: list[float] = []
    others: list[float] = []
    for hit in hits:
        if hit.speaker == name:
            theirs.append(_logit(hit))
        elif hit.speaker and not is_of_assistant(hit):
            others.append(_logit(hit))
    if not others:
        return False
    least = LEAST_ODDS_OF_SEVERAL if several else LEAST_ODDS
    return not theirs or bool(np.logaddexp.reduce(theirs) - np.logaddexp.reduce(others) < least)


def _logit(hit: Evidence) -> float:
    """The score without the part for late messages, which tells which message is true, not whose words it has."""
    return hit.score - (hit.why.parts["latest"] if hit.why else 0.0)
