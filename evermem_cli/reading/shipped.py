"""Models whose weights ship with evermem: an ONNX file, a tokenizer that several share, and settings with a SHA-256."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evermem_cli.engines.onnx import readable, silence_onnxruntime
from evermem_cli.errors import ModelError
from evermem_cli.whole_files import REINSTALL, of_package

WEIGHTS = Path(__file__).parent / "weights"
TOKENIZER = "tokenizer.json"  # of the English models
WORDS = "words.bin"  # the vectors of words, which encoders share that begin with the same ones and do not change them


@dataclass(frozen=True, slots=True)
class TokenPair:
    """The tokens of two texts with marks around them; those from `second` on are the second's."""

    ids: list[int]
    second: int


@dataclass(frozen=True)
class ShippedModel:
    """The model `name` in `folder`, which the first use loads. `threads` 0 is all cores.

    Raises ModelError where the weights cannot be loaded or are not those that the settings describe.
    """

    name: str
    folder: Path = WEIGHTS
    threads: int = 0

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The settings that training wrote beside the weights."""
        with of_package(self.folder / f"{self.name}.json") as stream:
            settings: dict[str, Any] = json.load(stream)
        return settings

    def encode(self, text: str) -> Any:
        """The tokens of a text with their places in it, without marks around them."""
        tokenizer = tokenizer_in(self.folder, self.settings.get("tokenizer", TOKENIZER))
        return tokenizer.encode(readable(text), add_special_tokens=False)

    def pair(self, first: Sequence[int], second: Sequence[int]) -> TokenPair:
        """Two texts' tokens as the model takes them."""
        begin, end = self.settings["begin_token"], self.settings["end_token"]
        lead = [begin, *first, end]
        return TokenPair([*lead, *second, end], len(lead))

    def run(self, batch: Sequence[TokenPair]) -> NDArray[np.float32]:
        """The model's output, rows in the order of the batch."""
        longest = max(len(encoding.ids) for encoding in batch)
        ids, mask, side = np.zeros((3, len(batch), longest), dtype=np.int64)
        for row, encoding in enumerate(batch):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
            side[row, encoding.second : len(encoding.ids)] = 1
        logits: NDArray[np.float32] = self._model.run(
            None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": side}
        )[0]
        return logits

    @cached_property
    def _model(self) -> Any:
        silence_onnxruntime()
        import onnxruntime

        weights = self.folder / f"{self.name}.onnx"
        self._check(weights, self.settings["sha256"])
        if "words_sha256" in self.settings:
            self._check(self.folder / WORDS, self.settings["words_sha256"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])

    def _check(self, file: Path, digest: str) -> None:
        if _sha256(file) != digest:
            raise ModelError(f"the weights of the {self.name} are damaged: {file}", REINSTALL)


@cache
def tokenizer_in(folder: Path = WEIGHTS, name: str = TOKENIZER) -> Any:
    """The tokenizer of this name, which models in a folder share. Raises ModelError."""
    from tokenizers import Tokenizer

    with of_package(folder / name) as stream:
        return Tokenizer.from_buffer(stream.read())


@cache
def _sha256(file: Path) -> str:
    with of_package(file) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
