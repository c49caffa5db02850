"""An ONNX model of the catalog with its tokenizer, which loads faster than in fastembed."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evermem_cli.engines import Vectors
from evermem_cli.errors import ModelError

# The tokenizer reads a whole text, even a megabyte, before cutting it to the model's 256 tokens (512 for larger
# models). A word piece of the BERT vocabulary has at most 18 letters, so this many characters always contain those
# tokens.
MAX_CHARACTERS = 10_000
MEND = "`evermem models pull {name}` checks and mends it"

# onnxruntime's kernel for an addition with the normalisation after it takes four times as long as the two apart: 7 % of
# the time of embedding.
SLOW_FUSIONS = ["SkipLayerNormFusion"]

# A model without special tokens returns zeros for a text without words; they stay zeros and do not become NaN.
_SHORTEST = 1e-12


class OnnxModel:
    """The model in `folder`, run on one batch of texts, or of pairs of texts, at a time.

    Optimising a model takes longer than running it unoptimised on the texts of one question. `threads` 0 is all cores;
    `output` is the output to use, by default the first. Raises ModelError when the model cannot be loaded.
    """

    def __init__(
        self, folder: Path, name: str, threads: int = 0, output: str | None = None, *, optimised: bool = False
    ) -> None:
        silence_onnxruntime()
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        level = onnxruntime.GraphOptimizationLevel
        options.graph_optimization_level = level.ORT_ENABLE_ALL if optimised else level.ORT_DISABLE_ALL
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # threads that wait for the next text
        try:
            settings = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
            self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._model: Any = onnxruntime.InferenceSession(
                folder / "model.onnx",
                options,
                providers=["CPUExecutionProvider"],
                disabled_optimizers=SLOW_FUSIONS,
            )
        except Exception as error:  # tokenizers and onnxruntime raise it bare
            raise unusable(name, error, MEND) from error
        self._tokenizer.enable_truncation(settings["max_length"])
        self._tokenizer.no_padding()
        self._pad = self._tokenizer.token_to_id(settings["pad_token"]) or 0
        self._inputs = [graph_input.name for graph_input in self._model.get_inputs()]
        self._outputs = [output] if output else None

    def run(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The model's output, with rows in the order of the texts, and a mask of the tokens that are not padding.

        The mask has the shape (len(texts), tokens of the longest).
        """
        return self.run_tokens(self.tokens(texts))

    def tokens(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> list[Any]:
        """The tokens of texts, up to the model's context."""
        tokens: list[Any] = self._tokenizer.encode_batch(list(texts))
        return tokens

    def run_tokens(self, batch: Sequence[Any]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """As `run`, for the `tokens` of texts."""
        shape = len(batch), max(len(tokens.ids) for tokens in batch)
        ids = np.full(shape, self._pad, dtype=np.int64)
        mask, side = np.zeros((2, *shape), dtype=np.int64)
        for row, tokens in enumerate(batch):
            length = len(tokens.ids)
            ids[row, :length], mask[row, :length], side[row, :length] = tokens.ids, 1, tokens.type_ids
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": side}
        return self._model.run(self._outputs, {name: given[name] for name in self._inputs})[0], mask


def batches(lengths: Mapping[int, int], most: int) -> Iterator[list[int]]:
    """The keys of `lengths` in batches of similar length, each of at most `most` tokens, padding included."""
    batch: list[int] = []
    for index in sorted(lengths, key=lengths.__getitem__):
        if batch and lengths[index] * (len(batch) + 1) > most:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def unit(vectors: Vectors) -> Vectors:
    """The vectors with rows of length 1."""
    norms: Vectors = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), _SHORTEST)
    united: Vectors = vectors / norms
    return united


def unusable(name: str, error: Exception, hint: str) -> ModelError:
    """The error for a model that cannot be loaded."""
    return ModelError(f"{name} cannot be loaded: {error}", hint.format(name=name))


def readable(text: str) -> str:
    """The beginning of `text` that the tokenizer reads, without the lone surrogates of some chat exports."""
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def silence_onnxruntime() -> None:
    """Stops onnxruntime's telemetry and what it logs to stderr; errors come as exceptions.

    Since 1.29 onnxruntime's own wheels report each session to Microsoft unless this variable is set before the library
    is loaded. With the variable, the library opens no socket and stores no device id. On Windows the call has this
    effect.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # unset, a fork after the first text is warned about
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    onnxruntime.set_default_logger_severity(4)  # what ends the process
