"""Refusals: conditions under which the model may not answer, in the order in which they are tried.

A refusal only says yes or no. The answer is then always "Memory does not say". `REFUSALS` hold for every model,
`PRECAUTIONS` for one that has not learned to refuse: it answers from whatever it reads.
"""

from collections.abc import Callable

from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.recollection.refusals.about_another import about_another
from evermem_cli.recollection.refusals.judged_insufficient import judged_insufficient
from evermem_cli.recollection.refusals.lacks_answer import lacks_answer
from evermem_cli.recollection.refusals.lacks_kind import lacks_kind
from evermem_cli.recollection.refusals.lacks_particular import lacks_particular
from evermem_cli.recollection.refusals.lacks_person import lacks_person
from evermem_cli.recollection.refusals.lacks_referent import lacks_referent
from evermem_cli.recollection.refusals.lacks_relation import lacks_relation
from evermem_cli.recollection.refusals.lacks_value import lacks_value
from evermem_cli.recollection.refusals.nothing_read import nothing_read
from evermem_cli.recollection.refusals.off_subject import off_subject
from evermem_cli.recollection.refusals.withheld_domain import withheld_domain
from evermem_cli.recollection.refusals.withheld_evidence import withheld_evidence

Refusal = Callable[[Question, Recollection], bool]


def unless_noted(refusal: Refusal) -> Refusal:
    """The refusal, applied only if no profile has anything about the question."""

    def refuse(question: Question, recollection: Recollection) -> bool:
        return not recollection.notes and refusal(question, recollection)

    return refuse


def unless_checked(refusal: Refusal) -> Refusal:
    """The refusal, applied only if no hit was checked, as in languages that the learned check does not know."""

    def refuse(question: Question, recollection: Recollection) -> bool:
        return not recollection.is_checked and refusal(question, recollection)

    return refuse


REFUSALS: list[Refusal] = [
    nothing_read,
    judged_insufficient,
    lacks_referent,
    lacks_value,
    unless_noted(lacks_particular),
    withheld_domain,
    withheld_evidence,
]
PRECAUTIONS: list[Refusal] = [
    lacks_person,
    unless_noted(lacks_answer),
    unless_checked(lacks_relation),
    unless_checked(unless_noted(lacks_kind)),
    unless_noted(about_another),
    unless_noted(off_subject),
]
