"""Refuses if there was nothing to read."""

from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def nothing_read(question: Question, recollection: Recollection) -> bool:
    """Whether there are neither passages nor notes."""
    return not recollection.lines
