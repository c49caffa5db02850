"""Answers about one's own chats with an assistant: `python -m tests.benchmarks.own_chats --data DIR --work DIR`.

LongMemEval's questions, each asked of a memory of its own sessions, all turns, tier 1. For each kind of question: how
often any and all of the evidence was before the model, and token F1 ("4" is not "four" there); of questions without an
answer how many are answered "not known". Memories and replies are kept in `--work`; `--mode light` asks no model and
tells what would be read, in a minute once the memories are there.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean

from evermem_cli.config import Settings
from evermem_cli.ingest import Ingestion
from evermem_cli.memory import Filter, Mode
from evermem_cli.store import Store
from evermem_cli.transcripts import ReadOptions
from tests.benchmarks.answers import Bench, Item, Outcome, open_bench, silent, transcript
from tests.benchmarks.knowledge_update import question_of

PLAIN_F1 = 4  # LoCoMo's category whose measure is token F1 and nothing else


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its sessions as JSONL lines, asked at the end of a day; without an answer its gold is ""."""

    kind: str
    item: Item
    sessions: str
    now: datetime


def load(data: Path, limit: int | None) -> Iterator[Asked]:
    """The questions in the order of the file, of each kind the first `limit`."""
    taken: Counter[str] = Counter()
    for row in json.loads((data / "longmemeval_oracle_dev.json").read_text("utf-8")):
        kind = "no answer" if row["question_id"].endswith("_abs") else row["question_type"]
        taken[kind] += 1
        if limit is None or taken[kind] <= limit:
            question = question_of(row)
            gold = "" if kind == "no answer" else question.answer
            item = Item(question.digest, PLAIN_F1, question.text, gold, question.latest | question.outdated)
            now = datetime.fromisoformat(question.day).replace(tzinfo=UTC) + timedelta(days=1, seconds=-1)
            yield Asked(kind, item, question.transcript, now)


def ask(asked: Asked, bench: Bench) -> Outcome:
    """The product's answer from a memory of the sessions, made unless it is there."""
    store = Store(bench.work / f"{asked.item.chat}.duckdb", bench.settings.busy_timeout)
    sessions = bench.work / f"{asked.item.chat}.jsonl"
    sessions.write_text(asked.sessions, "utf-8")
    Ingestion(store, bench.embedder, bench.settings, silent).run([sessions], ReadOptions(tz=UTC))
    return bench.ask(asked.item, store, Filter(user_id=bench.settings.user, as_of=asked.now), asked.now)


def main() -> None:
    """Prints a line for each kind of question, and all as JSON."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--data", type=Path, required=True, help="folder of the benchmark sets")
    options.add_argument("--work", type=Path, required=True, help="folder for memories and replies")
    options.add_argument("--limit", type=int, help="questions of each kind")
    options.add_argument("--kinds", nargs="*", help="only these kinds of question, as they are printed")
    options.add_argument("--budget", type=int, default=Settings.load().context_budget, help="tokens of memory to read")
    options.add_argument("--mode", choices=list(Mode), default=Mode.STANDARD)
    options.add_argument("--llm", default=Settings.load().llm)
    options.add_argument("--answers", type=Path, help="file for every question with its answer")
    chosen = options.parse_args()
    bench = open_bench(chosen)
    kinds: defaultdict[str, list[Outcome]] = defaultdict(list)
    for asked in load(chosen.data, chosen.limit):
        if not chosen.kinds or asked.kind in chosen.kinds:
            kinds[asked.kind].append(ask(asked, bench))
    if chosen.answers:
        outcomes = [each for group in kinds.values() for each in group]
        chosen.answers.write_text("".join(f"{line}\n" for line in transcript(outcomes, [])))
    kinds["all with an answer"] = [each for kind, group in kinds.items() if kind != "no answer" for each in group]
    rows = {}
    print(f"{'':26}{'n':>5}{'read any':>10}{'read all':>10}{'F1':>8}{'not known':>11}")
    for kind, group in kinds.items():
        rows[kind] = {
            "n": len(group),
            "read any": 100 * fmean(each.seen > 0 for each in group),
            "read all": 100 * fmean(each.seen == 1 for each in group),
            "F1": 100 * fmean(each.f1 for each in group),
            "not known": 100 * fmean(not each.said.known for each in group),
        }
        print(f"{kind:26}{len(group):5}{rows[kind]['read any']:10.1f}{rows[kind]['read all']:10.1f}", end="")
        print(f"{rows[kind]['F1']:8.1f}{rows[kind]['not known']:11.1f}")
    print(json.dumps({"benchmark": "own_chats", "model": chosen.llm, "mode": chosen.mode} | rows))


if __name__ == "__main__":
    main()
