"""Models that fastembed fetches and keeps: embedders of passages, and rerankers."""

import logging
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from evermem_cli.engines import Vectors
from evermem_cli.engines.catalog import find_embedder
from evermem_cli.engines.onnx import readable, silence_onnxruntime, unit, unusable
from evermem_cli.errors import UsageError

# Texts that run through the model together. Sorted by length, 8 are as fast as 16 (measured: 10.3 and 10.8 ms of one
# core for a chat message; 18 unsorted) and take 300 MB less when they are long.
BATCH = 8


class FastEmbed:
    """An Embedder of passages that fastembed knows, and keeps in `folder`.

    fastembed downloads it if it is not there yet, unless `offline`. `threads` 0 is all cores. Raises UsageError for a
    name that it does not know, ModelError when the model cannot be loaded.
    """

    def __init__(self, folder: Path, name: str, threads: int = 0, *, offline: bool = False) -> None:
        silence_onnxruntime()
        with _no_socket():
            from fastembed import TextEmbedding

        _silence_fastembed()
        model = find_embedder(name)
        self._embedding = model.embedding
        hosted = model.hosted or model.name
        supported = {known["model"].lower(): known for known in TextEmbedding.list_supported_models()}
        if hosted.lower() not in supported:
            raise UsageError(
                f"unknown embedder: {name}", f"known names: {', '.join(m['model'] for m in supported.values())}"
            )
        self._name: str = supported[hosted.lower()]["model"]
        self._dimension: int = supported[hosted.lower()]["dim"]
        try:
            self._model: Any = TextEmbedding(
                hosted, cache_dir=str(folder), threads=threads or None, local_files_only=offline
            )
        except Exception as error:  # tokenizers and onnxruntime raise it bare
            raise unusable(name, error, "fastembed fetches it from a network") from error

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
            vectors[index] = vector
        return unit(vectors)


def load_cross_encoder(name: str, folder: Path, threads: int, *, offline: bool) -> Any:
    """A reranker of fastembed, which keeps it in `folder` and downloads it unless `offline`. Raises ModelError."""
    with _no_socket():
        from fastembed.rerank.cross_encoder import TextCrossEncoder

    _silence_fastembed()
    try:
        return TextCrossEncoder(name, cache_dir=str(folder), threads=threads or None, local_files_only=offline)
    except Exception as error:  # tokenizers and onnxruntime raise it bare
        raise unusable(name, error, "fastembed fetches it from a network") from error


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
