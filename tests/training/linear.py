"""Learns linear models over runs of words (`evermem_cli.reading.word_runs`)."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evermem_cli.config import Settings
from evermem_cli.engines import catalog, weights
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.reading.word_runs import BUCKETS, RunModel, runs

ROUNDS = 1000
MEANING = 3.0  # the length of the vector of a meaning while learning; that of the words is 1

Vectors = NDArray[np.float32]


def chosen_embedder() -> CatalogEmbed:
    """The embedder of the settings. Raises ModelError where it is not there."""
    settings = Settings.load()
    home = weights.locate(catalog.find_embedder(settings.embedder), settings.models_dir)
    return CatalogEmbed(home, settings.embedder, settings.threads)


def learn_runs(
    texts: Sequence[str],
    kinds: Sequence[int],
    looseness: float,
    meaning: Vectors | None = None,
    signs: Sequence[Sequence[str]] | None = None,
    least: int = 1,
) -> RunModel:
    """The logistic regression of the kinds, with `looseness` as its C.

    `meaning` has the vectors of the texts, and `signs` what else is known of each. What fewer than `least` texts have
    is left out.

    A run counts the more the fewer texts have it (inverse document frequency, Spärck Jones 1972), which the weights
    contain in the end.
    """
    from scipy.sparse import csr_matrix, hstack
    from sklearn.linear_model import LogisticRegression

    features = _features(texts, signs or [()] * len(texts))
    counts = np.asarray((features > 0).sum(axis=0)).ravel()
    rarity = (np.log((len(texts) + 1) / (counts + 1)) + 1) * (counts >= least)
    features = features.multiply(rarity[None])
    if meaning is not None:
        features = hstack([features, csr_matrix(MEANING * meaning)])
    fitted = LogisticRegression(C=looseness, max_iter=ROUNDS).fit(features.tocsr(), kinds)
    weights, constants = fitted.coef_.T, fitted.intercept_
    if weights.shape[1] == 1:  # of two kinds, those of the second against the first
        weights, constants = np.hstack([0 * weights, weights]), np.array([0.0, *constants])
    scale = np.concatenate([rarity, np.full(len(weights) - BUCKETS, MEANING)])
    return RunModel((weights * scale[:, None]).astype(np.float32), constants.astype(np.float32))


def arrays(name: str, model: RunModel) -> dict[str, Any]:
    """The model for a file: weights of 16 bits."""
    return {f"{name}_weights": model.weights.astype(np.float16), f"{name}_constants": model.constants}


def _features(texts: Sequence[str], signs: Sequence[Sequence[str]]) -> Any:
    """A sparse matrix of the shape (texts, BUCKETS): which runs and signs a text has, in rows of length 1."""
    from scipy.sparse import csr_matrix

    places = [runs(*each) for each in zip(texts, signs, strict=True)]
    rows = np.repeat(np.arange(len(texts)), [len(each) for each in places])
    values = np.concatenate([np.full(len(each), 1 / sqrt(len(each))) for each in places])
    return csr_matrix((values, (rows, np.concatenate(places))), shape=(len(texts), BUCKETS))
