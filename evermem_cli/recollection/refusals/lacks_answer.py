"""Nothing that was read tells the answer, as far as a learned check can tell."""

from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def lacks_answer(question: Question, recollection: Recollection) -> bool:
    """Whether hits were checked, and none of them is likely enough to tell the answer.

    When something was is told by the date of a message, which the check does not read.
    """
    checked = [hit.answers for hit in recollection.hits if hit.answers is not None]
    return not question.wants.time and bool(checked) and max(checked) < 0
