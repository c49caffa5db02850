"""The labels that the tagger knows, in the order of its outputs; `tests/training/GUIDE.md` says what each means."""

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
# The outputs of a token: its tag, whether its sentence is worth keeping, whose, stance, and whether it names the
# person.
OUTPUTS = (TAGS, 1, len(WHOSE), len(STANCES), 1)
