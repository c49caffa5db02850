"""evermem, a script, a peer and the plain loop on the same chats: `python -m tests.benchmarks.side_by_side --data DIR`.

All turns of the LoCoMo conversations in one memory; the questions that have evidence, spread over all of them, and
whether a gold turn is among the first ten results (any@10). Cold is a process for one question, warm one process for
all of them. The peer is mem0 with its FAISS store and `infer=False`, the one of its ways that needs no language model
or service: `--peer-python` names an interpreter that has mem0ai, faiss-cpu and fastembed. `--loop N` asks the language
model for the facts of N messages one by one, as `tests.benchmarks.plain_loop` does. evermem's ranking was learned on
these chats: see `tests.benchmarks.locomo` for the weights of the others alone.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from evermem_cli.config import Settings
from evermem_cli.engines import catalog, weights
from tests.benchmarks.answers import TURN, turns

COLD = 5  # questions with a process of their own
CONTENDERS = "tests.benchmarks.contenders"
HEADINGS = {
    "name": "",
    "ingest": "ingest, s",
    "ingest_mb": "memory of it, MB",
    "cold": "cold question, s",
    "warm": "warm question, s",
    "ask_mb": "memory of it, MB",
    "disk_mb": "on disk, MB",
    "found": "any@10",
}


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the turns that answer it."""

    text: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """The commands that store the chats and that answer questions, and how an answer tells its turns."""

    name: str
    store: Sequence[str]
    ask: Sequence[str]
    folder: Path
    read: Callable[[Any], list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What was measured: seconds and megabytes; `found` is the share of questions."""

    name: str
    ingest: float
    ingest_mb: float
    cold: float
    warm: float
    ask_mb: float
    disk_mb: float
    found: float


def write_chats(data: Path, folder: Path) -> list[Question]:
    """The conversations as transcripts, and all turns in one file; the questions."""
    (folder / "chats").mkdir()
    every, questions = [], []
    for chat in json.loads((data / "locomo_dev.json").read_text()):
        name = chat["sample_id"]
        lines = [json.dumps(turn | {"id": f"{name}:{turn['id']}"}) for turn in turns(chat)]
        (folder / "chats" / f"{name}.jsonl").write_text("\n".join(lines))
        every += lines
        for asked in chat["qa"]:
            gold = {f"{name}:D{session}:{turn}" for each in asked["evidence"] for session, turn in TURN.findall(each)}
            questions += [Question(asked["question"], frozenset(gold))] if gold else []
    (folder / "turns.jsonl").write_text("\n".join(every))
    return questions


def contenders(folder: Path, models: Path, peer: str | None) -> list[Contender]:
    """evermem without a language model, the script, and the peer where there is an interpreter for it."""
    own = ["--db", str(folder / "evermem" / "memory.duckdb")]
    evermem = [sys.executable, "-m", "evermem_cli"]
    found = [
        Contender(
            name="evermem (tier 1)",
            store=[*evermem, "ingest", str(folder / "chats"), "--no-llm", "--tz", "UTC", *own],
            ask=[*evermem, "search", "-", *own],
            folder=folder / "evermem",
            read=lambda answer: [turn for result in answer["results"] for turn in result["messages"]],
        )
    ]
    for name, python in (("script", sys.executable), ("mem0", peer)):
        if python:
            command = [python, "-m", CONTENDERS, name, str(models), str(folder / name)]
            found.append(
                Contender(
                    name={"script": "rank_bm25 + numpy"}.get(name, name),
                    store=[*command, str(folder / "turns.jsonl")],
                    ask=command,
                    folder=folder / name,
                    read=list,
                )
            )
    return found


def measure(contender: Contender, questions: Sequence[Question]) -> Row:
    """Stores the chats, then asks cold and warm."""
    contender.folder.mkdir()
    start = time.perf_counter()
    _, ingest_mb = _run(contender.store, [])
    ingest = time.perf_counter() - start
    cold = []
    for question in questions[: COLD + 1]:  # the first brings files and libraries into the page cache
        start = time.perf_counter()
        _run(contender.ask, [question.text])
        cold.append(time.perf_counter() - start)
    times: list[float] = []
    answers, ask_mb = _run(contender.ask, [question.text for question in questions], times)
    hits = [
        bool(question.gold & set(contender.read(json.loads(answer))[:10]))
        for question, answer in zip(questions, answers, strict=True)
    ]
    return Row(
        name=contender.name,
        ingest=ingest,
        ingest_mb=ingest_mb,
        cold=statistics.median(cold[1:]),
        warm=statistics.median(times[1:]),
        ask_mb=ask_mb,
        disk_mb=sum(file.stat().st_size for file in contender.folder.rglob("*") if file.is_file()) / 1e6,
        found=statistics.fmean(hits),
    )


def _run(command: Sequence[str], lines: Iterable[str], times: list[float] | None = None) -> tuple[list[str], float]:
    """Answers to these lines of stdin, each asked when the one before is answered, and the largest memory in MB."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=_offline()
    )
    assert process.stdin and process.stdout and process.stderr
    answers = []
    for line in lines:
        start = time.perf_counter()
        process.stdin.write(f"{line}\n")
        process.stdin.flush()
        answers.append(process.stdout.readline())
        if times is not None:
            times.append(time.perf_counter() - start)
    process.stdin.close()
    told = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    process.stderr.close()
    assert process.returncode == 0, f"{command}: {told}"
    return answers, used.ru_maxrss / 1024


