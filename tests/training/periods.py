"""Trains the models that tell which times of a message begin and end a statement, and prints their figures.

    pip install '.[train]'
    python -m tests.training.periods             # two minutes; writes the weights
    python -m tests.training.periods --measure   # figures alone

`periods/` has messages by blind hands with facts, and since when and until when each holds. Each hand is left out in
turn: of the facts that the tagger reads, how many begin and end as the hand says. What is not said begins with the
message, and has no end.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evermem_cli.config import CONDITION_DAYS
from evermem_cli.consolidation.periods import (
    FILE,
    SINCE,
    UNTIL,
    Phrase,
    Place,
    model_name,
    pair,
    period_of,
    phrases_in,
    stated_in,
)
from evermem_cli.consolidation.statements import ASSERTED, is_asserted, window
from evermem_cli.languages.language import language
from evermem_cli.memory import Message, Role, Stance, Statement, Time, wall
from evermem_cli.reading.statements.decode import Passage
from evermem_cli.reading.statements.tagger import Tagger
from evermem_cli.reading.word_runs import RunModel
from tests.training.linear import arrays, learn_runs

PERIODS = Path(__file__).with_name("periods")
LOOSENESS = 10.0
_NOON = timedelta(hours=12)
_TICK = timedelta(microseconds=1)
_DAY = timedelta(days=1)


class Fact(NamedTuple):
    """A fact as a hand labelled it: its kind, its words, and the first and the last day, month or year, or ""."""

    kind: str
    value: str
    since: str
    until: str


class Labelled(NamedTuple):
    """A message of a hand, with its facts and what the tagger reads in it."""

    hand: str
    message: Message
    facts: list[Fact]
    read: list[Statement]


class Pair(NamedTuple):
    """The words between a fact and a time, the signs of both, and whether the fact begins and ends with it."""

    between: str
    signs: list[str]
    since: bool
    until: bool


def main(arguments: Sequence[str] | None = None) -> None:
    """Trains, prints the figures, and writes the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="print the figures and write nothing")
    chosen = options.parse_args(arguments)
    known = list(labelled())
    for hand in sorted({each.hand for each in known}):
        models = learned([each for each in known if each.hand != hand])
        row = figures([each for each in known if each.hand == hand], models)
        print(json.dumps({"benchmark": "periods", "left out": hand} | row), flush=True)
    if not chosen.measure:
        stored = [array for name, model in learned(known).items() for array in arrays(name, model).items()]
        np.savez_compressed(FILE, **dict(stored))


def labelled() -> Iterator[Labelled]:
    """The labelled messages of all hands."""
    tagger = Tagger()
    for path in sorted(PERIODS.glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        read = tagger.read([Passage(message_id="0", text=row["text"], before="") for row in rows])
        for row, statements in zip(rows, read, strict=True):
            facts = [Fact(*fact) for fact in row["facts"]]
            yield Labelled(path.stem, _message(row["said"], row["text"]), facts, statements)


def _message(said: str, text: str) -> Message:
    return Message(
        id="0",
        conversation_id="c",
        ordinal=0,
        external_id="0",
        speaker="Ann",
        user_id="Ann",
        role=Role.USER,
        text=text,
        said_at=datetime.fromisoformat(said).replace(tzinfo=UTC) + _NOON,
    )


def learned(known: Sequence[Labelled]) -> dict[str, RunModel]:
    """The two logistic regressions of each language, by name."""
    models = {}
    for tongue in ("en", "zh"):
        pairs = [one for each in known if language(each.message.text) == tongue for one in _pairs(each)]
        texts, signs = [one.between for one in pairs], [one.signs for one in pairs]
        for edge, labels in ((SINCE, [int(one.since) for one in pairs]), (UNTIL, [int(one.until) for one in pairs])):
            models[model_name(edge, tongue)] = learn_runs(texts, labels, LOOSENESS, signs=signs)
    return models


def _pairs(each: Labelled) -> Iterator[Pair]:
    text, at = each.message.text, each.message.local_time
    phrases, places = phrases_in(text, at), list(_places(each))
    for fact, own in zip(each.facts, places, strict=True):
        stated = stated_in(text, own, at)
        for phrase in phrases:
            told = _is(fact.since, phrase.begins), _ends_with(fact.until, phrase)
            yield Pair(*pair(text, own, places, phrase, phrases, stated, at), *told)


def _places(each: Labelled) -> Iterator[Place]:
    """Where the facts of a message are, each with the stance that the tagger reads there."""
    place, text = 0, each.message.text
    for fact in each.facts:
        place = max(text.find(fact.value, place), text.find(fact.value))
        stop = place + len(fact.value)
        near = [statement.stance for statement in each.read if statement.start < stop and statement.stop > place]
        yield Place(place, stop, fact.kind, near[0] if near else "")


def _is(told: str, moment: datetime | None) -> bool:
    """Whether a moment is within the day, month or year that is told."""
    return bool(told and moment and moment.date().isoformat().startswith(told))


def _ends_with(until: str, phrase: Phrase) -> bool:
    """Whether a time ends on the day, in the month or year that is told.

    For ten days from the 6th is until the 16th in the product, and until the 15th for most hands.
    """
    if phrase.ends is None:
        return False
    return _is(until, phrase.ends - _TICK) or (phrase.is_length and _is(until, phrase.ends - _DAY))


def figures(own: Sequence[Labelled], models: dict[str, RunModel]) -> dict[str, int]:
    """How many facts that the tagger reads begin and end as they are labelled."""
    counts = Counter(dict.fromkeys(("read", "since told", "since untold", "until told", "until untold"), 0))
    for each in own:
        for fact in each.facts:
            statement = next((one for one in each.read if _reads(one, fact)), None)
            if statement is None:
                continue
            period = period_of(statement, each.read, each.message, models.__getitem__)
            said = each.message.local_time.date().isoformat()
            start, end = window(statement, period, each.message, CONDITION_DAYS) or (each.message.local_time, None)
            since, until = _day(start), _last_days(end)
            if statement.stance is Stance.ENDED:
                since, until = said, [since]
            is_said = fact.since in ("", said)
            counts["read"] += 1
            counts["since untold" if is_said else "since told"] += 1
            counts["until told" if fact.until else "until untold"] += 1
            counts["since untold, right" if is_said else "since told, right"] += (
                since == said if is_said else since.startswith(fact.since)
            )
            counts["until told, right" if fact.until else "until untold, right"] += (
                any(day.startswith(fact.until) for day in until) if fact.until else not until
            )
    return dict(counts)


def _reads(statement: Statement, fact: Fact) -> bool:
    """Whether a statement that becomes an assertion is this fact."""
    is_one = statement.value in fact.value or fact.value in statement.value
    return is_one and statement.kind == fact.kind and statement.stance in ASSERTED and is_asserted(statement)


def _day(time: Time | None) -> str:
    return "" if time is None else wall(time).date().isoformat()


def _last_days(end: Time | None) -> list[str]:
    """The last day, as the product and as most hands count a length of time; none without an end."""
    return [] if end is None else [(wall(end) - step).date().isoformat() for step in (_TICK, _DAY)]


if __name__ == "__main__":
    main()
