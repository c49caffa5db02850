"""What the question asks about its one named person was more likely said by another one."""

from collections.abc import Iterable, Set

import numpy as np

from evermem_cli.memory import Evidence
from evermem_cli.recollection.passages.speakers import is_of_assistant
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

# Of 491 answerable questions of LoCoMo outside the benchmark's sample 4 % lie below, of 145 where another person did it
# 73 %, by the 30 best results; a regression on eight measures of these, left out by conversation, does no better.
LEAST_ODDS = 0.5
# A question for several things is answered by any of them that is found: 4 % of 194 answerable ones lie below, of 37
# where another person did it 62 %.
LEAST_ODDS_OF_SEVERAL = 0.2


def about_another(question: Question, recollection: Recollection) -> bool:
    """Whether more speaks for another person's words than for those of the one whom the question names."""
    return is_about_another(question.whose.named, recollection.hits, several=question.wants.much)


def is_about_another(named: Set[str], hits: Iterable[Evidence], *, several: bool) -> bool:
    """The same of these hits; `several`: the question asks for all there is of something.

    Search scores are logits of "this is the evidence", so those of each side add up to how likely it is to be among
    them. Where several are named, or nobody, all that was found counts; an assistant speaks about others.
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
    """The score without what speaks for late messages: that tells which of them is true, not whose words they are."""
    return hit.score - (hit.why.parts["latest"] if hit.why else 0.0)
