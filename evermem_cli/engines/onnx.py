"""An ONNX model of the catalog with its tokenizer, which loads faster than in fastembed."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evermem_cli.errors import ModelError

# The tokenizer reads a whole text, even a megabyte, before cutting it to the model's 256 tokens (512 for larger
# models). A word piece of the BERT vocabulary has at most 18 letters, so this many characters always contain those
# tokens.
MAX_CHARACTERS = 10_000
MEND = "`evermem models pull {name}` checks and mends it"


class OnnxModel:
    """The model in `folder`, run on one batch of texts, or of pairs of texts, at a time.

    Importing fastembed takes half a second. Optimising a model takes longer than running it unoptimised on the texts of
    one question. `threads` 0 is all cores; `output` is the output to use, by default the first. Raises ModelError when
    the model cannot be loaded.
    """

    def __init__(self, folder: Path, name: str, threads: int = 0, output: str | None = None) -> None:
        silence_onnxruntime()
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # threads that wait for the next text
        try:
            settings = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
            self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._model: Any = onnxruntime.InferenceSession(
                folder / "model.onnx", options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # tokenizers and onnxruntime raise it bare
            raise unusable(name, error, MEND) from error
        self._tokenizer.enable_truncation(settings["max_length"])
        pad = settings["pad_token"]
        self._tokenizer.enable_padding(pad_token=pad, pad_id=self._tokenizer.token_to_id(pad) or 0)
        self._inputs = [graph_input.name for graph_input in self._model.get_inputs()]
        self._outputs = [output] if output else None

    def run(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The model's output, with rows in the order of the texts, and a mask of the tokens that are not padding.

        The mask has the shape (len(texts), tokens of the longest).
        """
        tokens = self._tokenizer.encode_batch(list(texts))
        mask = np.array([encoding.attention_mask for encoding in tokens], dtype=np.int64)
        given = {
            "input_ids": np.array([encoding.ids for encoding in tokens], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([encoding.type_ids for encoding in tokens], dtype=np.int64),
        }
        return self._model.run(self._outputs, {name: given[name] for name in self._inputs})[0], mask


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
    onnxruntime.set_default_logger_severity(3)  # errors
