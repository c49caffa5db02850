"""Notes: knowledge from profiles and messages, one line each with its messages, in the language of the question."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from evermem_cli.memory import ProfileFact, Time

YES = {"en": "Yes: ", "zh": "是的："}
NO = {"en": "No: ", "zh": "不是："}


@dataclass(frozen=True, slots=True)
class Note:
    """One line of knowledge, the messages that state it, and those that state its end."""

    text: str
    message_ids: tuple[str, ...]
    over: dict[str, Time] = field(default_factory=dict)


def looked_up(text: str, facts: Sequence[ProfileFact], now: datetime) -> Note:
    """A note with the messages that state these facts, and those that state their ends."""
    cited = [message_id for fact in facts for message_id in (*fact.message_ids, *ends(fact, now))]
    return Note(text, tuple(dict.fromkeys(cited)))


def ends(fact: ProfileFact, now: datetime) -> list[str]:
    """The messages that state the end of a fact, if it has ended."""
    is_over = fact.invalid_at and fact.invalid_at <= now
    return [message_id for by in fact.ended_by for message_id in by.message_ids] if is_over else []
