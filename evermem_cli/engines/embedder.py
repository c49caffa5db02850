"""Texts to unit vectors with fastembed."""

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


class FastEmbed:
    """An Embedder: the catalog's, with its weights in `folder`, or one of fastembed's, which keeps it in `folder`.

    fastembed downloads its own if it is not there yet, unless `offline`. `threads` 0 is all cores.
    Raises UsageError for a name that neither knows, ModelError when the model cannot be loaded.
    """

    def __init__(self, folder: Path, name: str, threads: int = 0, *, offline: bool = False) -> None:
        _quieten()
        from fastembed import TextEmbedding

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
            hint = (
                f"`evermem models pull {name}` checks and mends it" if ours else "fastembed fetches it from a network"
            )
            raise ModelError(f"embedder {name} cannot be loaded: {error}", hint) from error

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


def _quieten() -> None:
    """Stops onnxruntime's telemetry and what the libraries below log to stderr; errors come as exceptions.

    Since 1.29 onnxruntime's own wheels report each session to their maker, unless this variable stands before the
    library is loaded; it then opens no socket and keeps no device id. On Windows the call does it.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # unset, a fork after the first text is warned about
    import onnxruntime
    from loguru import logger

    onnxruntime.disable_telemetry_events()
    onnxruntime.set_default_logger_severity(3)  # errors
    logger.disable("fastembed")
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
