"""Refuses if nothing that was read looks like the birthday or number asked for."""

from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def lacks_particular(question: Question, recollection: Recollection) -> bool:
    """Whether it asks for a birthday, a number or the like, and nothing in the lines looks like one.

    Asked for a birthday, a small model takes any date.
    """
    whole = " ".join(recollection.quotes)
    return any(not looks.search(whole) for looks in question.subject.particulars)
