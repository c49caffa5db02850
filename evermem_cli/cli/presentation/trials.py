"""What `models try` and `models recommend` show."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType

from evermem_cli.cli.lookups.trials import UNTRIED
from evermem_cli.cli.presentation.screens import table
from evermem_cli.cli.shared.terminal import styled
from evermem_cli.trial.items import Task
from evermem_cli.trial.recommendation import Recommendation
from evermem_cli.trial.trial import CODE, MODEL, Trial

ELSEWHERE = " (measured elsewhere)"


def document(results: Sequence[Trial]) -> dict[str, Any]:
    """`models try --json`."""
    return {"trials": [asdict(trial) | {"decisions": trial.decisions} for trial in results]}


def screen(results: Sequence[Trial]) -> RenderableType:
    """A column per model, a row per task."""
    rows = table("task", *(f"{trial.model}{ELSEWHERE if trial.elsewhere else ''}" for trial in results))
    for task in Task:
        rows.add_row(task.value, *(_passed(trial, task) for trial in results))
    rows.add_row("seconds", *("" if trial.elsewhere else f"{trial.seconds:.0f}" for trial in results))
    rows.add_row("tokens a second", *("" if trial.elsewhere else f"{trial.pace:.1f}" for trial in results))
    first = results[0]
    doers = ", ".join(f"{task} by {'the model' if doer == MODEL else CODE}" for task, doer in first.decisions.items())
    return Group(rows, styled(f"{first.model}: {doers}. The setting tasks overrules."))


def _passed(trial: Trial, task: Task) -> str:
    asked = trial.asked.get(task, 0)
    return f"{trial.passed.get(task, 0)} of {asked}" if asked else UNTRIED


def recommendation_document(made: Recommendation) -> dict[str, Any]:
    """`models recommend --json`."""
    names = ("memory", "cores", "chosen", "reason")
    return {name: getattr(made, name) for name in names} | {
        "models": [asdict(candidate) for candidate in made.candidates]
    }


def recommendation_screen(made: Recommendation) -> RenderableType:
    """The candidates, and the one to take."""
    rows = table("name", "here", "size", "passed", "tokens/s")
    for candidate in made.candidates:
        here = "yes" if candidate.here else "no"
        passed = f"{candidate.quality:.0%}" if candidate.trial else UNTRIED
        pace = f"{candidate.trial.pace:.1f}" if candidate.trial else ""
        size = f"{candidate.size / 1e6:,.0f} MB"
        rows.add_row(candidate.name, "too large" if candidate.fits is False else here, size, passed, pace)
    memory = "unknown memory" if made.memory is None else f"{made.memory / 1e9:.0f} GB of memory"
    cores = f"{made.cores} core{'s' if made.cores != 1 else ''}"
    chosen = f"{made.chosen}: {made.reason}" if made.chosen else made.reason
    return Group(rows, styled(f"{memory}, {cores}. {chosen}."))
