"""What encryption costs: `python -m tests.benchmarks.encryption [--messages N] [--rounds N] [--kills N]`.

Ingests the same chat into a plain and an encrypted memory, without the language model, and searches both, in turn and
each in a process of its own. Printed are the fastest of each, since whatever else runs on the machine only adds to it.
With --kills, commands that write all of a memory anew are killed at moments that chance chooses: the memory must then
be whole under one of the keys, and the next command must leave nothing plain and nothing lying about.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from evermem_cli.archive import export
from evermem_cli.errors import StoreError
from evermem_cli.store import Keys, Store
from evermem_cli.store.file import keys

SECRET = "xylophone"
QUESTIONS = ("lease", "when do we meet Ruben", "the red xylophone", "what did I buy on the market")
THINGS = ("xylophone", "lamp", "bicycle", "lease", "recipe", "ticket", "letter", "kettle", "novel", "garden")
PLACES = ("the market", "Leeds", "the station", "Ruben's house", "the library", "Bohinj", "work", "the old town")


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory file, and the file with its key if it has one."""

    db: Path
    key: Path | None

    def command(self, *arguments: str) -> list[str]:
        """A command on it."""
        named = ["--key-file", str(self.key)] if self.key else []
        return [sys.executable, "-m", "evermem_cli", *arguments, "--db", str(self.db), *named]

    def store(self) -> Store:
        """The memory in this process."""
        return Store(self.db, 10, keys=Keys(self.key))


def main() -> None:
    """Prints a table and one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        chat = written(folder / "chat.txt", chosen.messages)
        figures: dict[str, object] = {"messages": chosen.messages, "rounds": chosen.rounds}
        figures |= (
            killed(folder, chat, chosen.kills, chosen.seed) if chosen.kills else timed(folder, chat, chosen.rounds)
        )
    print(json.dumps(figures))


def written(path: Path, messages: int) -> Path:
    """An invented chat."""
    chance = random.Random(1)
    lines = (
        f"[2025-{number // 2000 % 12 + 1:02}-{number // 70 % 28 + 1:02} {number // 60 % 24:02}:{number % 60:02}] "
        f"{('User', 'Assistant')[number % 2]}: Number {number}: {chance.choice(THINGS)} and {chance.choice(THINGS)}, "
        f"bought at {chance.choice(PLACES)} for {chance.randint(2, 90)} pounds."
        for number in range(messages)
    )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def timed(folder: Path, chat: Path, rounds: int) -> dict[str, object]:
    """The least seconds of an ingest and a search, by the clock and of the processor, plain and encrypted."""
    keys.write_new(folder / "key")
    plain = Memory(folder / "plain" / "memory.duckdb", None)
    locked = Memory(folder / "locked" / "memory.duckdb", folder / "key")
    found: dict[tuple[str, Memory], list[tuple[float, float]]] = defaultdict(list)
    for number in range(rounds):
        for memory in (plain, locked) if number % 2 else (locked, plain):
            if number < max(2, rounds // 4):
                shutil.rmtree(memory.db.parent, ignore_errors=True)
                found["ingest", memory].append(took(memory.command("ingest", str(chat), "--no-llm")))
            found["search", memory] += [took(memory.command("search", question)) for question in QUESTIONS]
    figures: dict[str, object] = {}
    print(f"{'':20}{'plain':>9}{'encrypted':>11}{'times':>8}")
    for name in ("ingest", "search"):
        for measure, place in (("clock", 0), ("processor", 1)):
            least, least_locked = (min(each[place] for each in found[name, memory]) for memory in (plain, locked))
            print(f"{name:8}{measure:12}{least:8.3f}s{least_locked:10.3f}s{least_locked / least:8.2f}")
            figures[f"{name} {measure}"] = round(least_locked / least, 3)
    return figures


def took(command: Sequence[str]) -> tuple[float, float]:
    """How many seconds a command took, and how many of the processor."""
    before, start = os.times(), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    wall, after = time.perf_counter() - start, os.times()
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def killed(folder: Path, chat: Path, count: int, seed: int) -> dict[str, object]:
    """Kills encrypt, rekey and decrypt; how many were killed while at work, and what was wrong then."""
    chance, hit, wrong, whole = random.Random(seed), Counter[str](), Counter[str](), dict[str, float]()
    for name in ("old", "new"):
        keys.write_new(folder / name)
    plain = Memory(folder / "origin" / "memory.duckdb", None)
    subprocess.run(plain.command("ingest", str(chat), "--no-llm"), check=True, capture_output=True)
    origins = {"encrypt": plain, "rekey": Memory(folder / "sealed" / "memory.duckdb", folder / "old")}
    shutil.copytree(plain.db.parent, folder / "sealed")
    subprocess.run(origins["rekey"].command("encrypt"), check=True, capture_output=True)
    origins["decrypt"] = origins["rekey"]
    expected = sorted(export(plain.store()))
    for number in range(count):
        name = ("encrypt", "rekey", "decrypt")[number % 3]
        room = folder / "trial"
        shutil.rmtree(room, ignore_errors=True)
        shutil.copytree(origins[name].db.parent, room)
        memory = replace(origins[name], db=room / "memory.duckdb")
        command = _arguments(name, memory, folder)
        if name not in whole:  # the first of each is let go on, and tells how long it takes
            whole[name], _ = took(command)
        else:
            hit[name] += _is_killed(command, chance.uniform(0.3, 1.0) * whole[name])
        for problem in _verdict(name, memory, folder, expected):
            wrong[problem] += 1
            print(f"{number} {name}: {problem}", file=sys.stderr)
    return {"kills": count, "killed": dict(hit), "wrong": dict(wrong)}


def _arguments(name: str, memory: Memory, folder: Path) -> list[str]:
    if name == "encrypt":
        return replace(memory, key=folder / "new").command("encrypt")
    return memory.command(name, *(("--to", str(folder / "new")) if name == "rekey" else ()))


def _is_killed(command: Sequence[str], seconds: float) -> bool:
    victim = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        victim.wait(seconds)
    except subprocess.TimeoutExpired:
        victim.send_signal(signal.SIGKILL)
    return victim.wait() < 0


def _verdict(name: str, memory: Memory, folder: Path, expected: list[str]) -> list[str]:
    """What is wrong with a memory whose command was killed."""
    ends = {"encrypt": folder / "new", "rekey": folder / "new", "decrypt": None}
    for key in (memory.key, ends[name]):
        with suppress(StoreError):
            opened = replace(memory, key=key).store()
            if sorted(export(opened)) != expected:
                return ["differs"]
            opened.encrypt(keys.read(folder / "new"))  # the next that writes
            left = [path for path in memory.db.parent.iterdir() if path.name.startswith(".")]
            plain = [path for path in memory.db.parent.iterdir() if SECRET.encode() in path.read_bytes()]
            return ["leftover"] * bool(left) + ["plain"] * bool(plain)
    return ["unreadable"]


if __name__ == "__main__":
    main()
