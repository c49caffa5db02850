"""Embedders: one for many texts, with fastembed, and one for questions, which starts faster."""

import logging
import socket
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from evermem_cli.engines import Vectors
from evermem_cli.engines.catalog import find_embedder
from evermem_cli.engines.onnx import MEND, OnnxModel, readable, silence_onnxruntime, unusable
from evermem_cli.errors import UsageError

# Texts that run through the model together. Sorted by length, 8 are as fast as 16 (measured: 10.3 and 10.8 ms of one
# core for a chat message; 18 unsorted) and take 300 MB less when they are long.
BATCH = 8

# A model without special tokens returns zeros for a text without words; they stay zeros and do not become NaN.
_SHORTEST = 1e-12


class FastEmbed:
    """An Embedder: the catalog's, with its weights in `folder`, or one of fastembed's, which keeps it in `folder`.

    fastembed downloads its own if it is not there yet, unless `offline`. `threads` 0 is all cores.
    Raises UsageError for a name that neither knows, ModelError when the model cannot be loaded.
    """

    def __init__(self, folder: Path, name: str, threads: int = 0, *, offline: bool = False) -> None:
        silence_onnxruntime()
        with _no_socket():
            from fastembed import TextEmbedding

        _silence_fastembed()
        ours = bool(find_embedder(name).files)
        if ours:
            _register(name)
        supported = {model["model"].lower(): model for model in TextEmbedding.list_supported_models()}
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
            raise unusable(name, error, MEND if ours else "fastembed fetches it from a network") from error

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
        sorted_texts = [readable(texts[index]) for index in order]
        for index, vector in zip(order, self._model.embed(sorted_texts, batch_size=BATCH), strict=True):
            vectors[index] = vector / max(np.linalg.norm(vector), _SHORTEST)
        return vectors


class QuickEmbed:
    """An Embedder for questions: a model of the catalog, with its weights in `folder`, without fastembed.

    The model is ready in an eighth of the time. It loads in the background, and its first use waits for that. Its
    vectors are those of `FastEmbed` but for rounding. `embed` and `dimension` raise ModelError when the model cannot be
    loaded.
    """

    def __init__(self, folder: Path, name: str, threads: int = 0) -> None:
        self._name = name
        self._model = ThreadPoolExecutor(1).submit(OnnxModel, folder, name, threads)
        self._last: tuple[tuple[str, ...], Vectors] = ((), np.empty((0, 0), dtype=np.float32))

    @property
    def name(self) -> str:
        """The model's name, as `FastEmbed` has it."""
        return self._name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._model.result().width

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), float32, rows of length 1; all go through the model together.

        Repeating a call costs nothing: an agent's question is looked up a second time from the owner's view.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        known, kept = self._last
        if known == tuple(texts):
            return kept
        different = list(dict.fromkeys(texts))  # the forms of a question are often the same text
        states, mask = self._model.result().run([readable(text) for text in different])
        sums = (states * mask[:, :, None]).sum(axis=1, dtype=np.float32)
        norms = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), _SHORTEST)
        vectors: Vectors = (sums / norms)[[different.index(text) for text in texts]]
        self._last = (tuple(texts), vectors)
        return vectors


def _register(name: str) -> None:
    """Tells fastembed of the catalog's all-MiniLM-L6-v2, once per process; pooling as on its model card."""
    with _no_socket():
        from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    if all(model["model"] != name for model in TextEmbedding.list_supported_models()):
        TextEmbedding.add_custom_model(
            model=name,
            pooling=PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(hf=name),  # never asked: the weights' path is given
            dim=384,
            model_file="model.onnx",
        )


def _silence_fastembed() -> None:
    from loguru import logger

    logger.disable("fastembed")
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)


@contextmanager
def _no_socket() -> Iterator[None]:
    """Keeps urllib3, which fastembed imports, from opening a socket to test for IPv6."""
    before, socket.has_ipv6 = socket.has_ipv6, False
    try:
        yield
    finally:
        socket.has_ipv6 = before
