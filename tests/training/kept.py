"""What blind hands labelled as worth keeping of chats and single messages, and what topics are about (GUIDE.md)."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from evermem_cli.formation.sentences.statements import split_sentences
from evermem_cli.reading.highlighter import Draft
from tests.benchmarks.claims import Record
from tests.training.chats import Chat, chats

KEPT = Path(__file__).parent / "kept"
PLAIN = KEPT / "plain.jsonl"
# By the author of the chat, the first letter of its name: looked at as numbers alone, or to choose by.
REPORTED, CHOSEN = frozenset("gh"), frozenset("ij")
ASSISTANT = "assistant"


class Told(Record):
    """A sentence of message `n` worth keeping.

    `alone` if it can be understood without the messages of `needs`; `joins` if it tells one thing together with the
    sentence before it. A single message is 0, and the one that it answers -1.
    """

    n: int = 0
    words: str
    alone: bool
    needs: tuple[int, ...] = ()
    joins: bool = False


class Topic(Record):
    """The messages `start` to `stop`, their sentences that would do as a heading, best first, and one in own words."""

    start: int
    stop: int
    best: tuple[tuple[int, str], ...]
    title: str


class SingleMessage(Record):
    """A message `t`, after the message `b` that it answers, and its sentences worth keeping."""

    t: str
    b: str = ""
    told: tuple[Told, ...]


@dataclass(frozen=True, slots=True)
class LabelledChat:
    """A chat with its labels."""

    chat: Chat
    told: tuple[Told, ...]
    topics: tuple[Topic, ...]

    @property
    def part(self) -> str:
        """What the chat serves for: learn, choose or report."""
        author = self.chat.name[0]
        return "report" if author in REPORTED else "choose" if author in CHOSEN else "learn"

    def drafts(self) -> Iterator[tuple[int, Draft]]:
        """The messages of people that have a sentence, by their place."""
        before = ""
        for n, said in enumerate(self.chat.messages):
            sentences = tuple(split_sentences(said.text))
            if said.who.lower() != ASSISTANT and sentences:
                yield n, Draft(before, sentences)
            before = said.text


@cache
def labelled_chats() -> tuple[LabelledChat, ...]:
    """All labelled chats, in the order of their files."""
    by_name = {chat.name: chat for chat in chats()}
    return tuple(_labelled(by_name[path.stem], path) for path in sorted(KEPT.glob("??.jsonl")))


def single_messages() -> list[SingleMessage]:
    """The labelled single messages, all of which are learned from."""
    read = [SingleMessage.model_validate_json(line) for line in PLAIN.read_text(encoding="utf-8").splitlines()]
    return [
        one.model_copy(update={"told": tuple(_of_whole(told, one.b if told.n else one.t) for told in one.told)})
        for one in read
    ]


def _labelled(chat: Chat, path: Path) -> LabelledChat:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    texts = [said.text for said in chat.messages]
    told = [Told.model_validate(row) for row in rows if "words" in row]
    topics = [Topic.model_validate(row) for row in rows if "best" in row]
    return LabelledChat(
        chat,
        tuple(_of_whole(one, texts[one.n]) for one in told),
        tuple(
            topic.model_copy(update={"best": tuple((n, _whole(words, texts[n])) for n, words in topic.best)})
            for topic in topics
        ),
    )


def _of_whole(told: Told, text: str) -> Told:
    return told.model_copy(update={"words": _whole(told.words, text)})


def _whole(words: str, text: str) -> str:
    """The sentence that has these words; some labels are of a part of one."""
    return next((sentence for sentence in split_sentences(text) if words in sentence), words)
