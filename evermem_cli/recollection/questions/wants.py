"""The information that a question asks for: a time, a number, advice, a story, the present or the past."""

import re
from dataclasses import dataclass

from evermem_cli.reading.statements.asked import AskedFor
from evermem_cli.reading.statements.labels import Era, Sought
from evermem_cli.reading.voices import FIRST_PERSON

COUNTS_FROM_TODAY = re.compile(
    r"\b(?:today|tonight|now|current\w*|nowadays|so far|yet|still|ago|old|age|next|this|tomorrow|yesterday|upcoming|"
    r"soon|last)\b|[今明昨]天|现在|目前|几岁|多大|[上下]个?(?:周|月|星期)",
    re.IGNORECASE,
)
# "How many kits have I bought?": people who buy one do not say how many they have. Pasted questions may be long.
COUNTS_DEEDS = re.compile(r"\bhow many\b.{0,200}?\b(?:have|has|had|did) (?:i|we)\b", re.IGNORECASE)
# "How many have I tried?" asks for what is true by now, though it happened then.
_BY_NOW = re.compile(r"\bhave (?:i|we)\b|过", re.IGNORECASE)
TIMES = frozenset({Sought.DATE, Sought.CLOCK, Sought.LENGTH})
NAMES = frozenset({Sought.PERSON, Sought.PLACE, Sought.NAME})
NUMBERS = frozenset({Sought.COUNT, Sought.AMOUNT})
MUCH = frozenset({Sought.LIST, Sought.COUNT, Sought.LIKELY})  # needs many messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Wants:
    """The information that a question asks for.

    `advice`: it asks for a recommendation. `how_things_are`: the asker's present. `present`: anybody's, or that of a
    thing. `as_of_today`: today's date matters. `story`: what happened in general.
    `much`: an answer needs many messages.
    """

    time: bool
    number: bool
    advice: bool
    how_things_are: bool
    present: bool
    as_of_today: bool
    story: bool
    much: bool


def read_wants(text: str, asked: AskedFor) -> Wants:
    """What the question wants, by what it asks for and whether it is about its asker."""
    how_things_are = asks_how_things_are(text, asked)
    return Wants(
        time=asked.sought in TIMES,
        number=asked.sought in NUMBERS,
        advice=asked.advice,
        how_things_are=how_things_are,
        present=asked.era is Era.NOW,
        as_of_today=how_things_are or bool(COUNTS_FROM_TODAY.search(text)),
        story=asked.sought is Sought.STORY,
        much=asked.sought in MUCH,
    )


def asks_how_things_are(text: str, asked: AskedFor) -> bool:
    """Whether the question is about the asker's present, of which what has been done until now is part."""
    return bool(FIRST_PERSON.search(text)) and (asked.era is Era.NOW or bool(_BY_NOW.search(text)))
