"""Questions much like one that is told, which nothing tells, by blind hands (GUIDE.md).

`near/` has them beside told ones, in pairs, to the chats of `chats/`; `near_found/` to the excerpts of `found/`.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

from evermem_cli.reading.answerability import asked_by
from tests.benchmarks.claims import Record
from tests.training.chats import Chat, chats
from tests.training.found import found
from tests.training.pairs import Item, Pair, words

NEAR = Path(__file__).parent / "near"
NEAR_FOUND = Path(__file__).parent / "near_found"
_LIKE = 3  # windows like the question that is told nowhere, beside the one that tempts

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


def pairs(part: str) -> Iterator[Pair]:
    """The windows that tell what is told; of the other question the window that tempts, and those most like it."""
    for chat, miss in near_misses():
        if chat.part == part:
            windows = [chat.window(place) for place in range(len(chat.messages))]
            yield from (Pair(asked_by(chat.me, miss.told), windows[place], tells=True) for place in sorted(miss.places))
            yield from _untold(asked_by(chat.me, miss.near), miss.near, miss.place, windows)
    for item, near in near_questions():
        if item.part == part:
            windows = [item.window(place) for place in range(len(item.messages))]
            asked = asked_by(item.asker, item.question)
            yield from (Pair(asked, windows[place], tells=True) for place in sorted(item.answers))
            yield from _untold(asked_by(item.asker, near.near), near.near, near.place, windows)


def _untold(asked: str, question: str, place: int, windows: Sequence[str]) -> Iterator[Pair]:
    sought = words(question)
    like = sorted(range(len(windows)), key=lambda other: -len(sought & words(windows[other])))
    yield from (Pair(asked, windows[other], tells=False) for other in dict.fromkeys((place, *like[:_LIKE])))


def _rows(folder: Path, shape: type[Row]) -> Iterator[Row]:
    for path in sorted(folder.glob("*.jsonl")):
        yield from map(shape.model_validate_json, path.read_text(encoding="utf-8").splitlines())
