"""Refuses if, by the learned check, nothing that was read contains the answer."""

from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def lacks_answer(question: Question, recollection: Recollection) -> bool:
    """Whether hits were checked and none is likely enough to contain the answer.

    Questions for a time are exempt, since the date of a message, which the check does not read, may answer them.
    """
    return not question.wants.time and recollection.is_checked and not recollection.holds_answer
