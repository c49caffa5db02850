"""Notes: what is known, in a line with the messages that say so, in the language of the question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from evermem_cli.consolidation.attributes import translated
from evermem_cli.language import searchable
from evermem_cli.memory import ProfileFact
from evermem_cli.recollection.dated import since_when

_WORD = re.compile(r"[^\W_]+")
YES = {"en": "Yes: ", "zh": "是的："}
NO = {"en": "No: ", "zh": "不是："}

Told = tuple[str, tuple[str, ...]]  # a line, and the messages that say so


@dataclass(frozen=True, slots=True)
class Note:
    """One line of what is known, the messages that say so, and those that say what is over, with its end.

    `answer` is the whole answer where the question asks for nothing else.
    """

    text: str
    message_ids: tuple[str, ...]
    over: dict[str, datetime]
    answer: str | None = None


def listed(items: Sequence[Told]) -> list[Note]:
    """Notes of lines and the messages that say so, which together are the whole answer."""
    answer = "\n".join(line for line, _ in items)
    return [Note(line, message_ids, {}, answer) for line, message_ids in items]


def looked_up(answer: str, facts: Sequence[ProfileFact], now: datetime) -> Note:
    """An answer with the messages that say so."""
    cited = [each for fact in facts for each in (*fact.message_ids, *ends(fact, now))]
    return Note(answer, tuple(dict.fromkeys(cited)), {}, answer)


def ends(fact: ProfileFact, now: datetime) -> list[str]:
    """The messages that say that it is over, where it is."""
    is_over = fact.invalid_at and fact.invalid_at <= now
    return [each for by in fact.ended_by for each in by.message_ids] if is_over else []


def since(fact: ProfileFact, tongue: str) -> str:
    """A value, and from when on it holds."""
    value = translated(fact.value, tongue)
    if fact.valid_at is None:
        return value
    begun = since_when(fact.valid_at, fact.grain, tongue)
    return f"{value}（{begun}起）" if tongue == "zh" else f"{value} (since {begun})"


def until(fact: ProfileFact, tongue: str) -> str:
    """A value that is over, and until when it held."""
    value, end = translated(fact.value, tongue), _told(fact.invalid_at, fact.end_grain, tongue)
    return f"{end}以前{value}" if tongue == "zh" else f"until {end} it was {value}"


def lasted(fact: ProfileFact, tongue: str) -> str:
    """A value with the time in which it held."""
    if fact.invalid_at is None:
        return since(fact, tongue)
    value, end = translated(fact.value, tongue), _told(fact.invalid_at, fact.end_grain, tongue)
    start = _told(fact.valid_at, fact.grain, tongue)
    if tongue == "zh":
        return f"{value}（{start}到{end}）" if start else f"{value}（到{end}为止）"
    return f"{value} ({start} to {end})" if start else f"{value} (until {end})"


def ahead(fact: ProfileFact, tongue: str) -> str:
    """A value that is settled for later."""
    value, start = translated(fact.value, tongue), _told(fact.valid_at, fact.grain, tongue)
    return f"{start}起{value}" if tongue == "zh" else f"from {start} on {value}"


def _told(moment: datetime | None, grain: str, tongue: str) -> str:
    return since_when(moment, grain, tongue) if moment else ""


def words(text: str) -> list[str]:
    """The words of a text, for comparison."""
    return _WORD.findall(searchable(text))
