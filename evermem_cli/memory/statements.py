"""The statements of a message: each with the person it is about and how it is meant."""

from dataclasses import dataclass
from enum import StrEnum

_LEAST = 0.5  # the probability of a statement below which it is kept, but asserted of nobody


class Whose(StrEnum):
    """Whom a statement is about. Quoted, pasted and role-played text, and text written for others, is about nobody."""

    ME = "me"
    WE = "we"
    YOU = "you"
    OTHER = "other"
    NOBODY = "nobody"


class Stance(StrEnum):
    """How a statement is meant: as holding, ended, denied, planned, or not meant at all.

    An assertion `holds`, has `ended`, is `denied`, or concerns an offer: `offered` or `taken`.
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
    """One statement in a message: `value` is `text[start:stop]` of it, `kind` one of `reading.statements.labels.KINDS`.

    `person` has the words that identify another person whom the statement is about. `probability` is how likely the
    message says this about `whose`, calibrated on messages that the tagger had not seen. `confirmed` is what a language
    model says of a statement that the tagger was unsure of; None where it was not asked.
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
    confirmed: bool | None = None

    @property
    def is_asserted(self) -> bool:
        """Whether it is likely enough to be asserted of somebody."""
        return self.probability >= _LEAST if self.confirmed is None else self.confirmed


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a message really says of its writer what the tagger read, as a language model judges."""

    message_id: str
    kind: str
    value: str
    stance: Stance
    holds: bool
