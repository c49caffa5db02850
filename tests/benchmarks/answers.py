"""Answers to LoCoMo's questions by the real model: `python -m tests.benchmarks.answers --data DIR --work DIR`.

The product's own way: one memory per conversation, built by tier 1 (`--enrich`: by both), asked with `ask`. The control
is asked the same way with the gold turns alone to read. Token F1 of `locomo_qa_sample_dev.json`, weighted by the number
of questions LoCoMo has of each category; of category 5 (nobody said so) a seeded sample, where "not known" is right.
Memories and the model's replies are kept in `--work`, so an interrupted run goes on; `--limit N` takes N of each kind.
"""

import argparse
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from itertools import islice
from math import nan
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from evermem_cli.ask import Asking, answer_from_passages
from evermem_cli.config import Settings
from evermem_cli.engines import Embedder, Llm, catalog, weights
from evermem_cli.engines.adapters import adapter_of
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.engines.llm import LlamaCpp
from evermem_cli.enrich import Enrichment
from evermem_cli.ingest import Ingestion
from evermem_cli.memory import Evidence, Filter, Kind, Message, Mode
from evermem_cli.reading.statements.tagger import SHIPPED
from evermem_cli.recollection.generation.answers import Answer
from evermem_cli.recollection.generation.talk import Talk
from evermem_cli.recollection.memory_view import MemoryView
from evermem_cli.recollection.passages.assembly import ReadingPlan
from evermem_cli.recollection.questions.form import Form, form_of
from evermem_cli.recollection.questions.question import read_question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.store import Store
from evermem_cli.transcripts import ReadOptions
from tests.benchmarks.replies import KeptReplies
from tests.benchmarks.token_f1 import MULTI_HOP, score

