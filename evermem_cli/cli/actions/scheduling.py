"""The steps of `schedule`: plan, preview on stderr, install or remove, report."""

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import time
from difflib import unified_diff
from itertools import pairwise, takewhile
from pathlib import Path

from evermem_cli.cli.presentation.documents import Document
from evermem_cli.cli.shared.session import Session
from evermem_cli.errors import UsageError
from evermem_cli.mcp.clients import Launch
from evermem_cli.memory import utc_text
from evermem_cli.schedule import Every, Timer, TimerRequest, TimerRuns, installed_here, timer_here

USUAL = time(3, 30)  # at night, when a machine is idle; one that is asleep then runs it after waking up

INGEST, ME, NO_LLM, DB = "ingest", "--me", "--no-llm", "--db"  # of the command that the timer runs
ANY_FOLDER = "FOLDER"  # in the place of paths where none are given; nothing is installed then


@dataclass(frozen=True, slots=True)
class ScheduleRequest:
    """The arguments of the command line. Without `paths` the timer is shown, or with `undo` removed."""

    paths: tuple[Path, ...]
    every: Every | None
    at: time | None
    me: tuple[str, ...]
    no_llm: bool
    undo: bool

    @property
    def changes(self) -> bool:
        """Whether a timer that is there would become another one."""
        return bool(self.paths or self.every or self.at or self.me or self.no_llm)


@dataclass(frozen=True, slots=True)
class Scheduled:
    """What a timer ingests: the paths, the options of `ingest`, and those that name the memory and its user."""

    paths: tuple[str, ...]
    me: tuple[str, ...]
    no_llm: bool
    memory: tuple[str, ...]

    @classmethod
    def of(cls, request: TimerRequest) -> "Scheduled":
        """What a command of evermem ingests. Raises ValueError for another command."""
        words = request.command[request.command.index(INGEST) + 1 :]
        options, memory = words[: words.index(DB)], words[words.index(DB) :]
        return cls(
            paths=tuple(takewhile(lambda word: not word.startswith("--"), options)),
            me=tuple(name for option, name in pairwise(options) if option == ME),
            no_llm=NO_LLM in options,
            memory=memory,
        )

    def command(self, program: tuple[str, ...]) -> tuple[str, ...]:
        """The command that ingests this."""
        me = (part for name in self.me for part in (ME, name))
        return (*program, INGEST, *self.paths, *me, *((NO_LLM,) if self.no_llm else ()), *self.memory)


@dataclass(frozen=True, slots=True)
class TimerChange:
    """The change of a timer, and what it ingests afterwards. `question` is "" where there is nothing to change.

    `removes` the timer as a whole. `effect` says on one line what is changed.
    """

    timer: Timer
    request: TimerRequest | None
    question: str = ""
    removes: bool = False
    effect: str = ""


def planned(session: Session, asked: ScheduleRequest) -> TimerChange:
    """The planned change.

    Raises UsageError for paths that do not exist or, to be removed, are not scheduled; a time of day for every hour;
    another memory than the timer's; a system without timers.
    """
    present = installed_here()
    if asked.undo:
        return _less(session, asked, present)
    if not asked.changes or not (asked.paths or present):
        return TimerChange(timer_here(present or _wish(session, asked, None)), present)
    missing = next((path for path in asked.paths if not path.exists()), None)
    if missing is not None:
        raise UsageError(f"{missing}: no such file or folder", "name a file or folder that exists")
    request = _wish(session, asked, present)
    timer = timer_here(request)
    if timer.is_there and present is None:
        hint = "remove the timer with `evermem schedule --undo`, and schedule all folders again"
        raise UsageError(f"{next(iter(timer.files))}: not as evermem writes it", hint)
    if timer.is_as_wanted:
        return TimerChange(timer, request, effect="all of that is scheduled already; nothing was changed")
    return TimerChange(timer, request, f"Install this timer of {timer.system}?", effect=_added(present, request))


def _less(session: Session, asked: ScheduleRequest, present: TimerRequest | None) -> TimerChange:
    """The removal of some paths, or of the timer where none are named or none are left. Raises UsageError."""
    timer = timer_here(present or _wish(session, replace(asked, paths=()), None))
    scheduled = Scheduled.of(present) if present else None
    unwanted = _named(asked.paths)
    unknown = [path for path in unwanted if scheduled is None or path not in scheduled.paths]
    if unknown:
        raise UsageError(f"{unknown[0]} is not scheduled", "`evermem schedule` shows what is")
    left = tuple(path for path in scheduled.paths if path not in unwanted) if scheduled and unwanted else ()
    if present is None or scheduled is None or not left:
        question = f"Remove the timer of {timer.system}?" if timer.is_there else ""
        effect = "the timer is removed" if timer.is_there else "there is no timer; nothing was changed"
        return TimerChange(timer, None, question, removes=True, effect=effect)
    program = present.command[: present.command.index(INGEST)]
    request = replace(present, command=replace(scheduled, paths=left).command(program))
    effect = f"no longer scheduled: {', '.join(unwanted)}"
    return TimerChange(timer_here(request), request, f"Change the timer of {timer.system}?", effect=effect)


