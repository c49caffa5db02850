"""Refuses if nothing that was read looks like the birthday, number or address asked for."""

import re

from evermem_cli.reading.statements.labels import Asks
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

# Values with a form of their own, and words that nobody omits who states one.
_FORMS = {
    "birthday": re.compile(r"birthday|bday|\bborn\b|\bturn(?:s|ed|ing)?\b|生日|出生|生于", re.IGNORECASE),
    "phone": re.compile(r"\d(?:[\s()./-]*\d){5}"),
    "email": re.compile(r"\S@\S"),
}


def lacks_particular(question: Question, recollection: Recollection) -> bool:
    """Whether it asks for one of these, and nothing in the lines has its form.

    Asked for a birthday, a small model takes any date.
    """
    form = _FORMS.get(question.profile.attribute) if question.profile.asks_for(Asks.VALUE) else None
    return form is not None and not form.search(" ".join(recollection.quotes))
