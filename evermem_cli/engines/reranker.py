"""The reranker: a cross-encoder that reads a question and a passage together and scores how well they match."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from evermem_cli.engines import Scores
from evermem_cli.engines.catalog import find_reranker
from evermem_cli.engines.hosted import load_cross_encoder
from evermem_cli.engines.onnx import OnnxModel, readable

# Pairs that run through the model together. Sorted by length, 8 take a third of the time that 30 take.
BATCH = 8


class CrossEncoder:
    """A Reranker: a model of the catalog, with its weights in `folder`. Raises ModelError when it cannot be loaded."""

    def __init__(self, folder: Path, name: str, threads: int = 0) -> None:
        self.languages = find_reranker(name).languages
        self._model = OnnxModel(folder, name, threads)

    def score(self, question: str, passages: Sequence[str]) -> Scores:
        """Shape (len(passages),): logits that a passage answers the question; it is read up to the model's context."""
        scores = np.empty(len(passages), dtype=np.float64)
        order = sorted(range(len(passages)), key=lambda index: len(passages[index]))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            logits, _ = self._model.run([(readable(question), readable(passages[index])) for index in batch])
            scores[batch] = logits[:, 0]
        return scores


class HostedReranker:
    """A Reranker: a model of the catalog that fastembed keeps in `folder`. Raises ModelError when it cannot be had."""

    def __init__(self, folder: Path, name: str, threads: int = 0, *, offline: bool) -> None:
        model = find_reranker(name)
        self.languages = model.languages
        self._model = load_cross_encoder(model.hosted, folder, threads, offline=offline)

    def score(self, question: str, passages: Sequence[str]) -> Scores:
        """Shape (len(passages),): logits that a passage answers the question."""
        texts = [readable(passage) for passage in passages]
        return np.fromiter(self._model.rerank(readable(question), texts, batch_size=BATCH), dtype=np.float64)
