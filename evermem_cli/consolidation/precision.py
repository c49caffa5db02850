"""How exactly messages tell when something began or ended: "last week" is a week, and not its Monday."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from evermem_cli import timespan
from evermem_cli.formation.statements import split_sentences
from evermem_cli.memory import Assertion, Message
from evermem_cli.timespan import Interval

_WIDE = frozenset({"week", "weekend", "month", "season", "quarter", "half", "year"})


def told_a_time(assertion: Assertion) -> bool:
    """Whether it has another time than when it was said."""
    return assertion.valid_at is not None and assertion.valid_at != assertion.said_at


def precise(assertions: Iterable[Assertion], messages: Mapping[str, Message]) -> list[Assertion]:
    """The assertions with the grain of their times, by the messages that they cite."""
    return [replace(each, grain=_grain(each, messages)) if told_a_time(each) else each for each in assertions]


def _grain(assertion: Assertion, messages: Mapping[str, Message]) -> str:
    """The unit named of the time that it has; a name without a year ("in May") may mean that of another year."""
    cited = [messages[each] for each in assertion.message_ids if each in messages]
    for message in cited:
        zone = message.local_time.tzinfo
        begun = assertion.valid_at.astimezone(zone) if assertion.valid_at else None
        for interval in _times(message.text, message.local_time):
            if begun and interval.start and (interval.start.month, interval.start.day) == (begun.month, begun.day):
                return interval.grain if interval.grain in _WIDE else "day"
    return "day"


def _times(text: str, at: datetime) -> Iterator[Interval]:
    """What its phrases mean, and since when its sentences say that something has gone on for a length of time."""
    yield from (span.interval for span in timespan.find(text, at))
    for sentence in split_sentences(text):
        if (lasting := timespan.validity(sentence, at)) and lasting.end is None:
            yield lasting
