"""Texts to unit vectors: many with fastembed, a question without its slow start."""

import json
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evermem_cli.engines import Vectors
from evermem_cli.engines.catalog import find_embedder
from evermem_cli.errors import ModelError, UsageError

# Texts that run through the model together. Sorted by length, 8 are as fast as 16 (measured: 10.3 and 10.8 ms of one
# core for a chat message; 18 unsorted) and take 300 MB less when they are long.
BATCH = 8

# The tokenizer would read a text of a megabyte to the end before it cuts it to the model's 256 tokens (512 for larger
# ones). A word piece of the BERT vocabulary has 18 letters at most, so with the spaces these tokens fit in here.
MAX_CHARACTERS = 10_000

# A model without special tokens makes nothing of a text without words; zeros stay zeros and do not become NaN.
_SHORTEST = 1e-12
_MEND = "`evermem models pull {name}` checks and mends it"


class FastEmbed:
    """An Embedder: the catalog's, with its weights in `folder`, or one of fastembed's, which keeps it in `folder`.

    fastembed downloads its own if it is not there yet, unless `offline`. `threads` 0 is all cores.
    Raises UsageError for a name that neither knows, ModelError when the model cannot be loaded.
    """

    def __init__(self, folder: Path, name: str, threads: int = 0, *, offline: bool = False) -> None:
        _silence_onnxruntime()
        from fastembed import TextEmbedding

        _silence_fastembed()
        ours = bool(find_embedder(name).files)
        if ours:
            _register(name)
        supported = {each["model"].lower(): each for each in TextEmbedding.list_supported_models()}
        if name.lower() not in supported:
            raise UsageError(
                f"unknown embedder: {name}", f"known are {', '.join(m['model'] for m in supported.values())}"
            )
        self._name: str = supported[name.lower()]["model"]
        self._dimension: int = supported[name.lower()]["dim"]
        source = {"specific_model_path": str(folder)} if ours else {"local_files_only": offline}
        try:
            self._model: Any = TextEmbedding(name, cache_dir=str(folder), threads=threads or None, **source)
        except Exception as error:  # tokenizers and onnxruntime raise it bare
            raise _unusable(name, error, _MEND if ours else "fastembed fetches it from a network") from error

    @property
    def name(self) -> str:
        """The model's name, as fastembed spells it."""
        return self._name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), float32, rows of length 1; a text is read up to the model's context."""
        vectors = np.empty((len(texts), self._dimension), dtype=np.float32)
        # A batch is padded to its longest text, so texts of like length go together.
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        readable = [_readable(texts[index]) for index in order]
        for index, vector in zip(order, self._model.embed(readable, batch_size=BATCH), strict=True):
            vectors[index] = vector / max(np.linalg.norm(vector), _SHORTEST)
        return vectors


class QuickEmbed:
    """An Embedder for questions: a model of the catalog, with its weights in `folder`, without fastembed around it.

    Ready in an eighth of the time, for importing fastembed takes half a second and optimising the model longer than
    running it as it is. Its vectors are those of `FastEmbed` but for rounding. Raises ModelError when the model cannot
    be loaded.
    """

    def __init__(self, folder: Path, name: str, threads: int = 0) -> None:
        _silence_onnxruntime()
        import onnxruntime
        from tokenizers import Tokenizer

        self._name = name
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
            raise _unusable(name, error, _MEND) from error
        self._tokenizer.enable_truncation(settings["max_length"])
        self._tokenizer.enable_padding(pad_token=settings["pad_token"])
        self._inputs = [each.name for each in self._model.get_inputs()]

    @property
    def name(self) -> str:
        """The model's name, as `FastEmbed` has it."""
        return self._name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._model.get_outputs()[0].shape[-1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), float32, rows of length 1; all go through the model together."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        different = list(dict.fromkeys(texts))  # most questions are put to messages as they stand
        tokens = self._tokenizer.encode_batch([_readable(text) for text in different])
        mask = np.array([each.attention_mask for each in tokens], dtype=np.int64)
        given = {
            "input_ids": np.array([each.ids for each in tokens], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([each.type_ids for each in tokens], dtype=np.int64),
        }
        states = self._model.run(None, {name: given[name] for name in self._inputs})[0]
        sums = (states * mask[:, :, None]).sum(axis=1, dtype=np.float32)
        norms = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), _SHORTEST)
        vectors: Vectors = (sums / norms)[[different.index(text) for text in texts]]
        return vectors


def _unusable(name: str, error: Exception, hint: str) -> ModelError:
    return ModelError(f"embedder {name} cannot be loaded: {error}", hint.format(name=name))


def _readable(text: str) -> str:
    """What of `text` the tokenizer takes: its beginning, without the half characters that some chat exports hold."""
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def _register(name: str) -> None:
    """Tells fastembed of the catalog's all-MiniLM-L6-v2, once per process; pooling as on its model card."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    if all(each["model"] != name for each in TextEmbedding.list_supported_models()):
        TextEmbedding.add_custom_model(
            model=name,
            pooling=PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(hf=name),  # never asked: the weights' path is given
            dim=384,
            model_file="model.onnx",
        )


def _silence_onnxruntime() -> None:
    """Stops onnxruntime's telemetry and what it logs to stderr; errors come as exceptions.

    Since 1.29 onnxruntime's own wheels report each session to their maker, unless this variable stands before the
    library is loaded; it then opens no socket and keeps no device id. On Windows the call does it.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # unset, a fork after the first text is warned about
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    onnxruntime.set_default_logger_severity(3)  # errors


def _silence_fastembed() -> None:
    from loguru import logger

    logger.disable("fastembed")
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
