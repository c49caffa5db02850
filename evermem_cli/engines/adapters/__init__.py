"""Adapters: small weights, shipped with evermem, that specialise one model for one task.

They are LoRA adapters (Hu et al. 2021) in llama.cpp's own format. An adapter fits only the weights that the catalog has
for its model.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from evermem_cli.errors import ModelError
from evermem_cli.whole_files import REINSTALL, of_package

ANSWERS = "answers"  # the task: an answer to a question from excerpts of chats
LEARNED = "en"  # the language of the questions that adapters learned from
_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Adapter:
    """The adapter `task`.gguf in `folder`, with the settings that training wrote beside it."""

    task: str
    folder: Path = _FOLDER

    @property
    def path(self) -> Path:
        """The file of weights."""
        return self.folder / f"{self.task}.gguf"

    @property
    def model(self) -> str:
        """The catalog name of the model that the adapter belongs to."""
        return str(self._settings["model"])

    @property
    def name(self) -> str:
        """The task, the beginning of the weights' SHA-256, and the reluctance: others give other replies."""
        return f"{self.task}-{self._settings['sha256'][:12]}{self._settings['reluctance']:+}"

    @property
    def refusal(self) -> tuple[str, float]:
        """The reply for "the excerpts do not say", and by how much its logit must exceed every other."""
        return str(self._settings["refusal"]), float(self._settings["reluctance"])

    def check(self) -> None:
        """Raises ModelError if the weights are not the trained ones."""
        with of_package(self.path) as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        if digest != self._settings["sha256"]:
            raise ModelError(f"{self.path}: the adapter is damaged", REINSTALL)

    @cached_property
    def _settings(self) -> dict[str, Any]:
        with of_package(self.folder / f"{self.task}.json") as stream:
            settings: dict[str, Any] = json.load(stream)
        return settings


@cache
def adapter_of(model: str) -> Adapter | None:
    """The adapter by which a model (by its name in the settings) answers; None where it has none."""
    adapter = Adapter(ANSWERS)
    return adapter if adapter.model == model else None
