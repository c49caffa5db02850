"""Damaged exports through the installed command: at most a line for each, the right exit code, no way to a terminal."""

import json
import os
import random
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from evermem_cli.transcripts import FORMATS
from tests.fuzz.damage import damaged
from tests.fuzz.seeds import seeds

TOGETHER = 20  # files of one `ingest`, which costs much more than the reading
CODES = frozenset({0, 1, 6})  # of an ingest: all, none or some of the inputs could be read
PRINTING = ("list conversations", "list memcells", "people", "timeline", "search the", "export --include-private")
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@dataclass(slots=True)
class CommandLine:
    """The fuzzing of the command; `findings` are what it printed that it must not, with the command."""

    folder: Path
    rng: random.Random
    files: int = 0
    commands: int = 0
    findings: list[str] = field(default_factory=list)

    def until(self, count: int) -> None:
        """Damages `count` files, takes them in, and looks at what is then there."""
        known = [seed for form in FORMATS for seed in seeds(form.name)]
        while self.files < count:
            chats = self.folder / f"chats-{self.files}"
            for _ in range(min(TOGETHER, count - self.files)):
                self.files += 1
                seed = self.rng.choice(known)
                victim = self.rng.choice(list(seed.files))
                for name, text in seed.files.items():
                    path = chats / str(self.files) / seed.name / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(damaged(text, self.rng) if name == victim else text.encode())
            self._run(f"ingest --no-llm --me Ann {chats}", CODES)
            self._run(f"ingest --dry-run --json {chats}", CODES)
        for command in PRINTING:
            self._run(command, frozenset({0}))
            self._run(f"{command} --json", frozenset({0})) if "export" not in command else None

    def _run(self, command: str, codes: frozenset[int]) -> None:
        self.commands += 1
        environment = os.environ | {"EVERMEM_DB": str(self.folder / "memory.duckdb"), "EVERMEM_TZ": "UTC"}
        done = subprocess.run(
            [sys.executable, "-m", "evermem_cli", *command.split()], capture_output=True, text=True, env=environment
        )
        if "Traceback" in done.stderr or done.returncode not in codes:
            self.findings.append(f"{command}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
        if found := STEERS.search(done.stdout + done.stderr):
            self.findings.append(f"{command}: prints {found[0]!r}")
        if "--json" in command and done.stdout:
            json.loads(done.stdout)


def fuzz(count: int, seed: int, folder: Path) -> bool:
    """Runs it, prints a JSON line, and each finding on stderr; whether there were any."""
    run = CommandLine(folder, random.Random(f"command line {seed}"))
    run.until(count)
    for finding in run.findings:
        print(finding, file=sys.stderr)
    print(json.dumps({"files": run.files, "commands": run.commands, "findings": len(run.findings)}))
    return bool(run.findings)
