"""Finds the memories hidden from an agent that are nearest to a question, so that a search can count them.

The ranking of what the agent sees knows nothing of it. Only ids and cosines leave this module.
"""

import duckdb
import numpy as np

from evermem_cli.engines import Vectors
from evermem_cli.memory import Filter
from evermem_cli.memory.pool import Floats, Ints
from evermem_cli.store.index.sketches import COLUMNS, Outlines, nearest
from evermem_cli.store.read.meta import MetaReader
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.search import queries
from evermem_cli.store.search.candidates import parameters
from evermem_cli.store.search.entries import EntriesInMemory
from evermem_cli.store.search.scans import Scans

COMPARED = 8  # entries whose vectors are compared with the question, for each that is wanted

# In the agent's transaction, which has a bit for each entry that the agent may see.
HIDDEN = "select number from evermem.main.documents where get_bit(getvariable('seen_documents'), number::integer) = 0"
# In the owner's transaction.
PASSING = f"select number from {queries.CHOSEN} as documents where $passes"
SKETCHES = f"select number, kind = 'message' as is_message, {', '.join(COLUMNS)} from {queries.CHOSEN}"
COSINES = f"select memory_id as id, max({queries.COSINE}) as cosine from {queries.CHOSEN} group by id"


def hidden_from(agent: duckdb.DuckDBPyConnection) -> Ints:
    """The numbers of the entries that the agent of this transaction may not see."""
    return np.asarray(agent.execute(HIDDEN).fetchnumpy()["number"], dtype=np.int64)


class HiddenEntries:
    """A read transaction of the owner, and the numbers of entries that are hidden from an agent.

    With `entries` in memory the file is asked for the conditions of a filter alone.
    """

    def __init__(self, owner: duckdb.DuckDBPyConnection, hidden: Ints, entries: EntriesInMemory | None) -> None:
        sql = Sql(owner)
        self._scans = Scans(sql, MetaReader(sql))
        self._hidden, self._entries = hidden, entries

    def nearest(self, vectors: Vectors, where: Filter, count: int) -> list[tuple[str, float]]:
        """The ids and cosines of the `count` memories that pass the filter and are nearest, nearest first.

        Messages are compared with the first vector, derived memories with the second.
        """
        numbers = self._passing(where)
        if not len(numbers):
            return []
        spoken, asked = vectors
        wanted = COMPARED * count
        near = nearest(self._outlines_of(numbers), (spoken, wanted), (asked, wanted))
        ids, cosines = self._compared(near, vectors)
        best = np.argsort(-cosines, kind="stable")[:count]
        return [(ids[place], float(cosines[place])) for place in best.tolist()]

    def _passing(self, where: Filter) -> Ints:
        given = parameters(where)
        if where.user_id and not self._scans.has_others_chats(where.user_id):
            given["user_id"] = None  # all chats are the user's own
        if not any(given.get(name) for name in queries.PASSES):
            return self._hidden
        return self._scans.columns(PASSING, given | self._scans.among(self._hidden))["number"].astype(np.int64)

    def _outlines_of(self, numbers: Ints) -> Outlines:
        if self._entries:
            words, places = self._entries.sketches, np.arange(len(self._entries.head))
            is_message = self._entries.is_message[numbers]
            return Outlines(words, places, numbers[is_message], numbers[~is_message])
        columns = self._scans.columns(SKETCHES, self._scans.among(numbers))
        is_message = columns["is_message"].astype(np.bool_)
        return Outlines(columns, columns["number"], np.flatnonzero(is_message), np.flatnonzero(~is_message))

    def _compared(self, numbers: Ints, vectors: Vectors) -> tuple[list[str], Floats]:
        """The ids of the memories with these entries, and the cosine of each one's nearest entry."""
        if not self._entries:
            spoken, asked = (str(vector.tolist()) for vector in vectors)
            columns = self._scans.columns(COSINES, self._scans.among(numbers) | {"spoken": spoken, "asked": asked})
            return columns["id"].tolist(), self._scans.scaled(columns["cosine"])
        heads, places = np.unique(self._entries.head[numbers], return_inverse=True)
        vector_of = np.where(self._entries.is_message[numbers], 0, 1)
        best = np.full(len(heads), -np.inf)
        np.maximum.at(best, places, np.vecdot(self._entries.vectors[numbers], vectors[vector_of]))
        return self._entries.ids_of(heads), self._scans.scaled(best)
