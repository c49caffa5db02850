"""Refuses if nothing that was read mentions the one thing asked about the asker."""

from evermem_cli.consolidation.wordings.wording import questions
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def lacks_attribute(question: Question, recollection: Recollection) -> bool:
    """Whether the question asks for one thing about its asker, and the lines have no word of it.

    Asked where somebody lives, a small model answers with any place that it reads.
    """
    whole = " ".join(recollection.quotes).casefold()
    patterns = [questions(question.language)[attribute] for attribute in question.subject.attributes]
    return bool(patterns) and not any(pattern.search(whole) for pattern in patterns)
