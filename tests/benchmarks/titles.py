"""Titles of topics against those that readers would choose: `python -m tests.benchmarks.titles [--part NAME]`.

Of the chats in `tests/training/kept/` readers chose for each topic up to three sentences that would head it. The
product forms each topic by code. A title is right if `COVERS` of its content words, names apart, are those of one of them.
Only numbers are printed; the highlighter has learned nothing of the part `report`.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from evermem_cli.config import Settings
from evermem_cli.formation.extract import CellReplies, draft, finish
from evermem_cli.formation.grounding import CitedWords, name_words
from evermem_cli.memory import ChatKind, MemCell, Message, Policy, Role
from evermem_cli.reading.highlighter import Highlighter
from evermem_cli.reading.statements.decode import Passage
from evermem_cli.reading.statements.tagger import Tagger
from tests.training.kept import ASSISTANT, LabelledChat, Topic, labelled_chats

COVERS = 0.75
_ATTRIBUTION = ("s",)  # what is left of "Ann's"


def topics(part: str) -> Iterator[tuple[MemCell, Topic]]:
    """The topics of this part for which a reader chose a sentence."""
    for chat in labelled_chats():
        if chat.part == part:
            yield from ((_cell(chat, topic), topic) for topic in chat.topics if topic.best)


def title_of(cell: MemCell, highlighter: Highlighter, tagger: Tagger) -> str:
    """The title that code gives a topic."""
    settings = replace(Settings.load(), tasks={"titles": "code"})
    before = ["", *(message.text for message in cell.messages)]
    passages = [Passage(message.id, message.text, text) for message, text in zip(cell.messages, before, strict=False)]
    read = dict(zip((message.id for message in cell.messages), tagger.read(passages), strict=True))
    return finish(draft(cell, settings, highlighter, read), CellReplies(), settings).episodes[0].subject


def is_right(title: str, cell: MemCell, topic: Topic) -> bool:
    """Whether a title has the words of a sentence that a reader chose."""
    names = name_words(*cell.participants, *_ATTRIBUTION)
    return any(CitedWords([words], names).confidence(title.rstrip(" …")) >= COVERS for _, words in topic.best)


def _cell(chat: LabelledChat, topic: Topic) -> MemCell:
    said = chat.chat.messages
    kind = ChatKind.ASSISTANT if any(one.who.lower() == ASSISTANT for one in said) else ChatKind.GROUP
    messages = tuple(
        Message(
            id=f"m{n}", conversation_id="c", ordinal=n, external_id=str(n), speaker=said[n].who,
            user_id=said[n].who.lower(), role=Role.ASSISTANT if said[n].who.lower() == ASSISTANT else Role.USER,
            text=said[n].text, said_at=datetime.fromisoformat(said[n].at).replace(tzinfo=UTC),
        )
        for n in range(topic.start, topic.stop + 1)
    )  # fmt: skip
    return MemCell(
        event_id=f"e{topic.start}", conversation_id="c", group_id="g", kind=kind, messages=messages,
        boundary_reason="end", open=False, policy=Policy.ALL,
    )  # fmt: skip


def main() -> None:
    """Prints the share of right titles."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", default="report", choices=("learn", "choose", "report"))
    options = parser.parse_args()
    highlighter, tagger = Highlighter(), Tagger()
    rights = [is_right(title_of(cell, highlighter, tagger), cell, topic) for cell, topic in topics(options.part)]
    figures = {"part": options.part, "topics": len(rights), "right": sum(rights)}
    print(json.dumps({"benchmark": "titles", **figures}))


if __name__ == "__main__":
    main()
