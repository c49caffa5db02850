"""What profiles know of what a question asks for: how it is, how it was before, and what is settled for later.

The reader sees it before the excerpts: a small model that reads four excerpts of four years picks any of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from evermem_cli.consolidation.attributes import SEVERAL
from evermem_cli.consolidation.history import histories
from evermem_cli.consolidation.wording import wordings
from evermem_cli.language import language, searchable
from evermem_cli.memory import Assertion, ProfileFact
from evermem_cli.recollection.dated import day

_MOST = 4  # attributes of one person; a question asks for one thing, and more would drown the excerpts


@dataclass(frozen=True, slots=True)
class Note:
    """One line of what is known, and the messages that say so."""

    text: str
    message_ids: tuple[str, ...]


def known(question: str, name: str, assertions: Sequence[Assertion], now: datetime) -> list[Note]:
    """What is known of one person, called `name`, that bears on the question, as of `now`; times are told in UTC days.

    `assertions` are all of that person's that count.
    """
    tongue = language(question)
    asked = [
        (attribute, values)
        for attribute, values in histories(assertions).items()
        if values and _asks_for(question, attribute, values)
    ]
    return [_note(name, attribute, values, now, tongue) for attribute, values in asked[:_MOST]]


def _asks_for(question: str, attribute: str, values: Sequence[ProfileFact]) -> bool:
    """Whether the question has a word of the attribute, its name or one of its values."""
    pattern = wordings(language(question)).questions.get(attribute)
    if pattern is not None and pattern.search(question):
        return True
    asked = set(searchable(question).split()) | set(searchable(question).replace("?", " ").replace("？", " ").split())
    named = pattern is None and set(attribute.split("_")) <= asked
    return named or any(set(searchable(fact.value).split()) <= asked for fact in values)


def _note(name: str, attribute: str, values: Sequence[ProfileFact], now: datetime, tongue: str) -> Note:
    holding = [fact for fact in values if fact.holds_at(now)]
    over = [fact for fact in values if fact.invalid_at and fact.invalid_at <= now]
    ahead = [fact for fact in values if fact.valid_at and fact.valid_at > now]
    past = over if attribute in SEVERAL else over[-1:]
    told = [
        ", ".join(_since(fact, tongue) for fact in holding) or _none(over, tongue),
        *(_until(fact, tongue) for fact in past),
        *(_from(fact, tongue) for fact in ahead),
    ]
    label = attribute.replace("_", " ")
    head = f"{name}的{label}：" if tongue == "zh" else f"{name}'s {label}: "
    cited = [each for fact in (*holding, *past, *ahead) for each in (*fact.message_ids, *_ends(fact))]
    return Note(head + "; ".join(filter(None, told)), tuple(dict.fromkeys(cited)))


def _ends(fact: ProfileFact) -> list[str]:
    return [each for by in fact.ended_by for each in by.message_ids]


def _since(fact: ProfileFact, tongue: str) -> str:
    if fact.valid_at is None:
        return fact.value
    end = f" until {day(fact.invalid_at, tongue)}" if fact.invalid_at else ""
    return f"{fact.value} (since {day(fact.valid_at, tongue)}{end})"


def _until(fact: ProfileFact, tongue: str) -> str:
    return f"until {day(fact.invalid_at, tongue)} {fact.value}" if fact.invalid_at else ""


def _from(fact: ProfileFact, tongue: str) -> str:
    return f"from {day(fact.valid_at, tongue)} on {fact.value}" if fact.valid_at else ""


def _none(over: Sequence[ProfileFact], tongue: str) -> str:
    return f"none since {day(over[-1].invalid_at, tongue)}" if over and over[-1].invalid_at else "not yet"
