"""Answers a request for advice from what was said of likes, limits and circumstances: "Can you recommend a dish?".

A small model says "Yes" or invents a restaurant. What memory knows is whom the advice is for.
"""

from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def tell_preferences(question: Question, recollection: Recollection) -> Answer | None:
    """What matters to the advice, as it was said; None where nothing is known."""
    return answer_from(recollection.preferences, question, recollection)
