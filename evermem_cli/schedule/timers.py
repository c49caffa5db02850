"""A timer, independent of the system: its files, and the commands that start and stop it."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from enum import StrEnum
from pathlib import Path

from evermem_cli.errors import EvermemError, UsageError
from evermem_cli.whole_files import make_folder, remove_empty, write_whole

SECONDS = 30  # time limit for a command of the system


class Every(StrEnum):
    """How often."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerRequest:
    """What the timer runs, with which environment, how often, and at what time of day."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    every: Every
    at: time


@dataclass(frozen=True, slots=True)
class TimerRuns:
    """When a timer runs next and ran last, in the zone of the system; None where that is unknown."""

    next: datetime | None = None
    last: datetime | None = None


@dataclass(frozen=True, slots=True)
class Timer:
    """A timer, installed or not. `start` and `stop` are commands in the order in which they run.

    `remedy` is what the user can do if the timer cannot be started. `show` is the command of a system that knows when
    the timer runs, and `runs_of` reads its output.
    """

    system: str
    files: Mapping[Path, str]
    start: Sequence[tuple[str, ...]]
    stop: Sequence[tuple[str, ...]]
    remedy: str = ""
    show: tuple[str, ...] = ()
    runs_of: Callable[[str], TimerRuns] = lambda _: TimerRuns()

    @property
    def is_there(self) -> bool:
        """Whether any of the timer's files exists."""
        return any(path.exists() for path in self.files)

    @property
    def is_as_wanted(self) -> bool:
        """Whether all of the timer's files are as they would be written."""
        return all(path.exists() and path.read_bytes() == text.encode() for path, text in self.files.items())

    @property
    def runs(self) -> TimerRuns:
        """When the installed timer runs, as far as the system tells it."""
        try:
            return self.runs_of(_run(self.show)) if self.show and self.is_there else TimerRuns()
        except EvermemError:
            return TimerRuns()

    def install(self) -> None:
        """Writes the files and starts the timer. If it cannot be started, the files are as they were before.

        Raises EvermemError.
        """
        before = {path: path.read_bytes() if path.exists() else None for path in self.files}
        try:
            for path, text in self.files.items():
                make_folder(path.parent)
                write_whole(path, text.encode())
            for command in self.start:
                _run(command, self.remedy)
        except EvermemError:
            for path, data in before.items():
                if data is None:
                    path.unlink(missing_ok=True)
                    remove_empty(path.parent)
                else:
                    write_whole(path, data)
            raise

    def remove(self) -> list[str]:
        """Stops the timer and deletes its files; returns why it could not be stopped, perhaps since it never ran."""
        faults = []
        before, after = self.stop[:1], self.stop[1:]
        for command in before if self.is_there else ():
            faults += _faults(command)
        for path in self.files:
            path.unlink(missing_ok=True)
            remove_empty(path.parent)
        for command in after:
            faults += _faults(command)
        return faults


def timer_here(wish: TimerRequest) -> Timer:
    """The timer for this system. Raises UsageError where the system has no known kind of timer."""
    from evermem_cli.schedule import cron, launchd, systemd, task_scheduler

    if sys.platform == "win32":
        raise UsageError("evermem makes no timer on Windows", task_scheduler.remedy(wish))
    if sys.platform == "darwin":
        return launchd.timer(wish)
    if shutil.which("systemctl"):
        return systemd.timer(wish)
    raise UsageError("neither systemd nor launchd is here", cron.remedy(wish))


def installed_here() -> TimerRequest | None:
    """What the timer that is installed on this system runs; None where there is none of evermem's."""
    from evermem_cli.schedule import launchd, systemd

    try:
        return launchd.installed() if sys.platform == "darwin" else systemd.installed()
    except (OSError, ValueError, LookupError):
        return None


def _faults(command: Sequence[str]) -> list[str]:
    """Runs a command; returns why it failed, nothing if it succeeded."""
    try:
        _run(command)
    except EvermemError as error:
        return [error.message]
    return []


def _run(command: Sequence[str], remedy: str = "") -> str:
    """The output of a command of the system. Raises EvermemError with that and the remedy if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EvermemError(f"{command[0]} cannot be run: {error}", remedy) from error
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split())[:200]
        raise EvermemError(f"{' '.join(command)}: {said or f'exit {done.returncode}'}", remedy)
    return done.stdout
