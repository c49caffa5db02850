"""What a client of the server waits for: the first result, further ones, and how much memory the server holds.

`python -m tests.benchmarks.mcp_calls` takes the sample chats in without a language model, unless `--db` names a memory
file. `--facts 100000` makes up a memory of so many instead, as `growth` does, in which every 33rd message is of health
and as many are of money; `--keep` names a folder for it. `leaks` counts the results that rest on a message that is
private. Seconds are those of this machine as busy as it is; the server's processor seconds are told beside them. The
package is compiled to bytecode first, as an installation by pip is. The start is measured several times; its figures
are medians. The last server takes the calls. These are told in tenths, with what the server then holds, so that a leak
would show.
"""

import argparse
import compileall
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import anyio
import duckdb
from mcp import Client, StdioServerParameters
from mcp_types import Implementation

from evermem_cli.store import Store
from tests.benchmarks.growth import build, question

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_transcripts"
QUESTIONS = ("What is my cat called?", "Where do I work?", "vegan dinner", "the trip to Bohinj", "flights in June")
REASON = "measuring how long an assistant waits"
MADE_UP = 60  # different questions to a memory that is made up
HEALTH = "select id from messages where domain = 'health'"
PRIVATE = """
    update messages set domain = case hash(id) % 33 when 0 then 'health' when 1 then 'finance' else 'general' end;
    update event_logs set domain = messages.domain
    from sources join messages on messages.id = message_id where memory_id = event_logs.id"""


class Server:
    """A server that the client has started, by its process."""

    def __init__(self) -> None:
        children = Path(f"/proc/{os.getpid()}/task").glob("*/children")
        self.pid = max(int(pid) for file in children for pid in file.read_text().split())

    def megabytes(self) -> float:
        """What it holds of the machine's memory."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return next(int(line.split()[1]) / 1000 for line in status.splitlines() if line.startswith("VmRSS"))

    def processor_seconds(self) -> float:
        """What it has used since it began."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Memory:
    """What is searched: a memory file, questions, and the ids of the messages in it that are private."""

    db: Path
    questions: Sequence[str]
    private: frozenset[str]


@dataclass(frozen=True, slots=True)
class Tenth:
    """A tenth of the calls: seconds and leaks of each, and what the server held after them."""

    found: Sequence[tuple[float, int]]
    megabytes: float

    @property
    def median(self) -> float:
        """The median of the seconds; 0 without a call."""
        return median([seconds for seconds, _ in self.found] or [0.0])


def sample(folder: Path) -> Memory:
    """The sample chats."""
    db = folder / "memory.duckdb"
    command = [sys.executable, "-m", "evermem_cli", "ingest", "--no-llm", "--me", "Maya", "--db", str(db)]
    subprocess.run([*command, str(SAMPLES)], check=True, capture_output=True)
    return Memory(db, QUESTIONS, _private(db))


def made_up(folder: Path, facts: int) -> Memory:
    """A memory of so many facts, unless the folder has it."""
    db = folder / f"private-{facts}.duckdb"
    if not db.exists():
        folder.mkdir(parents=True, exist_ok=True)
        build(Store(db, 10), facts)
        with duckdb.connect(str(db)) as connection:
            connection.execute(PRIVATE)
    return Memory(db, [question(n) for n in range(MADE_UP)], _private(db))


def _private(db: Path) -> frozenset[str]:
    with duckdb.connect(str(db), read_only=True) as connection:
        return frozenset(row[0] for row in connection.execute(HEALTH).fetchall())


async def search(client: Client, memory: Memory, question: str) -> tuple[float, int]:
    """Seconds of one search, and how many of its results rest on a message that is private."""
    begun = time.perf_counter()
    found = await client.call_tool("search", {"query": question, "k": 5, "reason": REASON})
    if found.is_error or not found.structured_content:
        raise SystemExit(str(found.content))
    seconds = time.perf_counter() - begun
    return seconds, sum(
        not memory.private.isdisjoint(row["message_ids"]) for row in found.structured_content["results"]
    )


