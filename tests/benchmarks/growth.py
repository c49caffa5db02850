"""How tier 1, search, file and memory grow from a thousand facts to a million, each against a straight line.

`python -m tests.benchmarks.growth [--million]`. The texts are made of words as frequent as words are (Zipf), the
vectors are random, because making real ones would take hours; the question is embedded by the real model. Each fact
cites a message of its own, so a memory of n facts holds n messages and 2 n entries to search. A million takes half
an hour to store.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

import numpy as np

from evermem_cli.engines import Vectors
from evermem_cli.memory import (
    ChatKind,
    Conversation,
    Episode,
    Fact,
    Filter,
    MemCell,
    Message,
    Policy,
    Role,
    Traces,
    content_id,
)
from evermem_cli.recollection.search.find import look_up
from evermem_cli.store import Store

SIZES = (1_000, 10_000, 100_000)
MILLION = 1_000_000
CELL = 500  # messages, and facts, of one MemCell: larger than real ones, so that many are stored in minutes
RUNS = 7
EMBEDDER, DIMENSION = "all-minilm-l6-v2", 384
SILENT = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
UNCOMPILED = "PYTHONDONTWRITEBYTECODE"
HEADINGS = {
    "facts": "facts",
    "store": "store, processor s",
    "cold": "cold search, s",
    "cold_cpu": "cold search, processor s",
    "warm": "warm search, s",
    "megabytes": "file, MB",
    "peak_megabytes": "memory of a search, MB",
}
BEGIN = datetime(2015, 1, 1, tzinfo=UTC)
SPEAKERS = ("Maya", "Ruben", "Priya", "Anders")
VOCABULARY = 30_000
ZIPF = 1.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What was measured of a memory of so many facts; times in seconds.

    Storing is counted in processor seconds, which other work on the machine changes least.
    """

    facts: int
    store: float
    cold: float
    cold_cpu: float
    warm: float
    megabytes: float
    peak_megabytes: float


class RandomEmbedder:
    """Unit vectors that depend on nothing but the seed and the count."""

    name, dimension = EMBEDDER, DIMENSION

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = self._random.standard_normal((len(texts), DIMENSION), dtype=np.float32)
        unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


