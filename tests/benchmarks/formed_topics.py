"""Titles and facts of topics against the labels of readers: `python -m tests.benchmarks.formed_topics [--part NAME]`.

Of the chats in `tests/training/kept/` readers chose up to three sentences that would head each topic, and marked the
sentences that are worth keeping, with the messages that are needed to understand them. The product forms each topic by
code. A title is right if `COVERS` of its content words, names apart, are those of a chosen sentence. A fact is worth
keeping if one of its sentences is; a sentence is understood if a reader needs nothing else, or the fact repeats what
they need. Only numbers are printed; the highlighter has learned nothing of the part `report`.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from evermem_cli.config import Settings
from evermem_cli.formation.extract import CellReplies, draft, finish
from evermem_cli.formation.facts import Claim, form_facts
from evermem_cli.formation.grounding import CitedWords, name_words
from evermem_cli.formation.sentences.statements import TaggedStatements, split_sentences
from evermem_cli.memory import ChatKind, MemCell, Message, Policy, Role
from evermem_cli.reading.highlighter import Highlighter
from evermem_cli.reading.statements.decode import Passage
from evermem_cli.reading.statements.tagger import Tagger
from tests.training.kept import ASSISTANT, LabelledChat, Told, Topic, labelled_chats

COVERS = 0.75
_ATTRIBUTION = ("s",)  # what is left of "Ann's"


def measure(chats: Sequence[LabelledChat]) -> Counter[str]:
    """The counts of all topics of these chats."""
    highlighter, tagger, settings = Highlighter(), Tagger(), replace(Settings.load(), tasks={"titles": "code"})
    counts: Counter[str] = Counter()
    for chat in chats:
        told = {(one.n, one.words): one for one in chat.told}
        counts["sentences worth keeping"] += len(told)
        for topic in chat.topics:
            cell = _cell(chat, topic)
            [formed] = draft([cell], settings, highlighter, _read(cell, tagger))
            title = finish(formed, CellReplies(), settings).episodes[0].subject
            counts["topics"] += bool(topic.best)
            counts["titles right"] += bool(topic.best) and is_right(title, cell, topic)
            for claim in (claim for retelling in formed.retellings for claim in form_facts(retelling)):
                kept = [one for words in _sentences(claim) if (one := told.get((_number(claim), words)))]
                counts["facts"] += 1
                counts["facts worth keeping"] += bool(kept)
                counts["sentences formed"] += len(kept)
                counts["understood"] += sum(is_understood(one, claim, chat) for one in kept)
    return counts


def is_understood(one: Told, claim: Claim, chat: LabelledChat) -> bool:
    """Whether a fact repeats what a reader needs to understand this sentence of it."""
    own = set(_sentences(claim))

    def is_repeated(n: int) -> bool:
        others = [words for words in split_sentences(chat.chat.messages[n].text) if words != one.words]
        return any(words in claim.text or (n == one.n and words in own) for words in others)

    return one.alone or (bool(one.needs) and all(map(is_repeated, one.needs)))


def _sentences(claim: Claim) -> list[str]:
    return [claim.statement.stated[place] for place in claim.places]


def _number(claim: Claim) -> int:
    return claim.statement.message.ordinal


def _read(cell: MemCell, tagger: Tagger) -> TaggedStatements:
    before = ["", *(message.text for message in cell.messages)]
    passages = [Passage(message.id, message.text, text) for message, text in zip(cell.messages, before, strict=False)]
    return dict(zip((message.id for message in cell.messages), tagger.read(passages), strict=True))


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
    """Prints the counts of one part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", default="report", choices=("learn", "choose", "report"))
    options = parser.parse_args()
    counts = measure([chat for chat in labelled_chats() if chat.part == options.part])
    print(json.dumps({"benchmark": "formed topics", "part": options.part, **counts}))


if __name__ == "__main__":
    main()
