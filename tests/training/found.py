"""Questions by blind hands with messages of several days, in order of time, as a search finds them (GUIDE.md)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from evermem_cli.reading.answerability import SpokenLine
from tests.benchmarks.claims import Record
from tests.training.pairs import Item

FOUND = Path(__file__).parent / "found"
_MORNING = timedelta(hours=9)
_UNTOLD_EVERY = 3
_APART = timedelta(minutes=4)  # between two messages of a day, of which the hands tell no more


class _Row(Record):
    """A line: `m` are days, speakers and texts, `now` and `stale` places of what holds at the end, and what did not."""

    q: str
    asker: str
    m: tuple[tuple[str, str, str], ...]
    now: frozenset[int]
    stale: frozenset[int]
    answer: str
    kind: str = ""
    near: str = ""


def found() -> list[Item]:
    """All of these questions, in the order of files and lines."""
    return [
        _item(f"found-{path.stem}", _Row.model_validate_json(line))
        for path in sorted(FOUND.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def untold(known: Sequence[Item]) -> list[Item]:
    """Of those of several days that are answered every third, without the messages that tell the answer or once did."""
    answered = [each for each in known if each.is_found and each.answers]
    return [rest for each in answered[::_UNTOLD_EVERY] if (rest := _without_answer(each)).messages]


def _without_answer(item: Item) -> Item:
    left = [place for place in range(len(item.messages)) if place not in item.answers | item.replaced]
    messages, times = tuple(item.messages[place] for place in left), tuple(item.times[place] for place in left)
    return replace(item, messages=messages, times=times, answers=frozenset(), replaced=frozenset(), answer="")


def _item(hand: str, row: _Row) -> Item:
    messages = tuple(SpokenLine(speaker, text) for _, speaker, text in row.m)
    times = tuple(_times([day for day, _, _ in row.m]))
    return Item(hand, row.q, row.asker, messages, times, row.now, row.answer, row.near, row.stale)


def _times(days: Sequence[str]) -> Iterator[datetime]:
    for place, day in enumerate(days):
        yield datetime.fromisoformat(day) + _MORNING + _APART * days[:place].count(day)