def _wish(session: Session, asked: ScheduleRequest, present: TimerRequest | None) -> TimerRequest:
    """What is asked for, added to what is there. Raises UsageError."""
    launch = Launch.of(session.settings)
    before = Scheduled.of(present) if present else Scheduled((), (), False, launch.memory)
    if before.memory != launch.memory:
        named, own = shlex.join(before.memory), shlex.join(launch.memory)
        raise UsageError(f"the timer ingests with {named}, not {own}", f"add {named}, or first remove it with --undo")
    every = asked.every or (present.every if present else Every.DAY)
    if asked.at and every is Every.HOUR:
        raise UsageError("--at is a time of day, and --every hour has none", "leave out one of them")
    after = Scheduled(
        paths=tuple(dict.fromkeys([*before.paths, *_named(asked.paths)])) or (ANY_FOLDER,),
        me=tuple(dict.fromkeys([*before.me, *asked.me])),
        no_llm=asked.no_llm or before.no_llm,
        memory=launch.memory,
    )
    return TimerRequest(
        command=after.command(launch.program),
        environment={**(present.environment if present else {}), **launch.environment},
        every=every,
        at=asked.at or (present.at if present and present.every is every else USUAL),
    )


def _named(paths: Sequence[Path]) -> tuple[str, ...]:
    return tuple(os.path.abspath(path) for path in paths)


def _added(before: TimerRequest | None, after: TimerRequest) -> str:
    """Which paths are new beside those that stay."""
    known = Scheduled.of(before).paths if before else ()
    new = [path for path in Scheduled.of(after).paths if path not in known]
    if not known:
        return ""
    return f"added: {', '.join(new)}" if new else "changed"


def preview(plan: TimerChange) -> None:
    """Shows each file and each command on stderr before the confirmation."""
    for path, text in plan.timer.files.items():
        before = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        after = "" if plan.removes else text
        lines = unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), str(path), str(path))
        sys.stderr.write("".join(lines))
    for command in plan.timer.stop if plan.removes else plan.timer.start:
        sys.stderr.write(f"$ {shlex.join(command)}\n")


def done(plan: TimerChange) -> Sequence[str]:
    """Installs or removes the timer; returns what could not be removed. Raises EvermemError."""
    if not plan.question:
        return ()
    if plan.removes:
        return plan.timer.remove()
    plan.timer.install()
    return ()


def document(plan: TimerChange, runs: TimerRuns) -> Document:
    """`schedule --json`: the timer as it is now."""
    files = [str(path) for path in plan.timer.files if path.exists()]
    request = plan.request if files else None
    return {
        "system": plan.timer.system,
        "installed": bool(files),
        "files": files,
        "paths": list(Scheduled.of(request).paths) if request else [],
        "memory": Scheduled.of(request).memory[1] if request else None,
        "every": request.every if request else None,
        "at": f"{request.at:%H:%M}" if request else None,
        "next": utc_text(runs.next) if runs.next else None,
        "last": utc_text(runs.last) if runs.last else None,
    }


def screen(plan: TimerChange, runs: TimerRuns, faults: Sequence[str]) -> str:
    """What was changed, the timer as it is now, and how to change it."""
    files = [path for path in plan.timer.files if path.exists()]
    if plan.removes:
        return "\n".join([plan.effect, *faults])
    if not files:
        return "nothing is scheduled; `evermem schedule FOLDER` ingests a folder every day"
    if plan.request:
        shown = _described(plan.request, plan.timer.system, runs)
    else:
        shown = [path.read_text(encoding="utf-8", errors="replace") for path in files]
    undo = "`evermem schedule --undo PATH` removes one; without PATH, the timer"
    return "\n".join([*([plan.effect] if plan.effect else []), *shown, *map(str, files), undo])


def _described(request: TimerRequest, system: str, runs: TimerRuns) -> list[str]:
    scheduled = Scheduled.of(request)
    at = f"{request.at:at minute %M}" if request.every is Every.HOUR else f"{request.at:at %H:%M}"
    moments = [
        f"{name} {moment.day} {moment:%b %Y %H:%M}"
        for name, moment in (("runs next", runs.next), ("ran last", runs.last))
        if moment
    ]
    heading = f"every {request.every} {at}, by {system}, into {scheduled.memory[1]}:"
    return [heading, *(f"  {path}" for path in scheduled.paths), *(["; ".join(moments)] if moments else [])]
