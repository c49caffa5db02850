"""Refuses if the best evidence is withheld from the agent that asks."""

from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def withheld_evidence(question: Question, recollection: Recollection) -> bool:
    """Whether an answer would rest on what is left."""
    return recollection.withholds_best