def _offline() -> dict[str, str]:
    here = str(Path(__file__).parents[2])
    return os.environ | {"EVERMEM_OFFLINE": "1", "MEM0_TELEMETRY": "False", "HF_HUB_OFFLINE": "1", "PYTHONPATH": here}


def plain_loop(data: Path, settings: Settings, count: int) -> float:
    """Seconds that the plain loop takes for so many messages."""
    from llama_cpp import Llama

    from tests.benchmarks.extraction import read_sessions
    from tests.benchmarks.plain_loop import SESSIONS, plain_facts

    path = weights.locate(catalog.find_llm(settings.llm), settings.models_dir)
    model = Llama(str(path), n_ctx=settings.context_tokens, n_threads=os.cpu_count(), verbose=False)
    cell = next(iter(read_sessions(data, SESSIONS))).cell
    start = time.perf_counter()
    plain_facts(replace(cell, messages=cell.messages[:count]), model)
    return time.perf_counter() - start


def table(rows: Sequence[Row]) -> str:
    """The rows as Markdown."""
    lines = ["| " + " | ".join(HEADINGS.values()) + " |", "|---" * len(HEADINGS) + "|"]
    for row in rows:
        cells = [
            row.name,
            f"{row.ingest:.1f}",
            f"{row.ingest_mb:.0f}",
            f"{row.cold:.2f}",
            f"{row.warm:.3f}",
            f"{row.ask_mb:.0f}",
            f"{row.disk_mb:.1f}",
            f"{100 * row.found:.1f} %",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Runs all, prints the table and a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the benchmark sets")
    parser.add_argument("--peer-python", help="an interpreter that has mem0ai, faiss-cpu and fastembed")
    parser.add_argument("--questions", type=int, default=300, help="how many of the questions are asked")
    parser.add_argument("--loop", type=int, default=0, help="messages that the plain loop reads")
    chosen = parser.parse_args()
    settings = Settings.load()
    models = weights.locate(catalog.find_embedder(settings.embedder), settings.models_dir)
    with tempfile.TemporaryDirectory() as scratch:
        every = write_chats(chosen.data, Path(scratch))
        questions = every[:: max(1, len(every) // chosen.questions)][: chosen.questions]
        rows = [measure(each, questions) for each in contenders(Path(scratch), models, chosen.peer_python)]
    print(f"{len(questions)} questions")
    print(table(rows))
    if not chosen.peer_python:
        print("mem0 is left out: no --peer-python")
    loop = plain_loop(chosen.data, settings, chosen.loop) if chosen.loop else None
    print(f"plain loop: {loop:.0f} s for {chosen.loop} messages" if loop else "the plain loop is left out: no --loop")
    print(json.dumps({"benchmark": "side-by-side", "rows": [asdict(row) for row in rows], "loop": loop}))


if __name__ == "__main__":
    main()
