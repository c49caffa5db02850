"""Runs the items of a trial, keeps the results, and decides by them which tasks the model gets."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import resources
from pathlib import Path

from evermem_cli.config import Doer, TaskName
from evermem_cli.engines import Completion, Llm
from evermem_cli.errors import GenerationError
from evermem_cli.progress import Progress
from evermem_cli.trial.items import Item, Task, items
from evermem_cli.whole_files import write_whole

# The share of a task's items that a model has to pass to get the task. Nobody checks a prediction or a verdict on a
# statement before it is shown, and half of the verdicts are right by chance. Nobody checks what a narrative leaves out,
# and code's leaves out nothing.
LEAST = 0.5
LEAST_UNCHECKED = 0.8
_TOGETHER = 4  # items whose requests are decoded together
MODEL: Doer = "model"
CODE: Doer = "code"
# Code does a task if the model fails at one of those beside it. Answers of a model that cannot refuse are not trusted.
NEEDS: Mapping[TaskName, Mapping[Task, float]] = {
    "titles": {Task.TITLES: LEAST},
    "statements": {Task.STATEMENTS: LEAST_UNCHECKED},
    "answers": {Task.ANSWERS: LEAST, Task.REFUSALS: LEAST},
    "foresights": {Task.FORESIGHTS: LEAST_UNCHECKED},
    "narratives": {Task.NARRATIVES: LEAST_UNCHECKED},
}
# Who does a task before the model was tried.
BEFORE_TRIAL: Mapping[TaskName, Doer] = {
    "titles": MODEL,
    "statements": CODE,
    "answers": MODEL,
    "foresights": CODE,
    "narratives": CODE,
}
KEPT = "trials.json"


@dataclass(slots=True)
class Trial:
    """A model's results: passed and asked items by task, and the time and tokens that they took.

    One that comes with evermem was made `elsewhere`; its time and tokens are left out, since they say nothing of here.
    """

    model: str
    passed: dict[str, int] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    read_tokens: int = 0
    written_tokens: int = 0
    elsewhere: bool = False

    @property
    def pace(self) -> float:
        """Tokens read and written per second."""
        return (self.read_tokens + self.written_tokens) / self.seconds if self.seconds else 0.0

    def share(self, task: Task) -> float | None:
        """The share of a task's items that passed; None where none was asked."""
        asked = self.asked.get(task, 0)
        return self.passed.get(task, 0) / asked if asked else None

    @property
    def decisions(self) -> dict[TaskName, Doer]:
        """Who does each task that was tried."""
        shares = {task: [(self.share(need), least) for need, least in needs.items()] for task, needs in NEEDS.items()}
        return {
            task: MODEL if all(share is not None and share >= least for share, least in needed) else CODE
            for task, needed in shares.items()
            if None not in [share for share, _ in needed]
        }


def run(model: str, llm: Llm, progress: Progress, seconds: float | None = None) -> Trial:
    """Tries a model on all items, or, of each task in turn, on as many as fit into so many seconds.

    Raises ModelError.
    """
    trial = Trial(model)
    groups = [[item for item in items(model) if item.task is task] for task in Task]
    starts = range(0, max(map(len, groups)), _TOGETHER)
    batches = [group[start : start + _TOGETHER] for start in starts for group in groups]
    begin, total = time.monotonic(), sum(map(len, groups))
    for batch in filter(None, batches):
        _try(batch, llm, trial)
        trial.seconds = time.monotonic() - begin
        progress("items", sum(trial.asked.values()), total)
        if seconds is not None and trial.seconds > seconds:
            break
    return trial


def _try(batch: list[Item], llm: Llm, trial: Trial) -> None:
    replies = iter(llm.complete([request for item in batch for request in item.requests]))
    for item in batch:
        own = [next(replies) for _ in item.requests]
        trial.read_tokens += sum(reply.prompt_tokens - reply.cached_tokens for reply in own)
        trial.written_tokens += sum(reply.output_tokens for reply in own)
        trial.asked[item.task] = trial.asked.get(item.task, 0) + 1
        trial.passed[item.task] = trial.passed.get(item.task, 0) + _passes(item, own)


def _passes(item: Item, replies: Sequence[Completion]) -> bool:
    try:
        return item.passes(replies)
    except GenerationError:
        return False


def keep(trial: Trial, models_dir: Path) -> None:
    """Keeps a result beside the models (0600), in place of an earlier one of the same model."""
    kept = {name: asdict(result) for name, result in results(models_dir).items()} | {trial.model: asdict(trial)}
    models_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(models_dir / KEPT, f"{json.dumps(kept, indent=1)}\n".encode())


def results(models_dir: Path) -> dict[str, Trial]:
    """The kept results by model; none where the file cannot be read, since a new trial replaces it."""
    try:
        kept = json.loads((models_dir / KEPT).read_text(encoding="utf-8"))
        return {name: Trial(**result) for name, result in kept.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def shipped() -> Trial:
    """The default model's result: the entry of `KEPT` after `evermem models try`, without its time."""
    text = (resources.files(__package__) / "default.json").read_text(encoding="utf-8")
    return Trial(**json.loads(text), elsewhere=True)


def trial_of(model: str, models_dir: Path) -> Trial | None:
    """The result of a model: the kept one, else for the default model the shipped one; None where there is none."""
    made = shipped()
    return results(models_dir).get(model) or (made if model == made.model else None)


def decided(model: str, overruled: Mapping[TaskName, Doer], models_dir: Path) -> dict[TaskName, Doer]:
    """Who does each task: as before a trial of the model, as the trial decided, or as the user says."""
    trial = trial_of(model, models_dir)
    return dict(BEFORE_TRIAL) | (trial.decisions if trial else {}) | dict(overruled)
