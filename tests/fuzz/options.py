"""Command lines of every command, with options and values that chance chooses: at most a line, the right exit code.

Each runs in a fork, on a small memory with fakes for the models, which is copied afresh after a few of them.
"""

import json
import os
import random
import shlex
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from evermem_cli.cli.main import app
from evermem_cli.errors import ExitCode
from tests.benchmarks.trust import DB, FULL, Ended, Rooms, copied, ended, models_faked, started
from tests.fuzz.asked import mixed, questions
from tests.fuzz.command_line import STEERS

LONGEST = 60.0  # seconds that a command line may take, on a machine that has other work
TOGETHER = 10  # command lines on one memory, each of which finds what those before it left
# They reach a network, a service of the system or a browser, or go on until they are stopped.
LEFT_OUT = frozenset({"models pull", "schedule", "mcp", "watch"})
OPTIONS_LEFT_OUT = frozenset({"--serve", "--open", "--follow", "--help", "-h", "--keyring"})
PLACES = (
    "chats", "chats/maya-priya.txt", DB, "key", "other", "new", "missing/deep/file", "out.jsonl", "home", "", ".",
    "chats/2025-01-assistant.jsonl", "a name\nof two lines", "x" * 300, "-",
)  # fmt: skip
NUMBERS = ("0", "1", "-1", "7", "1e3", "99999999999999999999", "nan", "inf", "x", "٣", "")
WORDS = (
    "Biscuit", "Maya", "default", "2025-03-20", "last May", "9999-12-31", "0001-01-01T00:00:00+14:00", "x", "-", "--",
    "", " ", "msg-", "fact-", "all", "message", "public", "你好", "*.txt", "e%", "'; drop table messages", "\x1b[2J",
)  # fmt: skip
REFUSING = frozenset(ExitCode) - {ExitCode.OK}


@dataclass(slots=True)
class CommandLines:
    """The fuzzing of command lines. `findings` are by what tells them apart, with how often each came."""

    folder: Path
    rng: random.Random
    cases: int = 0
    refused: int = 0
    slowest: float = 0.0
    findings: dict[str, int] = field(default_factory=dict)

    def until(self, deadline: float) -> None:
        """Runs command lines until then."""
        models_faked()
        home = self.folder / "trial" / "home"
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.environ |= {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "EVERMEM_OFFLINE": "1", "EVERMEM_TZ": "UTC"}
        rooms = Rooms(self.folder / "rooms")
        known, asked, trial = list(commands(typer.main.get_command(app))), questions(), self.folder / "trial"
        while time.monotonic() < deadline:
            if self.cases % TOGETHER == 0:
                copied(rooms.after(self.rng.choice((FULL, FULL, ()))), trial)
                home.mkdir()
            self.cases += 1
            line = self._line(*self.rng.choice(known), asked)
            start = time.monotonic()
            found = within(line, trial)
            self.slowest = max(self.slowest, time.monotonic() - start)
            self.refused += found.code != 0
            for problem in judged(line, found):
                self._keep(problem, line, found)

    def _line(self, name: str, command: Any, asked: list[str]) -> tuple[str, ...]:
        """A command with what it wants, mostly, and some of its options."""
        line: list[str] = name.split()
        options = [each for each in command.params if each.opts and each.opts[0].startswith("-")]
        for option in self.rng.sample(options, min(len(options), self.rng.choice((0, 1, 1, 2, 3)))):
            if spelled := [each for each in option.opts if each not in OPTIONS_LEFT_OUT]:
                line += [spelled[0]] + ([] if option.is_flag else [self._value(option, asked)])
        for argument in (each for each in command.params if each not in options):
            count = self.rng.choice((0, 1, 1, 1, 1, 2)) if argument.nargs == -1 else self.rng.random() < 0.95
            line += [self._value(argument, asked) for _ in range(count)]
        return tuple(each.replace("\x00", "") for each in line)

    def _value(self, parameter: Any, asked: list[str]) -> str:
        kind = type(parameter.type).__name__
        choices = [str(each) for each in getattr(parameter.type, "choices", ())]
        if choices and self.rng.random() < 0.8:
            return self.rng.choice(choices)
        if "Path" in kind and self.rng.random() < 0.9:
            return self.rng.choice(PLACES)
        if ("Int" in kind or "Float" in kind) and self.rng.random() < 0.9:
            return self.rng.choice(NUMBERS)
        return self.rng.choice((self.rng.choice(WORDS), self.rng.choice(PLACES), mixed(asked, self.rng)[:2_000]))

    def _keep(self, problem: str, line: tuple[str, ...], found: Ended) -> None:
        last = found.err.strip().rpartition("\n")[2][:120]
        name = f"{problem} {last}" if problem == "traceback" else f"{problem} {line[0]}"
        self.findings[name] = self.findings.get(name, 0) + 1
        if self.findings[name] == 1:
            path = self.folder / f"line-{self.cases}.json"
            path.write_text(json.dumps({"line": line, "code": found.code, "err": found.err, "out": found.out[-2000:]}))
            print(f"command lines: {name}: {shlex.join(line)[:300]}: {path}", file=sys.stderr, flush=True)


def commands(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every command by its name, as it is written after `evermem`."""
    for name, command in sorted(group.commands.items()):
        spelled = f"{before} {name}".strip()
        if spelled not in LEFT_OUT:
            yield spelled, command
            if hasattr(command, "commands"):
                yield from commands(command, spelled)


def within(line: tuple[str, ...], room: Path) -> Ended:
    """Runs a command line with nothing on stdin; one that takes too long is stopped, with the code of the signal."""
    process = started(line, room)
    deadline = time.monotonic() + LONGEST
    while time.monotonic() < deadline:
        if os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return ended(process, room)
        time.sleep(0.02)
    os.kill(process, signal.SIGKILL)
    return ended(process, room)


def judged(line: tuple[str, ...], found: Ended) -> Iterator[str]:
    """What is wrong with how a command line ended."""
    if "Traceback" in found.err:
        yield "traceback"
    elif found.code == -signal.SIGKILL:
        yield "hang"
    elif found.code < 0 or found.code not in {*REFUSING, 0}:
        yield f"code {found.code}"
    elif found.code in REFUSING and not found.err.strip() and not found.out.strip():
        yield "silent"
    if STEERS.search(found.out + found.err):
        yield "steers"
    if "--json" in line and "-" not in line and found.out and not _is_json(found.out):
        yield "no json"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
