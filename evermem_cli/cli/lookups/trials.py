"""Trials of language models, as `models try` and `models recommend` run them, and the tasks that they assign."""

from dataclasses import replace

from evermem_cli.cli.shared.engines import Engines
from evermem_cli.cli.shared.progress import working
from evermem_cli.cli.shared.session import Session
from evermem_cli.config import Settings, TaskName
from evermem_cli.engines import catalog, weights
from evermem_cli.engines.catalog import Model, ModelKind
from evermem_cli.trial import trial as trials
from evermem_cli.trial.recommendation import Candidate, Recommendation, fits, machine_memory, recommended
from evermem_cli.trial.trial import Trial

TRIED_SECONDS = 20.0
UNTRIED = "not tried yet"


def attempt(session: Session, name: str, seconds: float | None = None) -> Trial:
    """Tries a model on the shipped items; the result of all items is kept.

    Raises EngineMissing, ModelError, UsageError.
    """
    settings = replace(session.settings, llm=name)
    llm = Engines(settings, lambda: session.stderr, session.note).llm
    with working(session.stderr) as progress:
        made = trials.run(name, llm, progress, seconds)
    if seconds is None:
        trials.keep(made, settings.models_dir)
    return made


def attempt_beside_default(session: Session, name: str) -> list[Trial]:
    """A new trial of a model, and beside it that of the default: the one of this machine, else the shipped one."""
    made = attempt(session, name)
    default = trials.results(session.settings.models_dir).get(Settings().llm) or trials.shipped()
    return [made, default] if default.model != name else [made]


def recommend(session: Session) -> Recommendation:
    """The model to run here. Installed models that were never tried are tried for `TRIED_SECONDS`."""
    kept = trials.results(session.settings.models_dir)
    memory = machine_memory()
    models = [model for model in catalog.MODELS if model.kind is ModelKind.LLM]
    return recommended([_candidate(session, model, kept.get(model.name), memory) for model in models], memory)


def _candidate(session: Session, model: Model, kept: Trial | None, memory: int | None) -> Candidate:
    here = not weights.missing(model, session.settings.models_dir)
    runs = here and fits(model.size, memory) is not False and session.engines.has_local_llm
    trial = kept or (attempt(session, model.name, TRIED_SECONDS) if runs else None)
    return Candidate(name=model.name, size=model.size, here=here, fits=fits(model.size, memory), trial=trial)


def assigned(session: Session) -> dict[str, tuple[str, str]]:
    """Who does each task, and why."""
    settings = session.settings
    trial = trials.trial_of(settings.llm, settings.models_dir)
    doers = session.engines.tasks
    return {task: (doers[task], _why(task, trial, settings)) for task in trials.NEEDS}


def _why(task: TaskName, trial: Trial | None, settings: Settings) -> str:
    if task in settings.tasks:
        return "set in `tasks`"
    if trial is None or task not in trial.decisions:
        return UNTRIED
    passed = (f"{trial.passed.get(need, 0)} of {trial.asked[need]} {need} passed" for need in trials.NEEDS[task])
    return ", ".join(passed) + (", measured elsewhere" if trial.elsewhere else "")
