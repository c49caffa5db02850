"""Refuses if nothing that was read has the name of the person asked about."""

from evermem_cli.languages.words import WORD
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def lacks_person(question: Question, recollection: Recollection) -> bool:
    """Whether the question asks who somebody is, and no line has a word of the name."""
    names = WORD.findall(question.subject.person)
    whole = " ".join(recollection.quotes)
    return all(name[0].isupper() for name in names) and bool(names) and not any(name in whole for name in names)
