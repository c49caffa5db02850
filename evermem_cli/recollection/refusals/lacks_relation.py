"""Nothing that was read speaks of a relative that the question names; a cousin is no sister, a landlord no boss."""

from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.recollection.words import WORD


def lacks_relation(question: Question, recollection: Recollection) -> bool:
    """Whether none of the lines speaks of a relation that the question names."""
    whole = " ".join(recollection.quotes)
    words = {word.removesuffix("s") for word in WORD.findall(whole.casefold())}
    if any(words.isdisjoint(relation) for relation in question.subject.relations):
        return True
    return any(relation.isdisjoint(whole) for relation in question.subject.relations_zh)
