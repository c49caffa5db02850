"""Adapters: small weights, shipped with evermem, by which one model does one task that it was trained further for.

They are LoRA adapters (Hu et al. 2021) in llama.cpp's own format. Those of a model fit the weights that the catalog
has for it, and no others.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from evermem_cli.errors import ModelError

ANSWERS = "answers"  # the task: an answer to a question from excerpts of chats
LEARNED = "en"  # the language of the questions that adapters learned from
_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Adapter:
    """The adapter `task`.gguf in `folder`, with what training wrote beside it."""

    task: str
    folder: Path = _FOLDER

    @property
    def path(self) -> Path:
        """The file of weights."""
        return self.folder / f"{self.task}.gguf"

    @property
    def model(self) -> str:
        """The model that it is for, by its name in the catalog."""
        return str(self._settings["model"])

    @property
    def name(self) -> str:
        """The task, and the beginning of the SHA-256 of the weights: other weights give other replies."""
        return f"{self.task}-{self._settings['sha256'][:12]}"

    @property
    def refusal(self) -> tuple[str, float]:
        """The reply that an excerpt does not tell, and by how much its logit must exceed that of any other."""
        return str(self._settings["refusal"]), float(self._settings["reluctance"])

    def check(self) -> None:
        """Raises ModelError where the weights are not those that training made."""
        if hashlib.sha256(self.path.read_bytes()).hexdigest() != self._settings["sha256"]:
            raise ModelError(f"{self.path}: the adapter is damaged", "install evermem again")

    @cached_property
    def _settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = json.loads((self.folder / f"{self.task}.json").read_text(encoding="utf-8"))
        return settings


@cache
def adapter_of(model: str, task: str = ANSWERS) -> Adapter | None:
    """The adapter of a model (by its name in the settings) for a task; None where it has none."""
    adapter = Adapter(task)
    return adapter if adapter.model == model else None
