"""What one message says: statements, each with whose it is and how it is meant."""

from dataclasses import dataclass
from enum import StrEnum


class Whose(StrEnum):
    """Of whom a statement is true. Nobody's is what was quoted, pasted, role-played or written for somebody else."""

    ME = "me"
    WE = "we"
    YOU = "you"
    OTHER = "other"
    NOBODY = "nobody"


class Stance(StrEnum):
    """How a statement is meant: what holds or began, what ended or is denied, what is to come, and what is not meant.

    An assertion `holds`, has `ended`, is `denied`, or is about an offer: `offered`, or `taken`.
    """

    HOLDS = "holds"
    BEGAN = "began"
    ENDED = "ended"
    PLANNED = "planned"
    OFFERED = "offered"
    TAKEN = "taken"
    WISHED = "wished"
    DENIED = "denied"
    JOKED = "joked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One thing that a message says: `value` is `text[start:stop]` of it, `kind` one of `reading.labels.KINDS`.

    `person` are the words that name whose it is, where it is somebody else's. `probability` is how likely it is that
    the message says this of `whose`, calibrated on messages that the tagger had not seen.
    """

    message_id: str
    start: int
    stop: int
    kind: str
    value: str
    whose: Whose
    person: str
    stance: Stance
    probability: float
