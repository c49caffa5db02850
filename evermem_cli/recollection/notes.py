"""Notes: what profiles and messages tell, in a line with the messages that say so, in the language of the question."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from evermem_cli.memory import ProfileFact, Time

YES = {"en": "Yes: ", "zh": "是的："}
NO = {"en": "No: ", "zh": "不是："}


@dataclass(frozen=True, slots=True)
class Note:
    """One line of what is known, the messages that say so, and those that say what is over, with its end."""

    text: str
    message_ids: tuple[str, ...]
    over: dict[str, Time] = field(default_factory=dict)


def looked_up(text: str, facts: Sequence[ProfileFact], now: datetime) -> Note:
    """A note with the messages that say these facts, and those that say that they are over."""
    cited = [each for fact in facts for each in (*fact.message_ids, *ends(fact, now))]
    return Note(text, tuple(dict.fromkeys(cited)))


def ends(fact: ProfileFact, now: datetime) -> list[str]:
    """The messages that say that a fact is over, where it is."""
    is_over = fact.invalid_at and fact.invalid_at <= now
    return [each for by in fact.ended_by for each in by.message_ids] if is_over else []
