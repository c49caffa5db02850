"""A memory that machines share: `python -m tests.benchmarks.lake [--messages N] [--machines N] [--kills N] [--file]`.

Each machine is a process with a copy of its own. All take chats in at once, a part at a time, and exchange and search
after each. In the end every copy must hold every message once. Then one command is timed on the copy, as a shared
memory and as a plain file; and writers are killed at moments that chance chooses, where there are two machines. The
catalogue is in a PostgreSQL that this starts, or with --file in a file. Vectors are hashed words in place of a model's,
and no memories are formed of the messages.
"""

import argparse
import json
import multiprocessing
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import BytesIO
from itertools import pairwise
from multiprocessing.synchronize import Event
from pathlib import Path

from evermem_cli.config import Settings
from evermem_cli.engines.catalog import DEFAULT_EMBEDDER
from evermem_cli.ingest import Ingestion
from evermem_cli.memory import Action, ActionKind, Filter
from evermem_cli.memory.lake_address import LakeAddress
from evermem_cli.store import Store
from evermem_cli.store.file import connection
from evermem_cli.store.lake.shared_memory import SharedMemory
from evermem_cli.sync.lake_syncing import LakeSyncing
from evermem_cli.transcripts import ReadOptions
from tests.recollection.searching import search
from tests.support import postgres
from tests.support.fakes import WordEmbedder

WORDS = (
    "garden kettle river station ticket violin window letter market summer winter doctor cousin bakery lemon paper"
    " bicycle harbour museum pencil blanket candle mirror orchard pocket saddle thunder valley walnut copper"
).split()
CHAT = 100  # messages of one chat
BATCHES = 25
TIMEOUT = 300.0
RUNS = 5
KILLED = 300  # messages that a killed writer takes in
TRIES = 3  # writers tried for each kill, at most: some end before their moment comes
BEGIN = datetime(2025, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Computer:
    """A machine by its number: its data folder, and the address of the memory that all share."""

    folder: Path
    address: str
    number: int

    @property
    def home(self) -> Path:
        """Its data folder."""
        return self.folder / f"machine-{self.number}"

    @property
    def store(self) -> Store:
        """Its copy, where the command line looks for it."""
        name = LakeAddress.read(self.address).name
        return Store(self.home / "evermem" / "shared" / name / "memory.duckdb", TIMEOUT)

    def ingest(self, chats: range) -> None:
        """Takes in chats by their numbers."""
        text = "".join(said(self.number, chat) for chat in chats).encode()
        self._ingestion(ActionKind.INGEST).run([BytesIO(text)], ReadOptions(format="jsonl", tz=UTC))

    def exchange(self) -> int:
        """Exchanges; returns how much came and went."""
        shared = SharedMemory(LakeAddress.read(self.address), TIMEOUT)
        report = LakeSyncing(shared, self.store, self.form_nothing).run(self._ingestion(ActionKind.SYNC))
        return (report.came + report.went).total()

    def form_nothing(self) -> None:
        """Takes all topics for formed, so that no command forms them while it is timed."""
        with self.store.write() as writer:
            writer.consolidation.put_assertions(dict.fromkeys(writer.reader.topics.unconsolidated_ids(), ()))
            writer.consolidation.note_unsettled(False)

    def finds(self, number: int, chat: int) -> bool:
        """Whether a search for the words of one message finds it first."""
        words = text_of(number, chat, 7)
        first, *_ = search(words, self.store, WordEmbedder(DEFAULT_EMBEDDER), Filter(), 5)
        return first.text == words

    def messages(self) -> list[str]:
        """The texts of all messages, with doubles."""
        with connection.connected(self.store.path, write=False, timeout=TIMEOUT) as opened:
            return sorted(text for (text,) in opened.execute("select text from messages").fetchall())

    def command(self, question: str, memory: str) -> tuple[float, float]:
        """Wall and processor seconds of a search by the command line."""
        own = {"XDG_DATA_HOME": str(self.home), "EVERMEM_DB": memory, "EVERMEM_BUSY_TIMEOUT": str(TIMEOUT)}
        before, start = processor_seconds(), time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "evermem_cli", "search", question],
            env=os.environ | own,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return time.perf_counter() - start, processor_seconds() - before

    def _ingestion(self, kind: ActionKind) -> Ingestion:
        embedder = WordEmbedder(DEFAULT_EMBEDDER)  # so that commands take its vectors for their own
        return Ingestion(self.store, embedder, Settings.load(), lambda *_: None, action=Action(kind=kind))


