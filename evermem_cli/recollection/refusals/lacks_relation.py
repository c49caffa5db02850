"""Nothing that was read speaks of a relative that the question names in Chinese; a cousin is no sister."""

from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def lacks_relation(question: Question, recollection: Recollection) -> bool:
    """Whether none of the lines speaks of a relation that the question names."""
    whole = " ".join(recollection.quotes)
    return any(relation.isdisjoint(whole) for relation in question.subject.relations_zh)
