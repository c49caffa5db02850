"""Fakes for the two seams that are not scripted: an embedder that knows only which words texts share."""

import hashlib
from collections.abc import Sequence

import numpy as np

from evermem_cli.engines import Vectors


class WordEmbedder:
    """Texts as unit vectors of hashed words: texts that share words are near, all others are about orthogonal."""

    def __init__(self, name: str = "words", dimension: int = 384) -> None:
        self.name = name
        self.dimension = dimension
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.casefold().split():
                digest = hashlib.blake2b(word.strip(".,!?:").encode(), digest_size=4).digest()
                vectors[row, int.from_bytes(digest) % self.dimension] += 1
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors[norms[:, 0] == 0] = 1
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors
