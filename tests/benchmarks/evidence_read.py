"""What the model gets to read of the messages that tell an answer, without a model:
`python -m tests.benchmarks.evidence_read --data DIR --work DIR`.

Questions of the chats of tests/training/chats that are reported (nothing is learned from them), and every ninth of
LoCoMo's (of which the check has learned nothing), are asked of their chat as `ask` would. Any and all of the messages
that tell the answer are counted among those that are read. Memories are kept in `--work`.
"""

import argparse
import json
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from evermem_cli.ask import Inquiry
from evermem_cli.config import Settings
from evermem_cli.engines import catalog, weights
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.memory import Filter
from evermem_cli.recollection.generation.talk import Talk, ignore
from evermem_cli.recollection.generation.writing import tokens_in
from evermem_cli.recollection.memory_view import MemoryView
from evermem_cli.store import Store
from tests.benchmarks.answers import ADVERSARIAL, turns
from tests.benchmarks.locomo import EVIDENCE
from tests.benchmarks.refusals import asking_without_llm, memory_of, no_llm
from tests.training.chats import Chat, chats
from tests.training.recalled import rows_of

EVERY = 9  # of LoCoMo's questions


class Asked(NamedTuple):
    """A question, and the ids of the messages that tell the answer."""

    text: str
    gold: frozenset[str]


class Read(NamedTuple):
    """Whether any and all of the evidence is among what is read, and about how many tokens that has."""

    any: bool
    all: bool
    tokens: int


class Said(NamedTuple):
    """The rows of a chat as transcripts, the speaker who asks about it ("" where nobody does), and the questions."""

    rows: list[list[dict[str, Any]]]
    me: str
    questions: list[Asked]


def of_chat(chat: Chat) -> Said:
    """A chat with its answered questions."""
    asked = [Asked(each.q, frozenset(map(str, each.now))) for each in chat.questions if each.now]
    return Said(rows_of(chat), chat.me, asked)


def of_locomo(chat: dict[str, Any]) -> Said:
    """A conversation with those of its questions that are asked."""
    asked = [
        Asked(qa["question"], frozenset(f"D{a}:{b}" for each in qa["evidence"] for a, b in EVIDENCE.findall(each)))
        for qa in chat["qa"]
        if qa["evidence"] and qa["category"] != ADVERSARIAL
    ]
    return Said([list(turns(chat))], "", asked[::EVERY])


def measure(store: Store, questions: Iterable[Asked], embedder: CatalogEmbed) -> list[Read]:
    """What is read for each question."""
    with store.read() as stored:
        said = [message for cell in stored.topics.memcells() for message in cell.messages]
    now = max(message.said_at for message in said) + timedelta(days=1)
    outer = {message.id: message.external_id for message in said}
    memory = MemoryView(store, Filter(user_id=Settings.load().user, as_of=now), now)
    asking = asking_without_llm(store, embedder)
    inquiry = Inquiry(asking, memory, Talk(no_llm, ignore, "none", None), asking.reader(memory))
    found = []
    for question in questions:
        asked = inquiry.read(question.text)
        lines = inquiry.recalled(asked).lines
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
        for chat, said in several.items():
            store = memory_of(chat, said.rows, chosen.work, embedder, said.me)
            read += measure(store, said.questions, embedder)
        rows[name] = {"n": len(read)} | {
            what: round(fmean(getattr(each, what) for each in read), 3) for what in Read._fields
        }
        print(f"{name:10} " + ", ".join(f"{what} {value}" for what, value in rows[name].items()), flush=True)
    print(json.dumps({"benchmark": "evidence_read", "figures": rows}))


if __name__ == "__main__":
    main()
