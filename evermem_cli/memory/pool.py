"""The candidates of a question, as columns: what the store hands to the ranking."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def inverse_document_frequency(containing: Ints, memories: int) -> Floats:
    """BM25's weight of words that `containing` of so many memories have (Robertson and Zaragoza 2009)."""
    weights: Floats = np.log((memories - containing + 0.5) / (containing + 0.5) + 1)
    return weights


@dataclass(frozen=True, slots=True)
class Views:
    """Messages seen through what was made of them: cosines to the question, nan where nothing was.

    `fact` is that of the best fact or foresight drawn from each, `episode` that of the episode it is part of.
    """

    fact: Floats
    episode: Floats


def unseen(rows: Ints) -> Views:
    """No views: nothing was made of these rows."""
    return Views(*np.full((2, len(rows)), np.nan))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Candidates and the messages around them, one row each, in order of `place`.

    `place` differs by one between neighbours of a conversation and by more elsewhere; what is `drawn` from messages
    (episode, fact, foresight, digest) has no neighbours. `opens` tells which rows are the first message of a
    conversation. `head` is the number of its first search entry. `said_at` is local time (datetime64[s]). `length` is
    in indexed words, `mean_length` the mean of all memories. `counts[i, j]` is how often row i has the question's j-th
    known word, `idf[j]` that word's weight. `cosine` is that of the row's best piece or statement to the question.
    `wanted` tells which rows may be results; the others are only context. `strength` is that of the memory, `archived`
    how many memories are no candidates because they are archived. `views` looks up, for some rows, what was made of
    them.
    """

    head: Ints
    place: Ints
    drawn: NDArray[np.bool_]
    opens: NDArray[np.bool_]
    said_at: NDArray[np.datetime64]
    speaker: NDArray[np.str_]
    text: list[str]
    length: Floats
    mean_length: float
    counts: Floats
    idf: Floats
    cosine: Floats
    wanted: NDArray[np.bool_]
    strength: Floats
    archived: int = 0
    views: Callable[[Ints], Views] = unseen