@dataclass(frozen=True)
class Part:
    """The seconds of a search, and the processor seconds of the exchange before it."""

    search: float
    exchange: float


def processor_seconds() -> float:
    """Those of this process and of its processes that have ended; PostgreSQL's are not among them."""
    return sum(os.times()[:4])


def mark(number: int, chat: int, place: int) -> str:
    """A word that only one message has."""
    return f"m{number}c{chat}p{place}"


def text_of(number: int, chat: int, place: int) -> str:
    """What a message says."""
    chance = random.Random(f"{number} {chat} {place}")
    return f"{' '.join(chance.choices(WORDS, k=11))} {mark(number, chat, place)}"


def said(number: int, chat: int) -> str:
    """A chat of one machine."""
    start, lines = BEGIN + timedelta(hours=chat), []
    for place in range(CHAT):
        text = text_of(number, chat, place)
        stamp = (start + timedelta(seconds=place)).isoformat()
        speaker = ("Ann", "Bob")[place % 2]
        entry = {"conversation": f"chat {number} {chat}", "speaker": speaker, "text": text, "timestamp": stamp}
        lines.append(json.dumps(entry) + "\n")
    return "".join(lines)


def take_part(computer: Computer, chats: int) -> list[Part]:
    """What each machine does: takes in its chats, exchanges and searches, a part of the chats at a time."""
    parts = []
    edges = [chats * part // BATCHES for part in range(BATCHES + 1)]
    for start, stop in pairwise(edges):
        if start == stop:
            continue
        computer.ingest(range(start, stop))
        before = time.process_time()
        computer.exchange()
        used, begun = time.process_time() - before, time.perf_counter()
        assert computer.finds(computer.number, stop - 1), "a message of its own is not found"
        parts.append(Part(time.perf_counter() - begun, used))
    return parts


def write_and_die(computer: Computer, chat: int, ready: Event) -> None:
    """What a writer does that is killed while it does it."""
    computer.exchange()
    ready.set()
    computer.ingest(range(chat, chat + KILLED // CHAT))
    computer.exchange()


def together(computers: list[Computer], chats: int) -> dict[str, float]:
    """All machines at once, until all hold the same.

    Returns seconds and processor seconds of it all, and medians: of the seconds of a search meanwhile, and of the
    processor seconds of an exchange in the first and in the last half.
    """
    begun, before, spawn = time.perf_counter(), processor_seconds(), multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(len(computers), mp_context=spawn) as pool:
        machines = [*pool.map(take_part, computers, [chats] * len(computers))]
    while sum(computer.exchange() for computer in computers):
        pass
    halves = {"first": slice(None, len(machines[0]) // 2), "last": slice(len(machines[0]) // 2, None)}
    exchanges = {
        f"exchange_cpu_{name}_half": statistics.median(part.exchange for parts in machines for part in parts[half])
        for name, half in halves.items()
    }
    return {
        "seconds": time.perf_counter() - begun,
        "cpu": processor_seconds() - before,
        "search_meanwhile": statistics.median(part.search for parts in machines for part in parts),
        **exchanges,
    }


def differences(computers: list[Computer], expected: set[str]) -> tuple[int, int]:
    """How many messages are lost, and how many are doubled or wrong, over all machines."""
    lost, doubled = 0, 0
    for computer in computers:
        texts = computer.messages()
        lost += len(expected - {*texts})
        doubled += len(texts) - len({*texts} & expected)
    return lost, doubled


def expected(numbers: range, chats: range) -> set[str]:
    """The texts of chats."""
    return {text_of(number, chat, place) for number in numbers for chat in chats for place in range(CHAT)}


def timed(computer: Computer, chats: int) -> dict[str, float]:
    """The seconds of a search on the copy, as a shared memory and as a plain file, in turn; medians."""
    question = f"Who said {mark(0, chats - 1, 7)}?"
    memories = {"shared": computer.address, "file": str(computer.store.path)}
    for memory in memories.values():
        computer.command(question, memory)
    runs = [(name, *computer.command(question, memory)) for _ in range(RUNS) for name, memory in memories.items()]
    medians = {}
    for name in memories:
        medians[f"{name}_wall"] = statistics.median(wall for run, wall, _ in runs if run == name)
        medians[f"{name}_cpu"] = statistics.median(used for run, _, used in runs if run == name)
    return medians


def kill_writers(computers: list[Computer], count: int, chats: int) -> dict[str, int]:
    """Writers until so many were killed before their end.

    Returns how many were tried and killed, and how often anything was lost, half there or doubled.
    """
    chance, spawn = random.Random(1), multiprocessing.get_context("spawn")
    victim, other = computers[0], computers[1]
    outcome = {"tried": 0, "killed": 0, "half": 0, "wrong": 0}
    before, seconds = len(other.messages()), 3.0
    while outcome["killed"] < count and outcome["tried"] < TRIES * count:
        chat = chats + outcome["tried"] * (KILLED // CHAT)
        ready = spawn.Event()
        process = spawn.Process(target=write_and_die, args=(victim, chat, ready))
        process.start()
        ready.wait()
        begun = time.perf_counter()
        process.join(chance.uniform(0.0, 1.1 * seconds))
        if process.exitcode is None and process.pid:
            os.kill(process.pid, signal.SIGKILL)
        process.join()
        if process.exitcode == 0:
            seconds = time.perf_counter() - begun
        outcome["tried"] += 1
        outcome["killed"] += process.exitcode == -signal.SIGKILL
        other.exchange()
        outcome["half"] += len(other.messages()) not in (before, before + KILLED)
        victim.ingest(range(chat, chat + KILLED // CHAT))
        while victim.exchange() + other.exchange():
            pass
        texts = other.messages()
        is_right = texts == victim.messages() and len(texts) == len({*texts}) == before + KILLED
        outcome["wrong"] += not is_right
        before = len(texts)
        print(f"{outcome['killed']} of {count}: {outcome}", file=sys.stderr, flush=True)
    return outcome


@contextmanager
def address(folder: Path, *, in_file: bool) -> Iterator[str]:
    """The address of a new shared memory."""
    with nullcontext() if in_file else postgres.running() as server:
        if server is None:
            yield f"ducklake:{folder}/catalog.ducklake"
        else:
            (folder / "data").mkdir()
            yield f"ducklake:postgres:{server.parameters()}?data={folder}/data"


def main() -> None:
    """Prints one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=4000)
    parser.add_argument("--machines", type=int, default=4)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--file", action="store_true")
    chosen = parser.parse_args()
    chats = max(1, chosen.messages // CHAT // chosen.machines)
    with tempfile.TemporaryDirectory() as made, address(Path(made), in_file=chosen.file) as shared:
        computers = [Computer(Path(made), shared, number) for number in range(chosen.machines)]
        used = together(computers, chats)
        lost, doubled = differences(computers, expected(range(chosen.machines), range(chats)))
        found = sum(computer.finds(number, chats - 1) for computer in computers for number in range(chosen.machines))
        result = {
            "messages": chats * CHAT * chosen.machines,
            "machines": chosen.machines,
            "lost": lost,
            "doubled": doubled,
            "found_everywhere": f"{found} of {chosen.machines**2}",
            **{name: round(value, 2) for name, value in used.items()},
        }
        print(json.dumps(result), file=sys.stderr, flush=True)
        result |= {name: round(value, 2) for name, value in timed(computers[-1], chats).items()}
        print(json.dumps(result), file=sys.stderr, flush=True)
        kills = kill_writers(computers, chosen.kills, chats) if chosen.machines > 1 else {}
        print(json.dumps(result | {"kills": kills}))


if __name__ == "__main__":
    main()
