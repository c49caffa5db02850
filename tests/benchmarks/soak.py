"""A memory that grows for long: `python -m tests.benchmarks.soak [--messages 30000] [--batch 1000]`.

Varied messages (statements, pasted texts, questions, Chinese, long and short, of people and with an assistant) are
taken in batch by batch by the command itself, tier 1 with the real embedder. Between the batches the memory is
searched, told something, corrected by `undo`, and something is forgotten. A row is printed for each batch: processor
and wall seconds of the ingest and of a search, the most memory that each held, and the size of the file. A run is well
when no command fails, no message is lost, and neither a search nor a batch takes more memory at the end than twice what
it took at first.
"""

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.benchmarks.growth import Texts

HERE = Path(__file__).parent
BEGIN = datetime(2022, 1, 1, 8, tzinfo=UTC)
PEOPLE = ("Maya", "Ruben", "Priya", "Anders", "Xiaoyu", "李明", "Zoë")
CHAT = 40  # messages of one chat
QUESTIONS = ("Where do I live?", "What is my cat called?", "When is the appointment?", "我住在哪里？", "kettle")
CHANGING_EVERY = 3  # batches, after which something is told, taken back and forgotten
MOST_GROWTH = 2.0
ENDS = ((1, ".out"), (2, ".err"))


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took: seconds by the clock and of the processor, and megabytes at the peak."""

    wall: float
    processor: float
    megabytes: float


@dataclass(frozen=True, slots=True)
class Row:
    """A batch: how many messages there are after it, what it took, what a search took then, and the file's size."""

    messages: int
    ingest: Cost
    search: Cost
    file_megabytes: float

    def text(self) -> str:
        """A line of the table."""
        costs = (f"{each.processor:9.2f}{each.wall:9.2f}{each.megabytes:8.0f}" for each in (self.ingest, self.search))
        return f"{self.messages:8}{''.join(costs)}{self.file_megabytes:9.1f}"


def texts(chance: random.Random) -> list[str]:
    """What people say, as varied as the sets of messages that there are."""
    told = [each["text"] for each in tomllib.loads((HERE / "profile_messages.toml").read_text("utf-8"))["message"]]
    told += [json.loads(line)["t"] for line in (HERE / "whose_messages.jsonl").read_text("utf-8").splitlines()]
    plain = Texts(1).make(2_000)
    long = [" ".join(chance.sample(plain, 40)) for _ in range(20)]
    odd = [
        "👍",
        "ok",
        "你好，我昨天搬到了上海。",
        "?",
        "https://example.org/a?b=c",
        "\u202etxt",
        "a" * 3_000,
        "Ja, morgen um 8.",
    ]
    return [*told, *plain, *long, *odd]


def written(path: Path, first: int, count: int, known: Sequence[str], chance: random.Random) -> None:
    """A batch of messages in chats, of people and with an assistant in turn; each says something of its own, too."""
    lines = []
    for number in range(first, first + count):
        chat = number // CHAT
        names = ("User", "Assistant") if chat % 2 else PEOPLE[chat % 3 : chat % 3 + 3]
        name = names[number % len(names)]
        record = {
            "conversation_id": f"chat-{chat}",
            "id": f"m{number}",
            "content": f"{chance.choice(known)} ({number})",
            "timestamp": (BEGIN + timedelta(minutes=37 * number)).isoformat(),
        }
        lines.append(
            json.dumps(record | ({"role": name.lower()} if chat % 2 else {"speaker": name}), ensure_ascii=False)
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def took(arguments: Sequence[str], db: Path, out: Path) -> Cost:
    """Runs a command, whose output goes to a file. Raises RuntimeError where it fails."""
    command = [sys.executable, "-m", "evermem_cli", *arguments, "--db", str(db)]
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [(os.POSIX_SPAWN_OPEN, stream, str(out.with_suffix(end)), flags, 0o600) for stream, end in ENDS]
    start = time.perf_counter()
    process = os.posix_spawn(sys.executable, command, os.environ, file_actions=actions)
    _, status, used = os.wait4(process, 0)
    if status:
        raise RuntimeError(f"{arguments}: {out.with_suffix('.err').read_text('utf-8', 'replace')}")
    return Cost(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def printed(out: Path) -> dict[str, Any]:
    """The document that the last command printed."""
    found: dict[str, Any] = json.loads(out.with_suffix(".out").read_text("utf-8"))
    return found


def soak(folder: Path, messages: int, batch: int) -> list[Row]:
    """Takes the messages in, and prints a row for each batch. Raises RuntimeError where something fails or is lost."""
    chance, db, out = random.Random(1), folder / "memory.duckdb", folder / "last"
    known, rows, forgotten = texts(chance), list[Row](), 0
    print(f"{'messages':>8}{'ingest, processor s, wall s, MB':>26}{'search, the same':>26}{'file, MB':>9}", flush=True)
    for number, first in enumerate(range(0, messages, batch)):
        written(folder / "batch.jsonl", first, batch, known, chance)
        ingest = took(("ingest", "--no-llm", "--me", "Maya", str(folder / "batch.jsonl")), db, out)
        searches = [took(("search", question, "--json"), db, out) for question in QUESTIONS]
        if number % CHANGING_EVERY == CHANGING_EVERY - 1:
            took(("remember", f"I bought lamp {number}."), db, out)
            took(("undo", "--yes"), db, out)
            took(("forget", "--matching", f"{first}", "--yes", "--json"), db, out)
            forgotten += printed(out)["messages"]
        took(("status", "--json"), db, out)
        held = printed(out)["counts"]["messages"]
        if held != first + batch - forgotten:
            raise RuntimeError(f"of {first + batch} messages {forgotten} were forgotten, and {held} are there")
        median = Cost(*(statistics.median(asdict(each)[name] for each in searches) for name in asdict(ingest)))
        rows.append(Row(first + batch, ingest, median, db.stat().st_size / 1e6))
        print(rows[-1].text(), flush=True)
    return rows


def main() -> None:
    """Prints a row for each batch and one line of JSON; exits with 1 where memory has grown too much."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=30_000)
    parser.add_argument("--batch", type=int, default=1_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        rows = soak(Path(made), chosen.messages, chosen.batch)
    grown = {
        name: round(getattr(rows[-1], name).megabytes / getattr(rows[0], name).megabytes, 2)
        for name in ("ingest", "search")
    }
    print(json.dumps({"benchmark": "soak", "rows": [asdict(row) for row in rows], "memory grown": grown}))
    sys.exit(any(times > MOST_GROWTH for times in grown.values()))


if __name__ == "__main__":
    main()
