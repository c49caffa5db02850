"""How long until a message that arrives is found by a search in another process.

`python -m tests.benchmarks.arrival [--watch] [--known 1000] [--messages 30]`. A message with a word that is nowhere
else is written to a stream that `evermem ingest - --follow` reads, or to a file that `evermem watch` looks at. Then a
process of `evermem search -` is asked for the word again and again until it finds it; the time includes that search.
Beside it stand the processor seconds that remembering one message took, which do not depend on what else runs.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO

EVERMEM = (sys.executable, "-m", "evermem_cli")
WORDS = [f"{first}{last}" for first in ("mar", "tel", "gro", "pin", "sal") for last in ("ta", "ro", "mi", "ket", "sun")]
PAUSES = (0.2, 1.5)  # seconds between messages
AGAIN = 0.02  # seconds between two searches for a message
PATIENCE = 60.0  # seconds after which a message counts as lost
SECONDS_A_TICK = 1 / os.sysconf("SC_CLK_TCK")


def line(number: int, word: str, at: datetime) -> str:
    said = f"{word} {' '.join(random.Random(number).choices(WORDS, k=12))}"
    record = {"conversation_id": f"c{number // 200}", "id": f"m{number}", "speaker": "Ann", "content": said}
    return json.dumps(record | {"timestamp": at.isoformat()}) + "\n"


@dataclass(slots=True)
class Search:
    """A process that searches."""

    process: subprocess.Popen[str]

    def finds(self, word: str) -> bool:
        """Whether a message with this word is found."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        results = json.loads(self.process.stdout.readline())["results"]
        return any(word in result["text"] for result in results)


def started(*arguments: str, db: Path, stdout: int | IO[str] | None = None) -> subprocess.Popen[str]:
    command = [*EVERMEM, *arguments, "--db", str(db)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=stdout, stderr=subprocess.DEVNULL, text=True)


def processor_seconds(process: subprocess.Popen[str]) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * SECONDS_A_TICK


def arrived(search: Search, word: str, since: float) -> float:
    """Seconds from `since` until the word is found."""
    while not search.finds(word):
        if time.monotonic() - since > PATIENCE:
            raise TimeoutError(word)
        time.sleep(AGAIN)
    return time.monotonic() - since


def measured(folder: Path, *, watch: bool, known: int, messages: int) -> dict[str, object]:
    db, log = folder / "memory.duckdb", folder / "chats" / "log.jsonl"
    log.parent.mkdir()
    begin = datetime.now(UTC) - timedelta(minutes=known + messages)
    (folder / "known.jsonl").write_text("".join(line(n, "known", begin + timedelta(minutes=n)) for n in range(known)))
    subprocess.run([*EVERMEM, "ingest", "--no-llm", str(folder / "known.jsonl"), "--db", str(db)], check=True)
    log.touch()
    reads = ("watch", "--no-llm", str(log.parent)) if watch else ("ingest", "-", "--follow", "--no-llm")
    reader = started(*reads, db=db, stdout=subprocess.DEVNULL)
    search = Search(started("search", "-", db=db, stdout=subprocess.PIPE))
    waits, costs = [], []
    with log.open("a") as file:
        into = file if watch else reader.stdin
        assert into
        for number in range(messages + 1):
            word, before = f"qz{number}{random.randrange(10**9)}x", processor_seconds(reader)
            since = time.monotonic()
            into.write(line(known + number, word, datetime.now(UTC)))
            into.flush()
            waits.append(arrived(search, word, since))
            costs.append(processor_seconds(reader) - before)
            time.sleep(random.uniform(*PAUSES))
    for process in (reader, search.process):
        process.terminate()
        process.wait()
    waits, costs = waits[1:], costs[1:]  # the first one waits for the model to be loaded
    return {
        "how": "watch" if watch else "follow",
        "known": known,
        "messages": messages,
        "median_s": round(statistics.median(waits), 2),
        "worst_s": round(max(waits), 2),
        "within_a_second": sum(wait <= 1 for wait in waits),
        "median_processor_s": round(statistics.median(costs), 2),
        "worst_processor_s": round(max(costs), 2),
        "load": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.arrival", description=__doc__)
    parser.add_argument("--watch", action="store_true", help="a file in a watched directory instead of a stream")
    parser.add_argument("--known", type=int, default=1000, help="messages that are remembered before")
    parser.add_argument("--messages", type=int, default=30)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evermem-arrival-") as folder:
        found = measured(Path(folder), watch=given.watch, known=given.known, messages=given.messages)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
