"""The labels that the tagger knows, in the order of its outputs; `tests/training/GUIDE.md` says what each means."""

from enum import StrEnum

from evermem_cli.memory.statements import Stance, Whose

KINDS = tuple(
    """
    name age birthday gender zodiac hometown location housing languages appearance personality belief phone email
    job employer salary studies partner relationship children family contacts pets health allergies medication
    restrictions diet smoking alcohol avoids vehicle commute belongings money likes dislikes hobbies skills habits
    visited purchased experience event plan goal instruction decision task other
    """.split()
)
OTHER = KINDS[-1]
WHOSE = (Whose.ME, Whose.WE, Whose.YOU, Whose.OTHER, Whose.NOBODY)
STANCES = (
    Stance.HOLDS,
    Stance.BEGAN,
    Stance.ENDED,
    Stance.PLANNED,
    Stance.OFFERED,
    Stance.WISHED,
    Stance.DENIED,
    Stance.JOKED,
)
UNASSERTED = (Stance.WISHED, Stance.JOKED)
TAGS = 1 + 2 * len(KINDS)  # one for tokens outside; two per kind: its first token, and a later token


class Asks(StrEnum):
    """What a question asks about something lasting of a person."""

    VALUE = "value"
    YES_NO = "yes_no"
    TIME = "time"
    WHO = "who"
    OTHER = "other"


class Owner(StrEnum):
    """Whose it is: the asker's, that of somebody named, of the person asked for, or of nobody."""

    ASKER = "asker"
    NAMED = "named"
    SOUGHT = "sought"
    NOBODY = "nobody"


class Sought(StrEnum):
    """What a right answer to a question would be."""

    DATE = "date"
    CLOCK = "clock"
    LENGTH = "length"
    YES_NO = "yes_no"
    CHOICE = "choice"
    LIKELY = "likely"
    PERSON = "person"
    PLACE = "place"
    NAME = "name"
    COUNT = "count"
    AMOUNT = "amount"
    LIST = "list"
    STORY = "story"
    ADVICE = "advice"
    REASON = "reason"
    OTHER = "other"


class Era(StrEnum):
    """The time that a question is about, from the asker's today."""

    NOW = "now"
    THEN = "then"
    AHEAD = "ahead"
    NONE = "none"


PORTRAIT = "portrait"  # everything about a person
NOTHING = "none"  # nothing lasting of a person
ASKED_KINDS = (NOTHING, *KINDS, PORTRAIT)
ASKS, OWNERS, SOUGHT, ERAS = tuple(Asks), tuple(Owner), tuple(Sought), tuple(Era)
NO_OR_YES = 2
# The outputs of a token of a message: its tag, whether its sentence is worth keeping, whose, stance, and whether it
# names the person. Then the outputs for questions: six of the first mark, which stands for the whole question, the last
# of them whether it asks for advice; and whether the token belongs to the supposed value, narrows what is asked, or
# names the owner.
MESSAGE_OUTPUTS = (TAGS, 1, len(WHOSE), len(STANCES), 1)
WORD_MARKS = 3
QUESTION_OUTPUTS = (len(ASKED_KINDS), len(ASKS), len(OWNERS), len(SOUGHT), len(ERAS), NO_OR_YES, WORD_MARKS)
OUTPUTS = (*MESSAGE_OUTPUTS, *QUESTION_OUTPUTS)
