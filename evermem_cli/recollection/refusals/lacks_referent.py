"""Refuses if it is unknown whom a question refers to: "When did he do it?"."""

from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def lacks_referent(question: Question, recollection: Recollection) -> bool:
    """Whether it is about "him" or "it" without a word that tells who or what that is."""
    return question.subject.is_pointing
