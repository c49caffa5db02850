"""The steps of `schedule`: plan, preview on stderr, install or remove, report."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time
from difflib import unified_diff
from pathlib import Path

from evermem_cli.cli.presentation.documents import Document
from evermem_cli.cli.shared.session import Session
from evermem_cli.errors import UsageError
from evermem_cli.mcp.clients import Launch
from evermem_cli.schedule import Every, Timer, TimerRequest, timer_here

USUAL = time(3, 30)  # at night, when a machine is idle; one that is asleep then runs it after waking up

ANY_FOLDER = "FOLDER"  # in the place of paths where none are given; nothing is installed then


@dataclass(frozen=True, slots=True)
class ScheduleRequest:
    """The arguments of the command line; without `paths` the present timer is shown."""

    paths: tuple[Path, ...]
    every: Every
    at: time | None
    me: tuple[str, ...]
    no_llm: bool
    undo: bool


@dataclass(frozen=True, slots=True)
class TimerChange:
    """The change of a timer; `question` is "" where there is nothing to change."""

    timer: Timer
    undo: bool
    question: str


def planned(session: Session, asked: ScheduleRequest) -> TimerChange:
    """The planned change.

    Raises UsageError for paths that do not exist, a time of day for every hour, or a system without timers.
    """
    if asked.undo and asked.paths:
        raise UsageError("--undo removes the timer as a whole", "leave out the paths")
    if asked.at and asked.every is Every.HOUR:
        raise UsageError("--at is a time of day, and --every hour has none", "leave out one of them")
    missing = next((path for path in asked.paths if not path.exists()), None)
    if missing is not None:
        raise UsageError(f"{missing}: no such file or folder", "name a file or folder that exists")
    timer = timer_here(_wish(session, asked))
    if asked.undo:
        return TimerChange(timer, True, f"Remove the timer of {timer.system}?" if timer.is_there else "")
    return TimerChange(timer, False, f"Install this timer of {timer.system}?" if asked.paths else "")


def _wish(session: Session, asked: ScheduleRequest) -> TimerRequest:
    launch = Launch.of(session.settings)
    options = [*(part for name in asked.me for part in ("--me", name)), *(("--no-llm",) if asked.no_llm else ())]
    paths = [str(path.absolute()) for path in asked.paths] or [ANY_FOLDER]
    command = (*launch.program, "ingest", *paths, *options, *launch.memory)
    return TimerRequest(command=command, environment=launch.environment, every=asked.every, at=asked.at or USUAL)


def preview(plan: TimerChange) -> None:
    """Shows each file and each command on stderr before the confirmation."""
    for path, text in plan.timer.files.items():
        before = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        after = "" if plan.undo else text
        lines = unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), str(path), str(path))
        sys.stderr.write("".join(lines))
    for command in plan.timer.stop if plan.undo else plan.timer.start:
        sys.stderr.write(f"$ {shlex.join(command)}\n")


def done(plan: TimerChange) -> Sequence[str]:
    """Installs or removes the timer; returns what could not be removed. Raises EvermemError."""
    if not plan.question:
        return ()
    if plan.undo:
        return plan.timer.remove()
    plan.timer.install()
    return ()


def document(plan: TimerChange) -> Document:
    """`schedule --json`."""
    there = [str(path) for path in plan.timer.files if path.exists()]
    return {"system": plan.timer.system, "installed": bool(there), "files": there}


def screen(plan: TimerChange, faults: Sequence[str]) -> str:
    """The present timer, and how to change it."""
    files = [path for path in plan.timer.files if path.exists()]
    if plan.undo:
        removed = "the timer is removed" if plan.question else "there is no timer; nothing was changed"
        return "\n".join([removed, *faults])
    if not files:
        return "nothing is scheduled; `evermem schedule FOLDER` ingests a folder every day"
    shown = [path.read_text(encoding="utf-8", errors="replace") for path in files] if not plan.question else []
    return "\n".join([*shown, *map(str, files), "`evermem schedule --undo` removes the timer"])
