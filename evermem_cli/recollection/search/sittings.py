"""Sittings: the runs of a conversation in which a message is understood with its neighbours."""

from datetime import timedelta

import numpy as np

from evermem_cli.memory.pool import Floats, Pool

# The weights of a message's neighbours, by distance. Earlier messages explain more than later ones.
NEIGHBOURS = {offset: (1.0 if offset < 0 else 0.7) / (1 + abs(offset) / 2) for offset in range(-6, 7) if offset}
REACH = max(NEIGHBOURS)
# Messages of about 25 words need their neighbours; those of twice the length are understood by themselves.
TELLING_LENGTH = 25.0
TELLING_POWER = 3
# A break of this length ends a sitting. Messages before it are no context, and no question that a message answers.
SITTING = timedelta(hours=4)

# BM25 (Robertson and Zaragoza 2009).
BM25_K1 = 0.6
BM25_B = 0.75
# The sharpness of the soft maximum over the cosines of a message and its neighbours, which lie between 0 and 0.7.
SHARPNESS = 10.0


class Sittings:
    """The pool's messages, cut into runs without a gap in place or time.

    `opens` marks the messages that are known to be the first of a sitting. `carry` is the weight of the context in each
    sitting: 1 if its messages are short, falling to 0 the longer they are, since a long message is understood by itself
    and is about many things.
    """

    def __init__(self, pool: Pool) -> None:
        apart = np.diff(pool.position) != 1
        rested = np.diff(pool.said_at) > np.timedelta64(SITTING)
        self._run = np.cumsum(np.concatenate([[0], apart | rested])[: len(pool.position)])
        self.opens = pool.opens | np.concatenate([[False], rested & ~apart])[: len(pool.position)]
        length = np.bincount(self._run, pool.length) / np.maximum(np.bincount(self._run), 1)
        self.carry = np.minimum(1, TELLING_LENGTH / np.maximum(length, 1))[self._run] ** TELLING_POWER

    def neighbour(self, values: Floats, offset: int) -> Floats:
        """The value of each row's neighbour; 0 if the sitting has none at this distance."""
        moved = np.zeros_like(values)
        if abs(offset) >= len(values):
            return moved
        here, there = (
            (slice(-offset, None), slice(None, offset)) if offset < 0 else (slice(None, -offset), slice(offset, None))
        )
        together = self._run[here] == self._run[there]
        moved[here] = values[there] * together.reshape(-1, *[1] * (values.ndim - 1))
        return moved

    def smooth(self, values: Floats) -> Floats:
        """Each row's value plus the weighted values of its neighbours."""
        neighbours = np.zeros_like(values)
        for offset, weight in NEIGHBOURS.items():
            neighbours += weight * self.neighbour(values, offset)
        smoothed: Floats = values + self.carry.reshape(-1, *[1] * (values.ndim - 1)) * neighbours
        return smoothed

    def bm25(self, pool: Pool) -> Floats:
        """BM25 of messages, with their neighbours' words at lower weights. Not normalised, since BM25 is a log-odds."""
        counts = self.smooth(pool.counts)
        length = self.smooth(pool.length) / (pool.mean_length * self.smooth(np.ones_like(pool.length)))
        saturation = BM25_K1 * (1 - BM25_B + BM25_B * length)[:, None]
        scores: Floats = (pool.idf * counts * (BM25_K1 + 1) / (counts + saturation)).sum(axis=1)
        return scores

    def soft_maximum(self, values: Floats) -> Floats:
        """The log of the weighted mean of exponentials over a message and its neighbours."""
        mass = self.smooth(np.exp(SHARPNESS * values))
        maximum: Floats = np.log(mass / self.smooth(np.ones_like(values))) / SHARPNESS
        return maximum
