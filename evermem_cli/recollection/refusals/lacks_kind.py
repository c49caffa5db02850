"""Refuses if nothing that was read states anything of the kind that the question asks for."""

from evermem_cli.reading.statements.labels import Asks
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def lacks_kind(question: Question, recollection: Recollection) -> bool:
    """Whether it asks for something of a person, and no message has a statement of that kind.

    Asked where somebody lives, a small model answers with any place that it reads.
    """
    is_for_value = question.profile.asks_for(Asks.VALUE) and not question.wants.time
    return is_for_value and question.profile.attribute not in recollection.attributes