OUTPUT_TOKENS = 32  # LoCoMo's own limit
WEIGHTS = {1: 282, 2: 321, 3: 96, 4: 841}
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}
ADVERSARIAL = 5
ALIKE = 0.3
ADVERSARIAL_SAMPLE = 50
RESAMPLES = 2000
TURN = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class Item:
    """A question, what answers it ("" in category 5) and the turns that say so."""

    chat: str
    category: int
    question: str
    gold: str
    turns: frozenset[str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a question; `seen` is the share of its gold turns that the model had before it."""

    item: Item
    said: Answer
    f1: float
    seen: float


@dataclass(frozen=True, slots=True)
class Bench:
    """What every question is asked with. `llm` keeps its replies, which are short; memories are made by `load_llm`."""

    settings: Settings
    embedder: Embedder
    load_llm: Callable[[], Llm]
    llm: Llm
    mode: Mode
    work: Path

    def store(self, chat: dict[str, Any], *, enrich: bool) -> Store:
        """The memory of a conversation, made unless it is there."""
        name = f"{chat['sample_id']}{'-enriched' if enrich else ''}"
        store = Store(self.work / f"{name}.duckdb", self.settings.busy_timeout)
        transcript = self.work / f"{chat['sample_id']}.jsonl"
        transcript.write_text("".join(f"{json.dumps(turn)}\n" for turn in turns(chat)))
        Ingestion(store, self.embedder, self.settings, silent).run([transcript], ReadOptions(tz=UTC))
        if enrich:
            Enrichment(store, self.embedder, self.load_llm, self.settings, silent).run()
        return store

    def ask(self, item: Item, store: Store, where: Filter, now: datetime) -> Outcome:
        """The product's answer, by the replies that are kept here, not by its own, which say nothing about tokens."""
        if store.replies:
            store.replies.clear()
        asking = Asking(
            store=store,
            embedder=self.embedder,
            llm=self.settings.llm,
            load_llm=lambda: self.llm,
            budget=self.settings.context_budget,
            mode=self.mode,
            on_text=_ignore,
            on_round=_ignore,
        )
        return _outcome(item, asking.ask(item.question, where, now))

    def control(self, item: Item, messages: Sequence[Message], memory: MemoryView) -> Outcome:
        """The answer from the gold turns alone."""
        hits = tuple(_as_evidence(message) for message in messages if message.external_id in item.turns)
        question = read_question(item.question, SHIPPED.read_question(item.question), memory.now)
        talk = Talk(lambda: self.llm, _ignore, self.settings.llm)
        passages = tuple(ReadingPlan(now=memory.now).choose(hits, {}))
        gold = Recollection(memory=memory, hits=hits, passages=passages)
        return _outcome(item, answer_from_passages(question, gold, talk))


def read_items(data: Path, limit: int | None, *, others: int) -> Iterator[Item]:
    """The sample of categories 1 to 4, then the seeded sample of category 5; of each category the first `limit`.

    With `others` as many questions that are in neither, also seeded: the first set, to develop on, or a further one.
    """
    sample = json.loads((data / "locomo_qa_sample_dev.json").read_text())
    chats = json.loads((data / "locomo_dev.json").read_text())
    seeded = [chat | qa for chat in chats for qa in chat["qa"] if qa["evidence"]]
    seeded.sort(key=lambda qa: hashlib.sha256(qa["question"].encode()).hexdigest())
    taken = {(row["sample_id"], row["question"]) for row in sample}
    for category in CATEGORIES:
        chosen = [row for row in sample if row["category"] == category]
        rest = [row for row in seeded if row["category"] == category]
        if category == ADVERSARIAL:
            chosen, rest = rest[:ADVERSARIAL_SAMPLE], rest[ADVERSARIAL_SAMPLE:]
        rest = [row for row in rest if (row["sample_id"], row["question"]) not in taken]
        start = (others - 1) * len(chosen)
        asked = rest[start : start + len(chosen)] if others else chosen
        yield from islice(map(_item, asked), limit)


def turns(chat: dict[str, Any]) -> Iterator[dict[str, str]]:
    """A conversation as a transcript: image captions in brackets, a session's turns a second apart."""
    talk = chat["conversation"]
    for number in sorted(int(key[8:]) for key in talk if re.fullmatch(r"session_\d+", key)):
        start = datetime.strptime(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for place, turn in enumerate(talk[f"session_{number}"]):
            caption = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield {
                "id": turn["dia_id"],
                "speaker": turn["speaker"],
                "timestamp": (start + timedelta(seconds=place)).isoformat(),
                "text": turn["text"] + caption,
            }


def run(bench: Bench, data: Path, items: Sequence[Item], *, enrich: bool) -> tuple[list[Outcome], list[Outcome]]:
    """Every question's outcome and control, chat by chat; category 5 has no control."""
    asked, controls = [], []
    for chat in json.loads((data / "locomo_dev.json").read_text()):
        mine = [item for item in items if item.chat == chat["sample_id"]]
        if not mine:
            continue
        store = bench.store(chat, enrich=enrich)
        with store.read() as reader:
            messages = [message for cell in reader.topics.memcells() for message in cell.messages]
        now = max(message.said_at for message in messages)
        for item in mine:
            asked.append(bench.ask(item, store, Filter(as_of=now), now))
            if item.category != ADVERSARIAL:
                controls.append(bench.control(item, messages, MemoryView(store, Filter(as_of=now), now)))
        print(f"{chat['sample_id']}: {len(mine)} questions", flush=True)
    return asked, controls


def report(asked: Sequence[Outcome], controls: Sequence[Outcome], note: dict[str, Any]) -> None:
    """A table and one JSON line."""
    print(f"{'':14}{'n':>5}{'F1':>8}{'gold F1':>9}{'seen any':>10}{'seen all':>10}{'not known':>11}")
    rows: dict[str, dict[str, float]] = {}
    for category, name in CATEGORIES.items():
        if mine := _of(asked, category):
            gold = _of(controls, category)
            rows[name] = {
                "n": len(mine),
                "F1": 100 * fmean(each.f1 for each in mine),
                "gold F1": 100 * fmean(each.f1 for each in gold) if gold else 0.0,
                "seen any": 100 * fmean(each.seen > 0 for each in mine),
                "seen all": 100 * fmean(each.seen == 1 for each in mine),
                "not known": 100 * fmean(not each.said.known for each in mine),
            }
    answered = [each for each in asked if each.item.category != ADVERSARIAL]
    cited = [_cites_evidence(each) for each in answered if each.seen and each.said.citations]
    low, high = _of_gold(asked, controls)
    summary = {
        "weighted": _weighted(rows, "F1"),
        "weighted gold": _weighted(rows, "gold F1"),
        "unweighted": _unweighted(rows, "F1"),
        "unweighted gold": _unweighted(rows, "gold F1"),
        "of gold": 100 * _weighted(rows, "F1") / (_weighted(rows, "gold F1") or nan),
        "of gold, from": low,
        "of gold, to": high,
        "wrongly refused": 100 * fmean(not each.said.known for each in answered),
        "first cited right": 100 * fmean(cited or [False]),
        "prompt tokens": fmean(each.said.tokens["prompt"] + each.said.tokens["cached"] for each in answered),
    }
    if lists := [
        each
        for each in _of(asked, MULTI_HOP)
        if form_of(SHIPPED.read_question(each.item.question).sought) is Form.SEVERAL
    ]:
        summary |= {
            "lists' items named": 100 * fmean(_share(each.item.gold, each.said.text) for each in lists),
            "of those named": 100 * fmean(_share(each.said.text, each.item.gold) for each in lists),
        }
    for name, row in rows.items():
        print(f"{name:14}{row['n']:5.0f}{row['F1']:8.1f}{row['gold F1']:9.1f}", end="")
        print(f"{row['seen any']:10.1f}{row['seen all']:10.1f}{row['not known']:11.1f}")
    for name, value in summary.items():
        print(f"{name:19}{value:8.1f}")
    print(json.dumps({"benchmark": "answers"} | note | summary | {"categories": rows}))


def transcript(asked: Iterable[Outcome], controls: Sequence[Outcome]) -> Iterator[str]:
    """One JSON line for each question, to be read by people."""
    gold = {each.item: each for each in controls}
    for each in asked:
        control = gold.get(each.item)
        row = {
            "category": each.item.category,
            "chat": each.item.chat,
            "question": each.item.question,
            "gold": each.item.gold,
            "answer": each.said.text,
            "known": each.said.known,
            "f1": round(each.f1, 3),
            "seen": round(each.seen, 2),
            "control": control and control.said.text,
            "control f1": control and round(control.f1, 3),
        }
        yield json.dumps(row, ensure_ascii=False)


def _cites_evidence(outcome: Outcome) -> bool:
    """Whether the first message that it cites is of its gold turns."""
    return any(message.external_id in outcome.item.turns for message in outcome.said.citations[0].messages)


def _share(items: str, among: str) -> float:
    """The share of a list's items that are about one of another list's: they have a token F1 of more than .3."""
    said = among.split(",")
    return fmean(max(score(other, item, 0) for other in said) > ALIKE for item in items.split(","))


def _of(outcomes: Iterable[Outcome], category: int) -> list[Outcome]:
    return [each for each in outcomes if each.item.category == category]


def _weighted(rows: dict[str, dict[str, float]], measure: str) -> float:
    present = {category: WEIGHTS[category] for category in WEIGHTS if CATEGORIES[category] in rows}
    total = sum(weight * rows[CATEGORIES[category]][measure] for category, weight in present.items())
    return total / sum(present.values())


def _of_gold(asked: Sequence[Outcome], controls: Sequence[Outcome]) -> tuple[float, float]:
    """Between what the weighted share of the control lies in 90 % of resamples (bootstrap over questions, paired)."""
    rng = np.random.default_rng(0)
    drawn = np.zeros((2, RESAMPLES))
    for category, weight in WEIGHTS.items():
        gold = {each.item: each.f1 for each in _of(controls, category)}
        pairs = np.array([(each.f1, gold[each.item]) for each in _of(asked, category)])
        if len(pairs):
            drawn += weight * pairs[rng.integers(len(pairs), size=(RESAMPLES, len(pairs)))].mean(axis=1).T
    drawn[1][drawn[1] == 0] = nan
    low, high = np.quantile(100 * drawn[0] / drawn[1], (0.05, 0.95))
    return float(low), float(high)


def _unweighted(rows: dict[str, dict[str, float]], measure: str) -> float:
    return fmean(rows[CATEGORIES[category]][measure] for category in WEIGHTS if CATEGORIES[category] in rows)


def _item(row: dict[str, Any]) -> Item:
    found = (TURN.findall(entry) for entry in row["evidence"])
    gold = frozenset(f"D{session}:{turn}" for pairs in found for session, turn in pairs)
    return Item(row["sample_id"], row["category"], row["question"], str(row.get("answer", "")), gold)


def _outcome(item: Item, said: Answer) -> Outcome:
    read = {line.message.external_id for line in said.recollection.lines}
    seen = len(item.turns & read) / len(item.turns) if item.turns else 0.0
    return Outcome(item, said, score(said.text, item.gold, item.category) if item.gold else 0.0, seen)


def _as_evidence(message: Message) -> Evidence:
    return Evidence(
        id=message.id,
        kind=Kind.MESSAGE,
        text=message.text,
        score=1.0,
        speaker=message.speaker,
        said_at=message.said_at,
        valid_at=None,
        invalid_at=None,
        conversation=message.conversation_id,
        messages=(message,),
        is_hit=True,
    )


def silent(stage: str, done: int, total: int) -> None:
    """Progress is of no interest here."""


def _ignore(text: str) -> None:
    """Nor are answers while they are written."""


def open_bench(chosen: argparse.Namespace) -> Bench:
    """What questions are asked with, as the options have it."""
    settings = Settings.load(context_budget=chosen.budget, llm=chosen.llm)
    chosen.work.mkdir(parents=True, exist_ok=True)
    home = weights.locate(catalog.find_embedder(settings.embedder), settings.models_dir)
    load: Callable[[], Llm] = cache(
        partial(
            LlamaCpp,
            weights.locate(catalog.find_llm(settings.llm), settings.models_dir),
            name=settings.llm,
            context_tokens=settings.context_tokens,
            batch=settings.batch,
            threads=settings.threads,
            adapter=adapter_of(settings.llm),
        )
    )
    llm = KeptReplies(load, settings.llm, chosen.work / "replies.jsonl", OUTPUT_TOKENS)
    embedder = CatalogEmbed(home, settings.embedder, settings.threads)
    return Bench(settings, embedder, load, llm, Mode(chosen.mode), chosen.work)


def main() -> None:
    """Reads the options, asks, prints the figures."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--data", type=Path, required=True, help="folder of the benchmark sets")
    options.add_argument("--work", type=Path, required=True, help="folder for memories and replies")
    options.add_argument("--limit", type=int, help="questions of each category")
    options.add_argument("--chats", nargs="*", help="only these conversations, to do a long run in parts")
    options.add_argument(
        "--others", type=int, nargs="?", const=1, default=0, choices=(1, 2), help="as many outside it, or as many again"
    )
    options.add_argument("--budget", type=int, default=Settings.load().context_budget, help="tokens of memory to read")
    options.add_argument("--mode", choices=[Mode.STANDARD, Mode.AGENTIC], default=Mode.STANDARD)
    options.add_argument("--llm", default=Settings.load().llm)
    options.add_argument("--enrich", action="store_true", help="both tiers; the default is tier 1 alone")
    options.add_argument("--answers", type=Path, help="file for every question with its answers")
    chosen = options.parse_args()
    items = list(read_items(chosen.data, chosen.limit, others=chosen.others))
    items = [item for item in items if not chosen.chats or item.chat in chosen.chats]
    asked, controls = run(open_bench(chosen), chosen.data, items, enrich=chosen.enrich)
    if chosen.answers:
        chosen.answers.write_text("".join(f"{line}\n" for line in transcript(asked, controls)))
    note = {"model": chosen.llm, "mode": chosen.mode, "budget": chosen.budget, "enriched": chosen.enrich}
    report(asked, controls, note)


if __name__ == "__main__":
    main()
