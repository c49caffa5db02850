"""The candidates for a question as columns, which the store passes to the ranking."""

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
    """Cosines between the question and the memories derived from messages; nan where nothing was derived.

    `fact` is the best fact or foresight derived from each message, `episode` the episode that it is part of.
    """

    fact: Floats
    episode: Floats


def unseen(rows: Ints) -> Views:
    """Views without any value, for rows from which nothing was derived."""
    return Views(*np.full((2, len(rows)), np.nan))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Candidates and the messages around them, one row each, in order of `position`.

    `position` differs by one between neighbours in a conversation and by more elsewhere. A row that is `drawn` is
    derived from messages (episode, fact, foresight, digest) and has no neighbours. `opens` marks the first message of a
    conversation. `head` is the number of the row's first search entry. `said_at` is local time (datetime64[s]).
    `length` is in indexed words, `mean_length` the mean over all memories. `counts[i, j]` is how often row i has the
    question's j-th known word, `idf[j]` the weight of that word. `cosine` compares the row's best piece or statement
    with the question. `wanted` marks rows that may be results; the others are context. `archived` is the number of
    memories left out because they are archived. `views` looks up, for some rows, the memories derived from them.
    """

    head: Ints
    position: Ints
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
    archived: int = 0
    views: Callable[[Ints], Views] = unseen

    @property
    def is_by_meaning_only(self) -> bool:
        """Whether there are candidates, and no memory has a word of the question."""
        return bool(self.wanted.any()) and not self.counts.any()
