"""The form of answer that a question asks for. Each form has its own prompt."""

import re
from collections.abc import Mapping
from enum import StrEnum

from evermem_cli.reading.statements.labels import Sought

# "Who inspired Ann?": none of the other people named in the question.
ASKS_WHO_DID = re.compile(
    r"who (?!(?:am|is|are|was|were|do|does|did|have|has|had|can|could|will|would|should|may|might|must)\b)\w+", re.I
)


class Form(StrEnum):
    """The form of an answer. There is a prompt for each."""

    DATE = "date"
    CLOCK = "clock"
    LENGTH = "length"
    POLAR = "polar"
    CHOICE = "choice"
    LIKELY = "likely"
    PERSON = "person"
    SEVERAL = "several"
    PLAIN = "plain"


_FORMS: Mapping[Sought, Form] = {
    Sought.DATE: Form.DATE,
    Sought.CLOCK: Form.CLOCK,
    Sought.LENGTH: Form.LENGTH,
    Sought.YES_NO: Form.POLAR,
    Sought.CHOICE: Form.CHOICE,
    Sought.LIKELY: Form.LIKELY,
    Sought.PERSON: Form.PERSON,
    Sought.LIST: Form.SEVERAL,
}


def form_of(sought: Sought) -> Form:
    """The form of the answer that is sought."""
    return _FORMS.get(sought, Form.PLAIN)
