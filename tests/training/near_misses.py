"""Questions much like one that is told, which nothing tells, by blind hands (GUIDE.md).

`near/` has them beside told ones, in pairs, to the chats of `chats/`; `near_found/` to the excerpts of `found/`.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

from tests.benchmarks.claims import Record
from tests.training.chats import Chat, chats
from tests.training.found import found
from tests.training.pairs import Item

NEAR = Path(__file__).parent / "near"
NEAR_FOUND = Path(__file__).parent / "near_found"
DIFFERENCES = frozenset("person thing attribute time supposes relation".split())

Row = TypeVar("Row", bound=Record)


class NearMiss(Record):
    """A pair of questions to a chat.

    The messages at `places` tell the `answer` of `told`. Nothing tells that of `near`: whoever reads the message at
    `place` carelessly would say `tempting`. `by` is what the two differ by.
    """

    chat: str
    told: str
    places: frozenset[int]
    answer: str
    near: str
    tempting: str
    place: int
    by: str


class NearQuestion(Record):
    """A question that the excerpt of `line` (from 0) of the file `file` of `found/` does not answer; else as above."""

    file: str
    line: int
    near: str
    tempting: str
    place: int
    by: str


@cache
def near_misses() -> tuple[tuple[Chat, NearMiss], ...]:
    """All pairs with their chats, in the order of files and lines."""
    named = {chat.name: chat for chat in chats()}
    return tuple((named[miss.chat], miss) for miss in _rows(NEAR, NearMiss))


def near_questions() -> list[tuple[Item, NearQuestion]]:
    """All questions to excerpts, with the told question that they are like."""
    known: dict[str, list[Item]] = {}
    for item in found():
        known.setdefault(item.hand, []).append(item)
    return [(known[f"found-{near.file}"][near.line], near) for near in _rows(NEAR_FOUND, NearQuestion)]


def _rows(folder: Path, shape: type[Row]) -> Iterator[Row]:
    for path in sorted(folder.glob("*.jsonl")):
        yield from map(shape.model_validate_json, path.read_text(encoding="utf-8").splitlines())
