"""The steps of `models try` and `models recommend`, and what `doctor` tells of them."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from rich.console import Group, RenderableType

from evermem_cli.cli.presentation.screens import table
from evermem_cli.cli.shared.engines import Engines
from evermem_cli.cli.shared.progress import working
from evermem_cli.cli.shared.session import Session
from evermem_cli.cli.shared.terminal import styled
from evermem_cli.config import Settings
from evermem_cli.engines import catalog, weights
from evermem_cli.engines.catalog import ModelKind
from evermem_cli.trial import trial as trials
from evermem_cli.trial.items import Task
from evermem_cli.trial.trial import CODE, MODEL, Trial

TRIED_SECONDS = 20.0
# Memory that a model needs beside its weights, for the context and the rest of evermem; and tokens a second below which
# an ask takes minutes.
BESIDE = 1_500_000_000
SLOW = 2.0
UNTRIED = "not tried"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A language model of the catalogue, as this machine can run it."""

    name: str
    size: int
    here: bool
    fits: bool | None
    trial: Trial | None

    @property
    def quality(self) -> float:
        """The mean share of passed items; 0 where it was not tried."""
        shares = [self.trial.share(task) or 0.0 for task in Task] if self.trial else [0.0]
        return sum(shares) / len(shares)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """The candidates, the machine's memory in bytes (None: unknown) and cores, and which model to take, and why."""

    candidates: tuple[Candidate, ...]
    memory: int | None
    cores: int
    chosen: str | None
    reason: str


def attempt(session: Session, name: str, seconds: float | None = None) -> Trial:
    """Tries a model on the shipped items and keeps the result. Raises EngineMissing, ModelError, UsageError."""
    settings = replace(session.settings, llm=name)
    engines = Engines(settings, lambda: session.stderr, session.note)
    llm = engines.llm
    with working(session.stderr) as progress:
        made = trials.run(name, llm, progress, seconds)
    if seconds is None:
        trials.keep(made, settings.models_dir)
    return made


def tried(session: Session, name: str) -> list[Trial]:
    """A new trial of a model, and the kept one of the default if there is any."""
    made = attempt(session, name)
    default = trials.results(session.settings.models_dir).get(Settings().llm)
    return [made] + ([default] if default and default.model != name else [])


def recommend(session: Session) -> Recommendation:
    """What to run here: of the installed models the best that is fast enough, else one that fits into memory."""
    kept = trials.results(session.settings.models_dir)
    memory = _memory()
    candidates = []
    for model in (each for each in catalog.MODELS if each.kind is ModelKind.LLM):
        here = not weights.missing(model, session.settings.models_dir)
        fits = None if memory is None else model.size + BESIDE <= memory
        result = kept.get(model.name)
        if result is None and here and fits is not False and session.engines.has_llm:
            result = attempt(session, model.name, TRIED_SECONDS)
        candidates.append(Candidate(name=model.name, size=model.size, here=here, fits=fits, trial=result))
    chosen, reason = _choice(candidates)
    return Recommendation(
        candidates=tuple(candidates), memory=memory, cores=os.cpu_count() or 1, chosen=chosen, reason=reason
    )


def _choice(candidates: Sequence[Candidate]) -> tuple[str | None, str]:
    good = [each for each in candidates if each.trial and each.fits is not False and each.quality >= trials.LEAST]
    fast = [each for each in good if each.trial and each.trial.pace >= SLOW]
    if fast:
        best = max(fast, key=lambda each: (each.quality, -each.size))
        return best.name, f"it passed {best.quality:.0%} of the items here, the most of the installed models"
    if good:
        best = max(good, key=lambda each: each.trial.pace if each.trial else 0.0)
        return best.name, "it is the fastest here that passes half of the items, and slow"
    default = next((each for each in candidates if each.name == Settings().llm and each.fits is not False), None)
    if default:
        return default.name, "no installed model passes half of the items; this one is measured, and fits into memory"
    return None, "no model of the catalogue fits into memory: name a server's address, or go without (`--no-llm`)"


def _memory() -> int | None:
    """The bytes of this machine's memory; None where the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def assigned(session: Session) -> dict[str, tuple[str, str]]:
    """Who does each task, and why."""
    settings = session.settings
    result = trials.results(settings.models_dir).get(settings.llm)
    who = session.engines.tasks
    return {task: (who[task], _why(task, result, settings)) for task in trials.NEEDS}


def _why(task: Task, result: Trial | None, settings: Settings) -> str:
    if task in settings.tasks:
        return "by the setting tasks"
    if result is None or task not in result.decisions:
        return UNTRIED
    return ", ".join(
        f"{result.passed.get(need, 0)} of {result.asked[need]} {need} passed" for need in trials.NEEDS[task]
    )


def document(results: Sequence[Trial]) -> dict[str, Any]:
    """`models try --json`."""
    return {"trials": [asdict(each) | {"decisions": each.decisions} for each in results]}


def screen(results: Sequence[Trial]) -> RenderableType:
    """A column per model, a row per task."""
    rows = table("task", *(each.model for each in results))
    for task in Task:
        rows.add_row(task.value, *(f"{each.passed.get(task, 0)} of {each.asked.get(task, 0)}" for each in results))
    rows.add_row("seconds", *(f"{each.seconds:.0f}" for each in results))
    rows.add_row("tokens a second", *(f"{each.pace:.1f}" for each in results))
    first = results[0]
    who = ", ".join(f"{task} by {'the model' if does == MODEL else CODE}" for task, does in first.decisions.items())
    return Group(rows, styled(f"{first.model}: {who}. The setting tasks overrules."))


def recommendation_document(made: Recommendation) -> dict[str, Any]:
    """`models recommend --json`."""
    names = ("memory", "cores", "chosen", "reason")
    return {name: getattr(made, name) for name in names} | {"models": [asdict(each) for each in made.candidates]}


def recommendation_screen(made: Recommendation) -> RenderableType:
    """The candidates, and the one to take."""
    rows = table("name", "here", "size", "fits", "passed", "tokens/s")
    for each in made.candidates:
        fits = "?" if each.fits is None else "yes" if each.fits else "no"
        passed = f"{each.quality:.0%}" if each.trial else UNTRIED
        pace = f"{each.trial.pace:.1f}" if each.trial else ""
        rows.add_row(each.name, "yes" if each.here else "no", f"{each.size / 1e6:,.0f} MB", fits, passed, pace)
    memory = "unknown memory" if made.memory is None else f"{made.memory / 1e9:.0f} GB of memory"
    cores = f"{made.cores} core{'s' if made.cores != 1 else ''}"
    chosen = f"{made.chosen}: {made.reason}" if made.chosen else made.reason
    return Group(rows, styled(f"{memory}, {cores}. {chosen}."))
