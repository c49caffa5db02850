"""How fast, and in how much memory, a big account export is read, and with `--store` stored, too.

`python -m tests.benchmarks.reading --megabytes 500 [--store]` makes up a ChatGPT export of that size in one line, as
the real one is, reads it, and prints a JSON line; with `--chats 50000` one of that many chats of two short messages.
`--store` remembers them as `evermem ingest --no-llm` does, but with random vectors, which take no time. Memory is what
the process holds at the start, at ten points on the way, and at its peak. The files are removed.
"""

import argparse
import json
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import Any

from evermem_cli.config import Settings
from evermem_cli.ingest import Ingestion
from evermem_cli.store import Store
from evermem_cli.transcripts import ReadOptions, read
from tests.benchmarks.growth import RandomEmbedder

WORDS = "the train to Lisbon leaves on Friday 你好 café and then we talk about work server budget however".split()
POINTS = 10
PAGES_A_MEGABYTE = 1_000_000 // os.sysconf("SC_PAGE_SIZE")


def conversation(number: int, rng: random.Random, *, small: bool) -> dict[str, Any]:
    """A made-up conversation of two to forty messages, or of two short ones."""
    mapping: dict[str, Any] = {"root": {"parent": None, "children": ["0"], "message": None}}
    parent = "root"
    longest = 20 if small else 300
    for place in range(2 if small else rng.randint(2, 40)):
        words = [*rng.choices(WORDS, k=rng.randint(5, longest)), f"w{rng.randrange(200_000)}"]
        message = {
            "id": f"{number}-{place}",
            "author": {"role": "assistant" if place % 2 else "user", "name": None, "metadata": {}},
            "create_time": 1.6e9 + number * 3600 + place * 60,
            "content": {"content_type": "text", "parts": [" ".join(words)]},
            "weight": 1.0,
            "metadata": {"model_slug": "gpt-x", "request_id": f"{number:032x}", "message_source": None},
            "recipient": "all",
        }
        mapping[str(place)] = {"id": str(place), "parent": parent, "children": [str(place + 1)], "message": message}
        parent = str(place)
    return {"title": f"Chat {number}", "conversation_id": str(number), "current_node": parent, "mapping": mapping}


def pieces(chats: int, size: int) -> Iterator[str]:
    """The text of an export: of so many small chats, or of at least `size` characters where that is no number."""
    rng = random.Random(7)
    number = written = 0
    while number < chats if chats else written < size:
        piece = ("," if number else "[") + json.dumps(conversation(number, rng, small=bool(chats)))
        number, written = number + 1, written + len(piece)
        yield piece
    yield "]"


@dataclass(slots=True)
class Meter:
    """What the process holds on the way through the chats."""

    held: dict[int, int] = field(default_factory=dict)  # megabytes, by the number of chats so far

    def __call__(self, what: str, done: int, total: int) -> None:
        if what == "chats" and done * POINTS // total >= len(self.held):
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            self.held[done] = round(pages / PAGES_A_MEGABYTE)
            print(f"{done} of {total} chats: {self.held[done]} MB", file=sys.stderr)


def take_in(path: Path, chats: int, *, store: bool) -> dict[str, Any]:
    """Reads an export of so many chats, and stores it if asked to; what that took."""
    meter = Meter()
    meter("chats", 0, chats)
    start = time.process_time()
    messages = 0
    if store:
        memory = Store(path.with_name("memory.duckdb"), timeout=10)
        ingestion = Ingestion(memory, RandomEmbedder(7), Settings(), meter, totals={"chats": chats})
        [report] = ingestion.run([path], ReadOptions(tz=UTC))
        messages = report.new_messages
    else:
        for number, transcript in enumerate(read(path, ReadOptions(tz=UTC), print), start=1):
            messages += len(transcript.turns)
            meter("chats", number, chats)
    found = {
        "messages": messages,
        "cpu_seconds": round(time.process_time() - start, 1),
        "held_mb": meter.held,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 // 1_000_000,
    }
    return found | ({"file_mb": memory.path.stat().st_size // 1_000_000} if store else {})


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.reading", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--chats", type=int, default=0, help="this many small chats instead")
    parser.add_argument("--store", action="store_true", help="remember them, too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evermem-reading-") as folder:
        path, chats = Path(folder, "conversations.json"), -1
        with path.open("w", encoding="utf-8") as file:
            for piece in pieces(given.chats, given.megabytes * 1_000_000):
                file.write(piece)
                chats += 1
        size = path.stat().st_size // 1_000_000
        print(json.dumps({"megabytes": size, "chats": chats} | take_in(path, chats, store=given.store)))


if __name__ == "__main__":
    main()
