"""Embedders of the catalog: one for many texts, and one for questions, which starts faster."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evermem_cli.engines import Embedder, Vectors
from evermem_cli.engines.catalog import Embedding, Pooling, find_embedder
from evermem_cli.engines.onnx import OnnxModel, batches, readable, unit
from evermem_cli.errors import UsageError

# Tokens that run through the model together, padding included: more take longer per token, since their numbers do not
# stay in the processor's cache (2,048 a fifth longer).
BATCH_TOKENS = 256
TEXTS = 1000  # texts whose tokens are in memory together
REMEMBERED = 32  # texts of questions whose vectors are kept


class CatalogEmbed:
    """An Embedder of passages: a model of the catalog, with its weights in `folder`. `threads` 0 is all cores.

    Raises UsageError for a name that the catalog does not have, ModelError when the model cannot be loaded.
    """

    def __init__(self, folder: Path, name: str, threads: int = 0) -> None:
        self._name, self._embedding = name, _embedding(name)
        self._model = OnnxModel(folder, name, threads, self._embedding.output, optimised=True)

    @property
    def name(self) -> str:
        """The model's name in the catalog."""
        return self._name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._embedding.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), float32, rows of length 1; a text is read up to the model's context."""
        return self._embed(texts, self._embedding.passage)

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Like `embed`, but for questions, which some models embed differently from passages."""
        return self._embed(texts, self._embedding.question)

    def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), TEXTS):
            tokens = self._model.tokens([readable(prefix + text) for text in texts[start : start + TEXTS]])
            for batch in batches({place: len(text.ids) for place, text in enumerate(tokens)}, BATCH_TOKENS):
                pooled = _POOLED[self._embedding.pooling](*self._model.run_tokens([tokens[place] for place in batch]))
                vectors[[start + place for place in batch]] = unit(pooled)
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
    """An Embedder for questions: a model of the catalog, with its weights in `folder`.

    It loads in the background, and its first use waits for that. Its vectors are those of
    `CatalogEmbed.embed_questions` but for rounding. `embed` raises ModelError when the model cannot be loaded. Raises
    UsageError for a name that the catalog does not have.
    """

    def __init__(self, folder: Path, name: str, threads: int = 0) -> None:
        self._name, self._embedding = name, _embedding(name)
        self._model = ThreadPoolExecutor(1).submit(OnnxModel, folder, name, threads, self._embedding.output)
        self._known: dict[str, Vectors] = {}

    @property
    def name(self) -> str:
        """The model's name in the catalog."""
        return self._name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._embedding.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), float32, rows of length 1; all new ones go through the model together.

        A text of the last few questions costs nothing: an agent's question is looked up a second time from the owner's
        view, and the forms of a question are often the same text.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        known = self._known
        if new := [text for text in dict.fromkeys(texts) if text not in known]:
            states, mask = self._model.result().run([readable(self._embedding.question + text) for text in new])
            pooled = _POOLED[self._embedding.pooling](states, mask)
            known = known | dict(zip(new, unit(pooled), strict=True))  # others may read the old one meanwhile
        vectors: Vectors = np.stack([known[text] for text in texts])
        self._known = dict([*known.items()][-REMEMBERED:])
        return vectors


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


def _embedding(name: str) -> Embedding:
    """How a model of the catalog is asked. Raises UsageError."""
    embedding = find_embedder(name).embedding
    if embedding is None:
        raise UsageError(f"unknown embedder: {name}", "name one of `evermem models list`")
    return embedding