class Texts:
    """Sentences of eight to twenty-five words drawn as often as Zipf has them; the commonest are real."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        made = ("".join(each) for each in product("bdfgklmnprstvz", "aeiou", "dklmnrst", "aeio", "bdgklmnprst"))
        common = "i the to and a my it was we with for on in at of so have is that".split()
        self.words = np.array([*common, *(word for _, word in zip(range(VOCABULARY), made, strict=False))])
        weights = 1 / np.arange(2, len(self.words) + 2) ** ZIPF
        self._shares = np.cumsum(weights / weights.sum())

    def make(self, count: int) -> list[str]:
        lengths = self._random.integers(8, 26, count)
        drawn = self.words[np.searchsorted(self._shares, self._random.random(int(lengths.sum())))]
        return [" ".join(part) + "." for part in np.split(drawn, np.cumsum(lengths)[:-1])]


def build(store: Store, count: int) -> float:
    """A new memory of `count` facts and as many messages; processor seconds to store them."""
    texts, embedder = Texts(count), RandomEmbedder(count)
    store.create(EMBEDDER, DIMENSION)
    seconds = 0.0
    for place in range(0, count, CELL):
        cell, traces = _cell(texts, place, min(CELL, count - place))
        vectors = embedder.embed([""] * len(cell.messages)), embedder.embed([""] * len(traces.memories))
        start = time.process_time()
        with store.write() as writer:
            writer.chats.add_conversation(_conversation(cell.conversation_id))
            writer.chats.add_messages(cell.messages, [1] * len(cell.messages), vectors[0])
            writer.topics.put_open_cells(cell.conversation_id, [cell])
            writer.topics.put_traces([(cell, traces)], vectors[1], "made up")
        seconds += time.process_time() - start
    return seconds


def _conversation(conversation_id: str) -> Conversation:
    return Conversation(
        id=conversation_id,
        key=conversation_id,
        title="A chat",
        kind=ChatKind.GROUP,
        format="text",
        group_id=conversation_id,
        user_id="default",
    )


def _cell(texts: Texts, place: int, count: int) -> tuple[MemCell, Traces]:
    """A chat of its own that is one MemCell, with a fact for each message and one episode."""
    conversation = content_id("conv", place)
    messages = tuple(
        Message(
            id=content_id("msg", place + n),
            conversation_id=conversation,
            ordinal=n + 1,
            external_id=str(n + 1),
            speaker=SPEAKERS[n % len(SPEAKERS)],
            user_id=SPEAKERS[n % len(SPEAKERS)],
            role=Role.PARTICIPANT,
            text=text,
            said_at=BEGIN + timedelta(minutes=3 * (place + n)),
        )
        for n, text in enumerate(texts.make(count))
    )
    cell = MemCell(
        event_id=content_id("cell", place),
        conversation_id=conversation,
        group_id=conversation,
        kind=ChatKind.GROUP,
        messages=messages,
        boundary_reason="end",
        open=False,
        policy=Policy.V1_0,
    )
    facts = tuple(_fact(cell, message, text) for message, text in zip(messages, texts.make(count), strict=True))
    told = Episode(
        id=content_id("episode", place),
        user_id=None,
        subject="A chat",
        summary=messages[0].text,
        episode=" ".join(message.text for message in messages[:8]),
        memcell_event_id_list=(cell.event_id,),
        said_at=messages[-1].said_at,
    )
    return cell, Traces(episodes=(told,), facts=facts, foresights=(), summary=messages[0].text)


def _fact(cell: MemCell, message: Message, text: str) -> Fact:
    return Fact(
        id=content_id("fact", message.id),
        atomic_fact=f"{message.speaker} {text}",
        speaker=message.speaker,
        user_id=message.user_id,
        group_id=cell.group_id,
        parent_type="memcell",
        parent_id=cell.event_id,
        said_at=message.said_at,
        valid_at=message.said_at,
        invalid_at=None,
        confidence=0.9,
        message_ids=(message.id,),
    )


def question(seed: int) -> str:
    """A question with a common word, three of the middle and a rare one."""
    words = Texts(seed).words
    return f"When did Maya say {words[25 + seed]} {words[90 + seed]} {words[400 + seed]} {words[4_000 + seed]}?"


def cold(db: Path, runs: int) -> tuple[float, float, float]:
    """Medians over processes of `evermem search`: wall and processor seconds, and the largest memory in megabytes.

    The modules are compiled, as pip installs them, beside the memory.
    """
    walls, processor, peaks = [], [], []
    environment = {name: value for name, value in os.environ.items() if name != UNCOMPILED}
    environment["PYTHONPYCACHEPREFIX"] = str(db.parent / "compiled")
    for run in range(runs + 1):  # the first compiles, and brings the file into the page cache
        command = [sys.executable, "-m", "evermem_cli", "search", question(run), "--db", str(db), "--json"]
        start = time.perf_counter()
        process = os.posix_spawn(sys.executable, command, environment, file_actions=SILENT)
        _, status, used = os.wait4(process, 0)
        walls.append(time.perf_counter() - start)
        assert status == 0, command
        processor.append(used.ru_utime + used.ru_stime)
        peaks.append(used.ru_maxrss / 1024)
    return statistics.median(walls[1:]), statistics.median(processor[1:]), max(peaks)


def warm(store: Store, runs: int) -> float:
    """The median of searches within one process."""
    embedder, seconds = RandomEmbedder(0), []
    for run in range(runs + 1):
        start = time.perf_counter()
        look_up(question(run), store, embedder, Filter(user_id="default"), 10)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds[1:])


def measure(folder: Path, count: int, runs: int) -> Figures:
    """Builds a memory of `count` facts, unless `folder` has it, and searches it."""
    db = folder / f"growth-{count}.duckdb"
    store = Store(db, timeout=10)
    note = db.with_suffix(".seconds")  # of a memory that is kept, how long it took to store
    if not store.exists:
        note.write_text(str(build(store, count)))
    wall, processor, peak = cold(db, runs)
    return Figures(
        facts=count,
        store=float(note.read_text()),
        cold=wall,
        cold_cpu=processor,
        warm=warm(store, runs),
        megabytes=db.stat().st_size / 1e6,
        peak_megabytes=peak,
    )


def table(measured: Sequence[Figures]) -> str:
    """A row for each size; in brackets the share of what a straight line through nothing and the row before tells."""
    lines = ["| " + " | ".join(HEADINGS.values()) + " |", "|---" * len(HEADINGS) + "|"]
    for before, here in zip((None, *measured), measured, strict=False):
        cells = [f"{here.facts:,}", *(_cell_text(before, here, name) for name in list(HEADINGS)[1:])]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell_text(before: Figures | None, here: Figures, name: str) -> str:
    value: float = getattr(here, name)
    text = f"{value:,.0f}" if name.endswith("megabytes") else f"{value:.2f}" if value else ""
    earlier: float = getattr(before, name) if before else 0
    if not before or not earlier:
        return text
    return f"{text} ({value / (earlier * here.facts / before.facts):.2f})"


def main() -> None:
    """Prints the table and, for the record, a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--million", action="store_true", help="a million facts too: 5 GB of disk")
    parser.add_argument("--keep", type=Path, help="folder to keep the memories in between runs")
    parser.add_argument("--runs", type=int, default=RUNS, help="searches of each size")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        sizes = (*SIZES, MILLION) if chosen.million else SIZES
        measured = []
        for count in sizes:
            measured.append(measure(folder, count, chosen.runs))
            print(measured[-1], flush=True)
    print(table(measured))
    print(json.dumps([asdict(each) for each in measured]))


if __name__ == "__main__":
    main()