@asynccontextmanager
async def started(memory: Memory) -> AsyncIterator[tuple[Client, Server, dict[str, float]]]:
    """A client and a new server after their first search, and what the start took."""
    own = {**os.environ, "EVERMEM_DB": str(memory.db)}
    parameters = StdioServerParameters(command=sys.executable, args=["-m", "evermem_cli", "mcp"], env=own)
    begun = time.perf_counter()
    async with Client(parameters, mode="legacy", client_info=Implementation(name="benchmark", version="1")) as client:
        server = Server()
        figures = {"handshake_s": time.perf_counter() - begun, "untouched_mb": server.megabytes()}
        await search(client, memory, memory.questions[0])
        figures |= {"cold_start_s": time.perf_counter() - begun, "cold_start_cpu_s": server.processor_seconds()}
        yield client, server, figures


async def measure(memory: Memory, calls: int, rest: float, starts: int) -> dict[str, Any]:
    """All figures."""
    questions, beginnings = memory.questions, []
    for _ in range(starts - 1):
        async with started(memory) as (_, _, figures):
            beginnings.append(figures)
    async with started(memory) as (client, server, figures):
        beginnings.append(figures)
        figures = {name: median(each[name] for each in beginnings) for name in figures}
        figures |= {"starts": starts, "cold_start_longest_s": max(each["cold_start_s"] for each in beginnings)}
        for asked in questions[1:4]:
            await search(client, memory, asked)
        before, start = server.processor_seconds(), time.perf_counter()
        tenths = []
        for tenth in range(10):
            numbers = range(calls * tenth // 10, calls * (tenth + 1) // 10)
            found = [await search(client, memory, f"{questions[n % len(questions)]} {n}") for n in numbers]
            tenths.append(Tenth(found, server.megabytes()))
        waited = sorted(seconds for tenth in tenths for seconds, _ in tenth.found)
        figures |= {f"tenth_{place}_s": tenth.median for place, tenth in enumerate(tenths, 1)}
        figures |= {f"tenth_{place}_mb": tenth.megabytes for place, tenth in enumerate(tenths, 1)}
        figures |= {"calls": calls, "calls_s": time.perf_counter() - start, "warm_search_s": median(waited)}
        figures |= {"warm_search_fastest_s": waited[0], "warm_search_p95_s": waited[int(0.95 * calls)]}
        figures |= {"leaks": sum(leaks for tenth in tenths for _, leaks in tenth.found)}
        figures |= {"warm_search_cpu_s": (server.processor_seconds() - before) / calls}
        figures |= {"after_calls_mb": server.megabytes()}
        await anyio.sleep(rest)
        figures["idle_mb"] = server.megabytes()
        figures["after_rest_s"], _ = await search(client, memory, questions[0])
    return {name: round(figure, 3) for name, figure in figures.items()}


def main() -> None:
    """Prints the figures and a JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", type=Path, help="a memory file; else the sample chats are taken in")
    parser.add_argument("--facts", type=int, help="how many are made up instead")
    parser.add_argument("--keep", type=Path, help="folder to keep the memory in between runs")
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--starts", type=int, default=7, help="how often the start is measured")
    parser.add_argument("--rest", type=float, default=70, help="seconds without a call, after which the server is idle")
    given = parser.parse_args()
    compileall.compile_dir(ROOT / "evermem_cli", quiet=1)
    with tempfile.TemporaryDirectory() as scratch:
        if given.db:
            memory = Memory(given.db, QUESTIONS, _private(given.db))
        else:
            memory = made_up(given.keep or Path(scratch), given.facts) if given.facts else sample(Path(scratch))
        figures = anyio.run(measure, memory, given.calls, given.rest, given.starts)
    for name, figure in figures.items():
        print(f"{name:20} {figure:10.3f}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
