"""A search among the entries in the file, by scans of its tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from evermem_cli.memory import Message
from evermem_cli.memory.pool import Floats, Ints, Views, inverse_document_frequency, unseen
from evermem_cli.store.index.postings import numbered_stems
from evermem_cli.store.index.sketches import Outlines
from evermem_cli.store.lifecycle.strength import StrengthReader
from evermem_cli.store.schema.rows import Row
from evermem_cli.store.search import queries
from evermem_cli.store.search.scans import Columns, Scans


@dataclass(frozen=True, slots=True)
class EntriesInFile:
    """The entries of a file that the asker may see, for one search after another.

    The steps of a search are called in the order in which they are written here, since each leaves temporary tables
    for those after it.
    """

    scans: Scans
    strengths: StrengthReader

    def note_strengths(self, clock: datetime) -> None:
        """Stores the strengths that accesses have given memories by `clock`."""
        self.strengths.note_lively(clock)

    def match(self, words: Sequence[tuple[str, ...]]) -> tuple[Ints, Floats, float]:
        """Notes which memories contain the words; returns the known words' numbers and weights, and the mean length."""
        numbers = numbered_stems(self.scans.sql.connection, words)
        self.scans.sql.connection.execute(queries.ASKED, {"stems": list(numbers), "termids": list(numbers.values())})
        self.scans.look(queries.MATCH, {})
        known = self.scans.columns(queries.KNOWN_TERMS, {})
        memories, mean_length = self.scans.sql.connection.execute(queries.INDEX_SIZE).fetchall()[0]
        idf = inverse_document_frequency(known["containing"].astype(np.int64), memories)
        return known["termid"].astype(np.int64), idf, float(mean_length)

    def outlines(self, given: dict[str, Any]) -> Outlines:
        """The sketches of all entries that may be found, which are neither archived nor replaced by a digest."""
        self.scans.look(queries.HIDDEN, given)
        columns = self.scans.columns(queries.SKETCHES, given)
        is_message = columns["is_message"].astype(np.bool_)
        return Outlines(columns, columns["number"], np.flatnonzero(is_message), np.flatnonzero(~is_message))

    def by_words(self, terms: Ints, idf: Floats, given: dict[str, Any]) -> Ints:
        """The heads of the best memories by keyword."""
        if not len(terms):
            return np.zeros(0, dtype=np.int64)
        self.scans.sql.connection.register("weights", {"termid": terms, "idf": idf})
        return self.scans.columns(queries.BY_WORDS, given)["head"]

    def by_meaning(self, near: Ints, given: dict[str, Any]) -> Ints:
        """The heads of the memories whose vectors are nearest, among those with these entries."""
        return self.scans.columns(queries.BY_MEANING, given | self.scans.among(near))["head"]

    def rows_around(self, hits: Ints, given: dict[str, Any]) -> Columns:
        """The hits and the messages around them, by conversation, ordinal and head."""
        self.scans.look(queries.AT_HAND, self.scans.among(hits))
        self.scans.look(queries.AROUND, given)
        self.scans.look(queries.LOOKED_AT, given | self.scans.among(self.scans.columns(queries.SURROUND, {})["number"]))
        return self.scans.columns(queries.POOL, {})

    def count_archived(self, given: dict[str, Any]) -> int:
        """How many memories are left out because they are archived."""
        return int(self.scans.columns(queries.ARCHIVED, given)["n"][0])

    def counts(self, head: Ints, terms: Ints) -> Floats:
        """How often each row has each term, shape (rows, terms)."""
        matched = self.scans.columns(queries.COUNTS, self.scans.among(head))
        order = np.argsort(head)
        counts = np.zeros((len(head), len(terms)))
        rows = order[np.searchsorted(head, matched["head"].astype(np.int64), sorter=order)]
        counts[rows, np.searchsorted(terms, matched["termid"].astype(np.int64))] = matched["n"]
        return counts

    def views(self, head: Ints, given: dict[str, Any], rows: Ints) -> Views:
        """The cosines of memories derived from the messages among these rows."""
        self.scans.look(queries.MADE, self.scans.among(head[rows]))
        numbers = self.scans.among(self.scans.columns(queries.MADE_OF, {})["number"])
        made = self.scans.columns(queries.VIEWS, given | numbers)
        place = {number: row for row, number in enumerate(head[rows].tolist())}
        views = unseen(rows)
        cosines = self.scans.scaled(made["cosine"])
        for number, is_episode, cosine in zip(made["head"], made["is_episode"], cosines, strict=True):
            (views.episode if is_episode else views.fact)[place[number]] = cosine
        return views

    def shown(self, heads: Ints) -> tuple[Sequence[Row], dict[str, Message]]:
        """What results show of these memories, and the messages among them as far as they were read for that."""
        self.scans.look(queries.SHOWN, self.scans.among(heads))
        return self.scans.sql.rows(queries.FOUND), {}
