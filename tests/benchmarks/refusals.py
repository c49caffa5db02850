"""What code refuses to answer: `python -m tests.benchmarks.refusals --data DIR --work DIR`. No language model.

Of questions that are answered in what was said, few should be refused, and of those that are not, many. The questions
of blind hands (tests/training/questions; those of `CHOSEN` chose the threshold, those of `REPORTED` are left out of
learning) are asked of all excerpts of their hand together; LoCoMo's of their conversation: categories 1 to 4 are
answered there, category 5 is not. What a responder answers is not refused. Memories are kept in `--work`.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from evermem_cli.annotate import Annotation
from evermem_cli.ask import Asking, Inquiry, is_refused, responded
from evermem_cli.config import Settings
from evermem_cli.engines import Embedder, Llm, catalog, weights
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.enrich import MODEL_TASKS, Enrichment
from evermem_cli.ingest import Ingestion
from evermem_cli.memory import Filter, Mode
from evermem_cli.reading.statements.tagger import SHIPPED, Tagger
from evermem_cli.recollection.generation.talk import Talk, ignore
from evermem_cli.recollection.memory_view import MemoryView
from evermem_cli.recollection.questions import question as asked_question
from evermem_cli.recollection.questions.question import Speakers, read_question
from evermem_cli.store import Store
from evermem_cli.transcripts import ReadOptions
from tests.benchmarks.answers import ADVERSARIAL, silent, turns
from tests.training.pairs import CHOSEN, REPORTED, items

SAID = datetime(2025, 3, 3, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, who asks, and whether the memory tells the answer."""

    text: str
    asker: str | None
    answered: bool


def own(hand: str) -> tuple[list[list[dict[str, str]]], list[Question]]:
    """The excerpts of a hand, each as the rows of a transcript, and its questions."""
    asked = [each for each in items() if each.hand == hand]
    chats = []
    for number, said in enumerate(dict.fromkeys(each.messages for each in asked)):
        start = SAID + timedelta(hours=6 * number)
        chats.append(
            [
                {"speaker": speaker, "text": text, "timestamp": (start + timedelta(minutes=n)).isoformat()}
                for n, (speaker, text) in enumerate(said)
            ]
        )
    return chats, [Question(each.question, each.asker, bool(each.answers)) for each in asked]


def locomo(data: Path) -> Iterator[tuple[str, list[list[dict[str, Any]]], list[Question]]]:
    """The conversations with their rows and questions."""
    for chat in json.loads((data / "locomo_dev.json").read_text()):
        asked = [Question(qa["question"], None, qa["category"] != ADVERSARIAL) for qa in chat["qa"] if qa["evidence"]]
        yield chat["sample_id"], [list(turns(chat))], asked


def memory_of(
    name: str, chats: Iterable[list[dict[str, Any]]], work: Path, embedder: CatalogEmbed, me: str = ""
) -> Store:
    """The memory of these chats as `ingest --no-llm` makes it, unless it is there; `me` is the speaker who owns it."""
    settings = replace(Settings.load(), tasks=dict.fromkeys(MODEL_TASKS, "code"))
    store = Store(work / f"{name}.duckdb", 5)
    folder = work / name
    folder.mkdir(parents=True, exist_ok=True)
    for number, rows in enumerate(chats):
        (folder / f"{number:04}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    Ingestion(store, embedder, settings, silent).run(sorted(folder.glob("*.jsonl")), ReadOptions(tz=UTC, me=me))
    Annotation(store, SHIPPED, silent).run()
    Enrichment(store, embedder, None, settings, silent).run()
    return store


def measure(store: Store, questions: Iterable[Question], embedder: CatalogEmbed, *, taught: bool) -> Counter[str]:
    """How many questions there are of each sort, and how many of them are refused."""
    with store.read() as reader:
        now = max(message.said_at for cell in reader.topics.memcells() for message in cell.messages) + timedelta(days=1)
    memory = MemoryView(store, Filter(as_of=now), now)
    called = memory.speakers().names
    asking = asking_without_llm(store, embedder)
    counts: Counter[str] = Counter()
    for question in questions:
        talk = Talk(no_llm, ignore, "none", None)
        inquiry = Inquiry(asking, memory, talk, question_reader(embedder, now, Speakers(called, question.asker)))
        sort = "answered" if question.answered else "not told"
        counts[sort] += 1
        asked = inquiry.read(question.text)
        recollection = inquiry.recalled(asked)
        answer = responded(asked, recollection)
        counts[f"{sort}, refused"] += answer is None and is_refused(asked, recollection, taught=taught)
    return counts


def asking_without_llm(store: Store, embedder: CatalogEmbed) -> Asking:
    """Asks as the product does, up to where a model would be asked."""
    return Asking(
        store=store,
        embedder=embedder,
        llm="none",
        load_llm=no_llm,
        budget=Settings().context_budget,
        mode=Mode.STANDARD,
        on_text=ignore,
        on_round=ignore,
    )


def question_reader(embedder: Embedder, now: datetime, speakers: Speakers) -> Callable[[str], asked_question.Question]:
    """Reads questions as of `now`."""
    tagger = Tagger()
    return lambda text: read_question(text, tagger.read_question(text), now, speakers)


def main() -> None:
    """Prints a row for each set."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--data", type=Path, required=True, help="folder of the benchmark sets")
    options.add_argument("--work", type=Path, required=True, help="folder for memories")
    options.add_argument("--only", choices=["own", "locomo"], help="one of the two")
    options.add_argument("--taught", action="store_true", help="as before a model that has learned to refuse")
    chosen = options.parse_args()
    settings = Settings.load()
    home = weights.locate(catalog.find_embedder(settings.embedder), settings.models_dir)
    embedder = CatalogEmbed(home, settings.embedder, settings.threads)
    rows: dict[str, Counter[str]] = {}
    if chosen.only != "locomo":
        for hand in (*CHOSEN, *REPORTED):
            chats, asked = own(hand)
            rows[hand] = measure(memory_of(hand, chats, chosen.work, embedder), asked, embedder, taught=chosen.taught)
            _print(hand, rows[hand])
    if chosen.only != "own":
        rows["LoCoMo"] = Counter()
        for name, chats, asked in locomo(chosen.data):
            rows["LoCoMo"] += measure(
                memory_of(name, chats, chosen.work, embedder), asked, embedder, taught=chosen.taught
            )
        _print("LoCoMo", rows["LoCoMo"])
    print(json.dumps({"benchmark": "refusals", "rows": rows}))


def _print(name: str, counts: Counter[str]) -> None:
    shares = (f"{sort}: {counts[f'{sort}, refused']} of {counts[sort]} refused" for sort in ("answered", "not told"))
    print(f"{name:16} {', '.join(shares)}", flush=True)


def no_llm() -> Llm:
    """Stands for a model that must not be asked."""
    raise AssertionError("nothing is asked of a language model here")


if __name__ == "__main__":
    main()
