"""The model judged that the passages do not tell the answer."""

from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def judged_insufficient(question: Question, recollection: Recollection) -> bool:
    """Whether the last round was judged not to tell the answer."""
    return not recollection.is_enough
