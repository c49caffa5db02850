"""What code answers and refuses without a language model: `python -m tests.benchmarks.by_code --work DIR [--data DIR]`.

All questions of tests/training/chats (with `--reported` those of the six reported chats alone), and with `--data` those
of LoCoMo that have evidence. An answer is right if it begins with the gold answer's yes or no, or else contains the
gold answer, or has a token F1 of at least `MOSTLY` with it. What a refusal refuses is right where nothing tells the
answer. Refusals and precautions are named by their places in their lists. Memories are kept in `--work`.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from evermem_cli.ask import Inquiry
from evermem_cli.config import Settings
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.memory import Filter
from evermem_cli.recollection.generation.talk import Talk, ignore
from evermem_cli.recollection.memory_view import MemoryView
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.recollection.refusals import PRECAUTIONS, REFUSALS
from evermem_cli.recollection.responders import RESPONDERS
from evermem_cli.store import Store
from tests.benchmarks.answers import ADVERSARIAL, turns
from tests.benchmarks.chat_answers import MOSTLY
from tests.benchmarks.claims import contains
from tests.benchmarks.refusals import asking_without_llm, memory_of, no_llm
from tests.benchmarks.token_f1 import score
from tests.training.answers import SINGLE_HOP
from tests.training.chats import chats
from tests.training.linear import chosen_embedder
from tests.training.recalled import rows_of


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its gold answer, "" where nothing tells one; `category` is LoCoMo's."""

    text: str
    gold: str
    category: int = SINGLE_HOP

    def is_answered_by(self, text: str) -> bool:
        """Whether a text says what the gold answer says, or most of it."""
        if self.gold.casefold().startswith(("yes", "no")):
            return text.casefold()[:2] == self.gold.casefold()[:2]
        return bool(self.gold) and (contains(text, self.gold) or score(text, self.gold, self.category) >= MOSTLY)


AskedSet = tuple[str, Store, datetime, list[Asked]]


def own_sets(
    work: Path, embedder: CatalogEmbed, *, reported: bool
) -> Iterator[tuple[str, Store, datetime, list[Asked]]]:
    """All chats, or those to report by alone, each with its memory, the time of asking, and its questions."""
    for chat in (chat for chat in chats() if chat.part == "report" or not reported):
        asked = [Asked(each.q, each.answer if each.now else "") for each in chat.questions]
        yield chat.part, memory_of(chat.name, rows_of(chat), work, embedder, chat.me), chat.asked_at, asked


def locomo_sets(data: Path, work: Path, embedder: CatalogEmbed) -> Iterator[AskedSet]:
    """LoCoMo's conversations in the same way."""
    for chat in json.loads((data / "locomo_dev.json").read_text()):
        store = memory_of(chat["sample_id"], [list(turns(chat))], work, embedder)
        with store.read() as reader:
            last = max(message.said_at for cell in reader.topics.memcells() for message in cell.messages)
        asked = [Asked(qa["question"], _gold(qa), qa["category"]) for qa in chat["qa"] if qa["evidence"]]
        yield "LoCoMo", store, last + timedelta(days=1), asked


def _gold(asked: dict[str, Any]) -> str:
    return "" if asked["category"] == ADVERSARIAL else str(asked["answer"])


def measure(store: Store, now: datetime, questions: Iterable[Asked], embedder: CatalogEmbed) -> Counter[str]:
    """How many questions there are, and for each function that decides one how many it decides, and how many rightly.

    The precautions are tried as for a model that has not learned to refuse.
    """
    memory = MemoryView(store, Filter(user_id=Settings.load().user, as_of=now), now)
    asking = asking_without_llm(store, embedder)
    inquiry = Inquiry(asking, memory, Talk(no_llm, ignore, "none", None), asking.reader(memory))
    counts: Counter[str] = Counter()
    for asked in questions:
        question = inquiry.read(asked.text)
        name, is_right = _decided(asked, question, inquiry.recalled(question))
        counts.update({"questions": 1, "told": bool(asked.gold), name: 1, f"{name}, right": is_right})
    return counts


def _decided(asked: Asked, question: Question, recollection: Recollection) -> tuple[str, bool]:
    """The function that decides a question, and whether it is right; "the model" decides what is left."""
    for respond in RESPONDERS:
        if answer := respond(question, recollection):
            return respond.__name__, asked.is_answered_by(answer.text) if answer.known else not asked.gold
    for kind, refusals in (("refusal", REFUSALS), ("precaution", PRECAUTIONS)):
        for number, refuse in enumerate(refusals):
            if refuse(question, recollection):
                return f"{kind} {number}", not asked.gold
    return "the model", False


def main() -> None:
    """Prints a row for each function that decides a question."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for memories")
    parser.add_argument("--data", type=Path, help="folder of the benchmark sets, for LoCoMo")
    parser.add_argument("--reported", action="store_true", help="of the own chats, those alone that are reported")
    options = parser.parse_args()
    embedder = chosen_embedder()
    sets = [partial(own_sets, options.work, embedder, reported=options.reported)]
    if options.data:
        sets.append(partial(locomo_sets, options.data, options.work, embedder))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for each in sets:
        for part, store, now, asked in each():
            counts[part] += measure(store, now, asked, embedder)
    for part, found in counts.items():
        print(f"{part}: {found['questions']} questions, {found['told']} of them answered in what was said")
        for name in sorted(found):
            if name not in ("questions", "told") and not name.endswith(", right"):
                print(f"    {name:24} {found[name]:5}, right {found[f'{name}, right']:5}", flush=True)
    print(json.dumps({"benchmark": "by_code", "counts": counts}))


if __name__ == "__main__":
    main()
