"""What the model gets to read of the messages that tell an answer, without a model:
`python -m tests.benchmarks.evidence_read --data DIR --work DIR`.

Questions of the chats of tests/training/chats that are reported (nothing is learned from them), and every ninth of
LoCoMo's (of which the check has learned nothing), are asked of their chat as `ask` would. Any and all of the messages
that tell the answer are counted among those that are read. Memories are kept in `--work`.
"""

import argparse
import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from evermem_cli.ask import Inquiry, to_read
from evermem_cli.config import Settings
from evermem_cli.engines import catalog, weights
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.memory import Filter
from evermem_cli.recollection.generation.talk import Talk, ignore
from evermem_cli.recollection.generation.writing import tokens_in
from evermem_cli.recollection.memory_view import MemoryView
from evermem_cli.recollection.questions.question import Speakers
from evermem_cli.store import Store
from tests.benchmarks.answers import ADVERSARIAL, turns
from tests.benchmarks.locomo import EVIDENCE
from tests.benchmarks.refusals import asking_without_llm, memory_of, no_llm, question_reader
from tests.training.chats import Chat, chats

EVERY = 9  # of LoCoMo's questions


class Asked(NamedTuple):
    """A question, who asks, and the ids of the messages that tell the answer."""

    text: str
    asker: str | None
    gold: frozenset[str]


class Read(NamedTuple):
    """Whether any and all of the evidence is among what is read, and about how many tokens that has."""

    any: bool
    all: bool
    tokens: int


def of_chat(chat: Chat) -> tuple[list[list[dict[str, str]]], list[Asked]]:
    """The rows of a chat, a conversation for each day, and its answered questions."""
    rows = [
        {
            "id": str(place),
            "speaker": said.who,
            "text": said.text,
            "timestamp": datetime.fromisoformat(said.at).replace(tzinfo=UTC).isoformat(),
            "conversation_id": chat.name,
        }
        for place, said in enumerate(chat.messages)
    ]
    days = [list(day) for _, day in groupby(rows, lambda row: row["timestamp"][:10])]
    return days, [Asked(asked.q, chat.me, frozenset(map(str, asked.now))) for asked in chat.questions if asked.now]


def of_locomo(chat: dict[str, Any]) -> tuple[list[list[dict[str, str]]], list[Asked]]:
    """The rows of a conversation, and those of its questions that are asked."""
    asked = [
        Asked(
            qa["question"], None, frozenset(f"D{a}:{b}" for each in qa["evidence"] for a, b in EVIDENCE.findall(each))
        )
        for qa in chat["qa"]
        if qa["evidence"] and qa["category"] != ADVERSARIAL
    ]
    return [list(turns(chat))], asked[::EVERY]


def measure(store: Store, questions: Iterable[Asked], embedder: CatalogEmbed) -> list[Read]:
    """What is read for each question."""
    with store.read() as stored:
        said = [message for cell in stored.topics.memcells() for message in cell.messages]
    now = max(message.said_at for message in said) + timedelta(days=1)
    outer = {message.id: message.external_id for message in said}
    memory = MemoryView(store, Filter(as_of=now), now)
    called = memory.speakers().names
    asking = asking_without_llm(store, embedder)
    found = []
    for question in questions:
        read = question_reader(embedder, now, Speakers(called, question.asker))
        inquiry = Inquiry(asking, memory, Talk(no_llm, ignore, "none", None), read)
        asked = inquiry.read(question.text)
        lines = to_read(asked, inquiry.recalled(asked), taught=True).lines
        known = {outer[line.message.id] for line in lines}
        found.append(
            Read(bool(known & question.gold), question.gold <= known, sum(tokens_in(line.text) for line in lines))
        )
    return found


def main() -> None:
    """Prints a row for own chats and one for LoCoMo."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, required=True, help="folder of the benchmark sets")
    options.add_argument("--work", type=Path, required=True, help="folder for memories")
    chosen = options.parse_args()
    settings = Settings.load()
    home = weights.locate(catalog.find_embedder(settings.embedder), settings.models_dir)
    embedder = CatalogEmbed(home, settings.embedder, settings.threads)
    conversations = json.loads((chosen.data / "locomo_dev.json").read_text())
    sets = {
        "own chats": {chat.name: of_chat(chat) for chat in chats() if chat.part == "report"},
        "LoCoMo": {chat["sample_id"]: of_locomo(chat) for chat in conversations},
    }
    rows = {}
    for name, several in sets.items():
        read: list[Read] = []
        for chat, (said, asked) in several.items():
            read += measure(memory_of(chat, said, chosen.work, embedder), asked, embedder)
        rows[name] = {"n": len(read)} | {
            what: round(fmean(getattr(each, what) for each in read), 3) for what in Read._fields
        }
        print(f"{name:10} " + ", ".join(f"{what} {value}" for what, value in rows[name].items()), flush=True)
    print(json.dumps({"benchmark": "evidence_read", "figures": rows}))


if __name__ == "__main__":
    main()
