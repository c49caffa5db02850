"""Refuses if the answer about the one person named was more likely said by another person."""

from collections.abc import Iterable, Set

import numpy as np

from evermem_cli.memory import Evidence
from evermem_cli.recollection.passages.speakers import is_of_assistant
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

# Over the 30 best results, 4 % of 491 answerable LoCoMo questions outside the benchmark's sample are below this value,
# and 73 % of 145 questions about another person's deeds. A regression on eight such measures, evaluated on left-out
# conversations, is no better.
LEAST_LOG_ODDS = 0.5
# A question for several things is answered by any of them: of 194 answerable ones 4 % are below this, of 37 about
# another person's deeds 62 %.
LEAST_LOG_ODDS_OF_SEVERAL = 0.2


def about_another(question: Question, recollection: Recollection) -> bool:
    """Whether the evidence favours another person over the one whom the question names."""
    return is_about_another(question.whose.named, recollection.hits, several=question.wants.much)


def is_about_another(named: Set[str], hits: Iterable[Evidence], *, several: bool) -> bool:
    """Whether these hits favour another person; `several` if the question asks for all things of a kind.

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
    least = LEAST_LOG_ODDS_OF_SEVERAL if several else LEAST_LOG_ODDS
    return not theirs or bool(np.logaddexp.reduce(theirs) - np.logaddexp.reduce(others) < least)


def _logit(hit: Evidence) -> float:
    """The score without the bonus for late messages, which shows which value is current, not who said it."""
    return hit.score - (hit.why.parts["latest"] if hit.why else 0.0)
