"""Embedders: one for many texts, with fastembed, and one for questions, which starts faster."""

import logging
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from evermem_cli.engines import Embedder, Vectors
from evermem_cli.engines.catalog import Model, Pooling, find_embedder
from evermem_cli.engines.onnx import MEND, OnnxModel, readable, silence_onnxruntime, unusable
from evermem_cli.errors import UsageError

# Texts that run through the model together. Sorted by length, 8 are as fast as 16 (measured: 10.3 and 10.8 ms of one
# core for a chat message; 18 unsorted) and take 300 MB less when they are long.
BATCH = 8

# A model without special tokens returns zeros for a text without words; they stay zeros and do not become NaN.
_SHORTEST = 1e-12


class FastEmbed:
    """An Embedder of passages: the catalog's, with its weights in `folder`, or one that fastembed keeps in `folder`.

    fastembed downloads its own if it is not there yet, unless `offline`. `threads` 0 is all cores.
    Raises UsageError for a name that neither knows, ModelError when the model cannot be loaded.
    """

    def __init__(self, folder: Path, name: str, threads: int = 0, *, offline: bool = False) -> None:
        silence_onnxruntime()
        with _no_socket():
            from fastembed import TextEmbedding

        _silence_fastembed()
        model = find_embedder(name)
        self._embedding = model.embedding
        if model.files:
            _register(model)
        hosted = model.hosted or model.name
        supported = {known["model"].lower(): known for known in TextEmbedding.list_supported_models()}
        if hosted.lower() not in supported:
            raise UsageError(
                f"unknown embedder: {name}", f"known are {', '.join(m['model'] for m in supported.values())}"
            )
        self._name: str = supported[hosted.lower()]["model"]
        self._dimension: int = supported[hosted.lower()]["dim"]
        source = {"specific_model_path": str(folder)} if model.files else {"local_files_only": offline}
        try:
            self._model: Any = TextEmbedding(hosted, cache_dir=str(folder), threads=threads or None, **source)
        except Exception as error:  # tokenizers and onnxruntime raise it bare
            raise unusable(name, error, MEND if model.files else "fastembed fetches it from a network") from error

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
        return self._embed(texts, self._embedding.passage if self._embedding else "")

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Like `embed`, but for questions, which some models embed differently from passages."""
        return self._embed(texts, self._embedding.question if self._embedding else "")

    def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        vectors = np.empty((len(texts), self._dimension), dtype=np.float32)
        # A batch is padded to its longest text, so texts of like length go together.
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        sorted_texts = [readable(prefix + texts[index]) for index in order]
        for index, vector in zip(order, self._model.embed(sorted_texts, batch_size=BATCH), strict=True):
            vectors[index] = vector / max(np.linalg.norm(vector), _SHORTEST)
        return vectors


class PassageEmbedder(Embedder, Protocol):
    """An Embedder of passages that also embeds questions."""

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Like `Embedder.embed`, but for questions, which some models embed differently from passages."""


@dataclass(frozen=True, slots=True)
class AskedEmbed:
    """An Embedder for questions, made from an embedder of passages for which `QuickEmbed` has no model."""

    model: PassageEmbedder

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self.model.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), float32, rows of length 1."""
        return self.model.embed_questions(texts)


class QuickEmbed:
    """An Embedder for questions: a model of the catalog, with its weights in `folder`, without fastembed.

    The model is ready in an eighth of the time. It loads in the background, and its first use waits for that. Its
    vectors are those of `FastEmbed.embed_questions` but for rounding. `embed` raises ModelError when the model cannot
    be loaded. Raises UsageError for a name that the catalog does not have.
    """

    def __init__(self, folder: Path, name: str, threads: int = 0) -> None:
        embedding = find_embedder(name).embedding
        if embedding is None:
            raise UsageError(f"unknown embedder: {name}", "name one of `evermem models list`")
        self._name = name
        self._embedding = embedding
        self._model = ThreadPoolExecutor(1).submit(OnnxModel, folder, name, threads, embedding.output)
        self._last: tuple[tuple[str, ...], Vectors] = ((), np.empty((0, 0), dtype=np.float32))

    @property
    def name(self) -> str:
        """The model's name, as `FastEmbed` has it."""
        return self._name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._embedding.dimension

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
        states, mask = self._model.result().run([readable(self._embedding.question + text) for text in different])
        pooled = _POOLED[self._embedding.pooling](states, mask)
        norms = np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), _SHORTEST)
        vectors: Vectors = (pooled / norms)[[different.index(text) for text in texts]]
        self._last = (tuple(texts), vectors)
        return vectors


def load_cross_encoder(name: str, folder: Path, threads: int, *, offline: bool) -> Any:
    """A reranker of fastembed, which keeps it in `folder` and downloads it unless `offline`. Raises ModelError."""
    with _no_socket():
        from fastembed.rerank.cross_encoder import TextCrossEncoder

    _silence_fastembed()
    try:
        return TextCrossEncoder(name, cache_dir=str(folder), threads=threads or None, local_files_only=offline)
    except Exception as error:  # tokenizers and onnxruntime raise it bare
        raise unusable(name, error, "fastembed fetches it from a network") from error


def _sum(states: Vectors, mask: NDArray[np.int64]) -> Vectors:
    summed: Vectors = (states * mask[:, :, None]).sum(axis=1, dtype=np.float32)
    return summed


# The vectors of texts, of any length, from those of their tokens.
_POOLED: Mapping[Pooling, Callable[[Vectors, NDArray[np.int64]], Vectors]] = {
    Pooling.MEAN: _sum,
    Pooling.FIRST: lambda states, mask: states[:, 0],
    Pooling.LAST: lambda states, mask: states[np.arange(len(states)), mask.sum(axis=1) - 1],
    Pooling.DONE: lambda states, mask: states,
}


def _register(model: Model) -> None:
    """Registers a model of the catalog with fastembed, once per process."""
    with _no_socket():
        from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    embedding = model.embedding
    known = {supported["model"] for supported in TextEmbedding.list_supported_models()}
    if embedding is not None and model.name not in known:
        pooling = {
            Pooling.MEAN: PoolingType.MEAN,
            Pooling.FIRST: PoolingType.CLS,
            Pooling.LAST: PoolingType.LAST_TOKEN,
            Pooling.DONE: PoolingType.DISABLED,
        }[embedding.pooling]
        TextEmbedding.add_custom_model(
            model=model.name,
            pooling=pooling,
            normalization=True,
            sources=ModelSource(hf=model.name),  # never asked: the weights' path is given
            dim=embedding.dimension,
            model_file="model.onnx",
            output_name=embedding.output,
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
