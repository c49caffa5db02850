"""What the answerability check learns from: questions by blind hands, each with a stretch of a chat (GUIDE.md)."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from random import Random

from evermem_cli.reading.answerability import SpokenLine, asked_by, in_window

QUESTIONS = Path(__file__).parent / "questions"
CHOSEN = ("04-mixed", "found-j")  # thresholds are chosen here
REPORTED = ("01-private", "10-oblique", "found-e", "found-l", "found-o")  # looked at as numbers alone
_ELSEWHERE = 40  # excerpts from which the one most like the question is taken as a plain negative
_SEED = 1
_WORD = re.compile(r"[a-z']{4,}")


@dataclass(frozen=True, slots=True)
class Item:
    """A question about an excerpt; `answers` are the places of the messages that tell it, none where it is not told.

    `near` says what stands there in the place of an answer, or beside it. `times` are when the messages were sent, as
    far as the hand says so (local time), `answer` is the answer in a few words. `replaced` are the places of messages
    that tell an answer which a later one replaced.
    """

    hand: str
    question: str
    asker: str
    messages: tuple[SpokenLine, ...]
    times: tuple[datetime, ...]
    answers: frozenset[int]
    answer: str
    near: str
    replaced: frozenset[int] = frozenset()

    @property
    def part(self) -> str:
        """What the item serves for: learn, choose or report."""
        return "report" if self.hand in REPORTED else "choose" if self.hand in CHOSEN else "learn"

    @property
    def is_found(self) -> bool:
        """Whether its messages are of several days, as a search finds them."""
        return self.hand.startswith("found")

    def beside(self, place: int) -> list[int]:
        """This place and those just before and after it on the same day: what the check reads together."""
        days = {n: time.date() for n, time in enumerate(self.times)}
        near = (n for n in (place - 1, place, place + 1) if 0 <= n < len(self.messages))
        return [n for n in near if days.get(n) == days.get(place)]

    def window(self, place: int) -> str:
        """The message at this place as the check reads it."""
        near = self.beside(place)
        return in_window([self.messages[n] for n in near], near.index(place))


@dataclass(frozen=True, slots=True)
class Pair:
    """A question as the check reads it, a window of messages, and whether this tells the answer."""

    question: str
    window: str
    tells: bool


def items() -> list[Item]:
    """All questions, in the order of files and lines."""
    return [_item(path.stem, line) for path in sorted(QUESTIONS.glob("*.jsonl")) for line in _lines(path)]


def pairs(chosen: Sequence[Item]) -> Iterator[Pair]:
    """Windows that tell the answer, and windows of the same excerpt and of another one that do not.

    Other windows that hold an answer, or one that was replaced, are left out, and so are those within another window.
    """
    random = Random(_SEED)
    contents = [(each, words(" ".join(said.text for said in each.messages))) for each in chosen]
    for item in chosen:
        question = asked_by(item.asker, item.question)
        near = [item.beside(place) for place in range(len(item.messages))]
        told = item.answers | item.replaced
        for place, places in enumerate(near):
            within_another = any({*places} < {*others} for others in near)
            if place in item.answers or (told.isdisjoint(places) and not within_another):
                yield Pair(question, item.window(place), place in item.answers)
        asked = words(item.question)
        tried = [each for each in random.sample(contents, _ELSEWHERE) if each[0].messages != item.messages]
        other = max(tried, key=lambda each: len(asked & each[1]))[0].messages
        yield Pair(question, in_window(other, random.randrange(len(other))), tells=False)


def _item(hand: str, line: str) -> Item:
    row = json.loads(line)
    said = tuple(SpokenLine(*each[:2]) for each in row["m"])
    times = tuple(datetime.fromisoformat(time) for _, _, *rest in row["m"] for time in rest)
    return Item(hand, row["q"], row["asker"], said, times, frozenset(row["a"]), row["answer"], row["near"])


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def words(text: str) -> frozenset[str]:
    """The longer words of a text, in small letters."""
    return frozenset(_WORD.findall(text.lower()))
