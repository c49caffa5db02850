"""Whole chats by blind hands, with questions and the messages that answer them (GUIDE.md)."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time
from functools import cache
from pathlib import Path
from random import Random

from evermem_cli.reading.answerability import SpokenLine, asked_by, in_window
from tests.benchmarks.claims import Record
from tests.training.pairs import Pair, words

CHATS = Path(__file__).parent / "chats"
REPORTED = frozenset("a3 c1 e3 f1 g2 h1".split())  # looked at as numbers alone
FOR_DEVELOPING = frozenset("opqrstu")  # authors whose messages have no labels and of whom nothing is learned
_LIKE, _OTHERS = 7, 2  # windows of a chat that tell no answer: those most like the question, and some of the others
_SEED = 1
_LAST_MINUTE = time(23, 59, tzinfo=UTC)


class Said(Record):
    """A message: local time, speaker, text, and the areas of life that it touches, () where nobody labelled them."""

    at: str
    who: str
    text: str
    areas: tuple[str, ...] = ()


class Asked(Record):
    """A question of `me`; `now` are the places of the messages that tell what holds at the end, `stale` what did not.

    `near` says what stands in the place of an answer where none is told.
    """

    q: str
    kind: str
    now: frozenset[int]
    stale: frozenset[int]
    answer: str
    near: str


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat; the first letter of its name is its author's. `me` asks, on the day `now`."""

    name: str
    me: str
    now: str
    messages: tuple[Said, ...]
    questions: tuple[Asked, ...]

    @property
    def part(self) -> str:
        """What the chat serves for: learn, develop or report."""
        if self.name[0] in FOR_DEVELOPING:
            return "develop"
        return "report" if self.name in REPORTED else "learn"

    @property
    def asked_at(self) -> datetime:
        """When its questions are asked: in the last minute of the day `now`, UTC."""
        return datetime.combine(datetime.fromisoformat(self.now), _LAST_MINUTE)

    def window(self, place: int) -> str:
        """The message at this place as the check reads it, with its neighbours of the same day."""
        near = [n for n in (place - 1, place, place + 1) if 0 <= n < len(self.messages) and self._day(n, place)]
        return in_window([SpokenLine(self.messages[n].who, self.messages[n].text) for n in near], near.index(place))

    def _day(self, one: int, other: int) -> bool:
        return self.messages[one].at[:10] == self.messages[other].at[:10]


@cache
def chats() -> tuple[Chat, ...]:
    """All chats, in the order of their files."""
    return tuple(_chat(path) for path in sorted(CHATS.glob("*.jsonl")))


def _chat(path: Path) -> Chat:
    head, *rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    said = tuple(Said.model_validate(row) for row in rows if "who" in row)
    asked = tuple(Asked.model_validate(row) for row in rows if "q" in row)
    return Chat(path.stem, head["me"], head["now"], said, asked)


def pairs(part: str) -> Iterator[Pair]:
    """Of each question the windows that tell the answer, and others of the chat, most of them like the question.

    Windows beside an answer, or of one that was replaced, are left out.
    """
    random = Random(_SEED)
    for chat in (each for each in chats() if each.part == part):
        windows = [chat.window(place) for place in range(len(chat.messages))]
        contents = [words(window) for window in windows]
        rare = {word: 1 / sum(word in content for content in contents) for content in contents for word in content}
        for asked in chat.questions:
            question, sought = asked_by(chat.me, asked.q), words(asked.q)
            yield from (Pair(question, windows[place], tells=True) for place in sorted(asked.now))
            told = {place + step for place in asked.now | asked.stale for step in (-1, 0, 1)}
            left = [place for place in range(len(windows)) if place not in told]
            left.sort(key=lambda place: -sum(rare[word] for word in sorted(sought & contents[place])))
            others = random.sample(left[_LIKE:], _OTHERS)
            yield from (Pair(question, windows[place], tells=False) for place in (*left[:_LIKE], *others))
