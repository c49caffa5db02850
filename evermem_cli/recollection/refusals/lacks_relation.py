"""Refuses if nothing that was read mentions the relative that a Chinese question names; a cousin is not a sister."""

from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def lacks_relation(question: Question, recollection: Recollection) -> bool:
    """Whether no line mentions a relation that the question names."""
    whole = " ".join(recollection.quotes)
    return any(relation.isdisjoint(whole) for relation in question.subject.relations_zh)
