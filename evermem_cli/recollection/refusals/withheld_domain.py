"""Refuses if the question is about a domain that is withheld, and nothing that was read is of it."""

from evermem_cli.reading.domain import domain
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def withheld_domain(question: Question, recollection: Recollection) -> bool:
    """Whether the memory is read without what the question asks for.

    Asked for an allergy, a model that may not read about health takes the fish of a meal.
    """
    is_withheld = question.domain in recollection.memory.store.withheld_domains
    return is_withheld and all(domain(quote) != question.domain for quote in recollection.quotes)
