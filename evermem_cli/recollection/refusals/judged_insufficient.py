"""Refuses if the model judged that the passages do not contain the answer."""

from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def judged_insufficient(question: Question, recollection: Recollection) -> bool:
    """Whether the last round was judged insufficient."""
    return not recollection.may_suffice
