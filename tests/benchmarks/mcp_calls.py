"""What a client of the server waits for: the first result, further ones, and how much memory the server holds.

`python -m tests.benchmarks.mcp_calls` takes the sample chats in without a language model, unless `--db` names a memory
file. Seconds are those of this machine as busy as it is; the server's processor seconds are told beside them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp_types import Implementation

SAMPLES = Path(__file__).parents[2] / "sample_transcripts"
QUESTIONS = ("What is my cat called?", "Where do I work?", "vegan dinner", "the trip to Bohinj", "flights in June")
REASON = "measuring how long an assistant waits"


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


async def search(client: Client, question: str) -> float:
    """Seconds of one search."""
    begun = time.perf_counter()
    found = await client.call_tool("search", {"query": question, "k": 5, "reason": REASON})
    if found.is_error:
        raise SystemExit(str(found.content))
    return time.perf_counter() - begun


async def measure(db: Path, calls: int, rest: float) -> dict[str, Any]:
    """All figures."""
    own = {**os.environ, "EVERMEM_DB": str(db)}
    parameters = StdioServerParameters(command=sys.executable, args=["-m", "evermem_cli", "mcp"], env=own)
    begun = time.perf_counter()
    async with Client(parameters, mode="legacy", client_info=Implementation(name="benchmark", version="1")) as client:
        server = Server()
        figures: dict[str, Any] = {"handshake_s": time.perf_counter() - begun, "untouched_mb": server.megabytes()}
        await search(client, QUESTIONS[0])
        figures |= {"cold_start_s": time.perf_counter() - begun, "cold_start_cpu_s": server.processor_seconds()}
        for question in QUESTIONS:
            await search(client, question)
        before, start = server.processor_seconds(), time.perf_counter()
        waited = [await search(client, f"{QUESTIONS[n % len(QUESTIONS)]} {n}") for n in range(calls)]
        figures |= {"calls": calls, "calls_s": time.perf_counter() - start, "warm_search_s": median(waited)}
        figures |= {"warm_search_p95_s": sorted(waited)[int(0.95 * calls)]}
        figures |= {"warm_search_cpu_s": (server.processor_seconds() - before) / calls}
        figures |= {"after_calls_mb": server.megabytes()}
        await anyio.sleep(rest)
        figures["idle_mb"] = server.megabytes()
        figures["after_rest_s"] = await search(client, QUESTIONS[0])
    return {name: round(figure, 3) for name, figure in figures.items()}


def main() -> None:
    """Prints the figures and a JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", type=Path, help="a memory file; else the sample chats are taken in")
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--rest", type=float, default=70, help="seconds without a call, after which the server is idle")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        db = given.db or Path(folder) / "memory.duckdb"
        if given.db is None:
            command = [sys.executable, "-m", "evermem_cli", "ingest", "--no-llm", "--me", "Maya", "--db", str(db)]
            subprocess.run([*command, str(SAMPLES)], check=True, capture_output=True)
        figures = anyio.run(measure, db, given.calls, given.rest)
    for name, figure in figures.items():
        print(f"{name:20} {figure:10.3f}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
