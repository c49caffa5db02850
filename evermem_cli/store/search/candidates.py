"""Candidates for a question: by keyword from the index, by meaning from the vectors, with surrounding messages."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from evermem_cli.engines import Vectors
from evermem_cli.memory import Evidence, Filter, Kind, Message, wall
from evermem_cli.memory.pool import Floats, Ints, Pool, Views, inverse_document_frequency, unseen
from evermem_cli.store.index.postings import numbered_stems
from evermem_cli.store.index.sketches import NEAREST, Outlines, among, nearest
from evermem_cli.store.read.entities import EntityReader
from evermem_cli.store.read.overview import OverviewReader
from evermem_cli.store.read.phrases import PhraseReader
from evermem_cli.store.read.records import RecordReader
from evermem_cli.store.read.stored_chat import Known
from evermem_cli.store.schema.rows import utc
from evermem_cli.store.search import queries
from evermem_cli.store.write.digests import DigestReader
from evermem_cli.store.write.repair import RepairReader

EPOCH = datetime.min.replace(tzinfo=UTC)
APART = 1000  # distance between the places of rows that are not neighbours
PARAMETER = re.compile(r"\$(\w+)")
Columns = dict[str, NDArray[Any]]


class Searcher(EntityReader, RecordReader, DigestReader, PhraseReader, OverviewReader, RepairReader, Known):
    """A read transaction that can also search for candidates."""

    def speakers(self) -> list[str]:
        """Everyone who has said something, by name."""
        return [row["speaker"] for row in self._rows("select distinct speaker from messages order by speaker")]

    def called(self, user_id: str | None) -> dict[str, frozenset[str]]:
        """Everybody who speaks, merged people together: all their names by each name."""
        names = {name: frozenset({name}) for name in self.speakers()}
        merged = self.merged(user_id) if user_id else {}
        if user_id is None or not merged:
            return names
        ids = self.speaker_ids(user_id)
        spoken = {person: frozenset(name for name in ids if ids[name] == person) for person in ids.values()}
        return names | {name: spoken[person] for name, person in (ids | merged).items() if person in spoken}

    def names_of(self, user_id: str) -> list[str]:
        """The names under which a user speaks, the most frequent first."""
        return [row["speaker"] for row in self._rows(queries.NAMES, people=self.names_of_one(user_id, user_id))]

    def pool(
        self,
        words: Sequence[tuple[str, ...]],
        embedded: Callable[[], Vectors],
        where: Filter,
        limit: int,
        reach: int,
    ) -> Pool:
        """The best `limit` messages by keyword and as many by meaning, and messages up to `reach` places around them.

        Of derived memories a third as many, or as many where no messages are wanted. `words` are looked up in the
        index, each in all of its forms. `embedded` returns two unit vectors, shape (2, dimension), when called:
        messages are compared with the first, derived memories with the second.
        """
        terms, idf, mean_length = self._match(words)
        drawn = limit if where.kinds and Kind.MESSAGE not in where.kinds else limit // 3
        given = self._filter(where) | {"limit": limit, "drawn": drawn, "reach": reach, "mean": mean_length}
        outlines = self._outlines(given)
        spoken, asked = vectors = embedded()
        given |= {"vectors": vectors, "spoken": str(spoken.tolist()), "asked": str(asked.tolist())}
        closer = max(NEAREST, 4 * limit)
        near = nearest(outlines, (spoken, closer), (asked, closer * drawn // limit))
        rows = self._rows_around(np.union1d(self._by_words(terms, idf, given), self._by_meaning(near, given)), given)
        return Pool(
            head=rows["head"].astype(np.int64),
            place=_places(rows["conversation_id"], rows["ordinal"]),
            drawn=rows["ordinal"].astype(np.int64) == 0,
            opens=rows["ordinal"].astype(np.int64) == 1,
            said_at=rows["local_time"].astype("datetime64[s]"),
            speaker=rows["speaker"].astype(np.str_),
            text=rows["text"].tolist(),
            length=rows["length"].astype(np.float64),
            mean_length=mean_length,
            counts=self._counts(rows["head"].astype(np.int64), terms),
            idf=idf,
            cosine=self._scaled(rows["cosine"]),
            wanted=rows["wanted"].astype(np.bool_),
            strength=rows["remaining"].astype(np.float64),
            archived=self._count_archived(given),
            views=partial(self._views, rows["head"].astype(np.int64), given),
        )

    def evidence_of(self, message_ids: Iterable[str]) -> list[Evidence]:
        """Messages as results without a score, in the order of the file."""
        self._wanted(message_ids)
        query = """
            select number from documents where number = head and memory_id in (select id from wanted) order by number"""
        return self.evidence([(row["number"], 0.0) for row in self._rows(query)])

    def evidence(self, ranked: Sequence[tuple[int, float]]) -> list[Evidence]:
        """The memories behind (head, score) pairs, in the order given, each with its messages.

        The caller marks them as hits.
        """
        rows = {row["number"]: row for row in self._found(np.array([head for head, _ in ranked], dtype=np.int64))}
        cited = self._sources([row["memory_id"] for row in rows.values()])
        messages = self.messages(
            {row["memory_id"] for row in rows.values() if row["kind"] == Kind.MESSAGE}
            | {message for ids in cited.values() for message in ids}
        )
        return [
            _evidence(rows[head], score, [messages[m] for m in cited.get(rows[head]["memory_id"], [])], messages)
            for head, score in ranked
        ]

    def _found(self, heads: Ints) -> list[dict[str, Any]]:
        """What results show of these memories."""
        self._look(queries.SHOWN, self._among(heads))
        return self._rows(queries.FOUND)

    def _match(self, words: Sequence[tuple[str, ...]]) -> tuple[Ints, Floats, float]:
        """Notes which memories contain the words; returns the known words' numbers and weights, and the mean length."""
        numbers = numbered_stems(self._connection, words)
        self._connection.execute(queries.ASKED, {"stems": list(numbers), "termids": list(numbers.values())})
        self._look(queries.MATCH, {})
        known = self._columns(queries.KNOWN_TERMS, {})
        memories, mean_length = self._connection.execute(queries.INDEX_SIZE).fetchall()[0]
        idf = inverse_document_frequency(known["containing"].astype(np.int64), memories)
        return known["termid"].astype(np.int64), idf, float(mean_length)

    def _by_words(self, terms: Ints, idf: Floats, given: dict[str, Any]) -> Ints:
        if not len(terms):
            return np.zeros(0, dtype=np.int64)
        self._connection.register("weights", {"termid": terms, "idf": idf})
        return self._columns(queries.BY_WORDS, given)["head"]

    def _outlines(self, given: dict[str, Any]) -> Outlines:
        """The sketches of all entries that may be found, which are neither archived nor replaced by a digest."""
        self._look(queries.HIDDEN, given)
        columns = self._columns(queries.SKETCHES, given)
        is_message = columns["is_message"].astype(np.bool_)
        return Outlines(columns, columns["number"], np.flatnonzero(is_message), np.flatnonzero(~is_message))

    def _by_meaning(self, near: Ints, given: dict[str, Any]) -> Ints:
        """The heads of the memories whose vectors are nearest, among those with these entries."""
        return self._columns(queries.BY_MEANING, given | self._among(near))["head"]

    def _rows_around(self, hits: Ints, given: dict[str, Any]) -> Columns:
        """The hits and the messages around them, by conversation, ordinal and head."""
        self._look(queries.AT_HAND, self._among(hits))
        self._look(queries.AROUND, given)
        self._look(queries.LOOKED_AT, given | self._among(self._columns(queries.SURROUND, {})["number"]))
        return self._columns(queries.POOL, {})

    def _count_archived(self, given: dict[str, Any]) -> int:
        """How many memories are left out because they are archived."""
        return int(self._columns(queries.ARCHIVED, given)["n"][0])

    def _counts(self, head: Ints, terms: Ints) -> Floats:
        """How often each row has each term, shape (rows, terms)."""
        matched = self._columns(queries.COUNTS, self._among(head))
        order = np.argsort(head)
        counts = np.zeros((len(head), len(terms)))
        rows = order[np.searchsorted(head, matched["head"].astype(np.int64), sorter=order)]
        counts[rows, np.searchsorted(terms, matched["termid"].astype(np.int64))] = matched["n"]
        return counts

    def _views(self, head: Ints, given: dict[str, Any], rows: Ints) -> Views:
        """The cosines of memories derived from the messages among these rows."""
        self._look(queries.MADE, self._among(head[rows]))
        numbers = self._among(self._columns(queries.MADE_OF, {})["number"])
        made = self._columns(queries.VIEWS, given | numbers)
        place = {number: row for row, number in enumerate(head[rows].tolist())}
        views = unseen(rows)
        cosines = self._scaled(made["cosine"])
        for number, is_episode, cosine in zip(made["head"], made["is_episode"], cosines, strict=True):
            (views.episode if is_episode else views.fact)[place[number]] = cosine
        return views

    def _filter(self, where: Filter) -> dict[str, Any]:
        """The parameters of a filter; stores the strengths that accesses have given memories."""
        clock = max(datetime.now(UTC), where.as_of or EPOCH)  # the past is viewed as it was, without later accesses
        self.note_lively(clock)
        fading = replace(self.fading, archive_below=0.0) if where.archived else self.fading
        aged = {"decay": fading.decay, "below": fading.archive_below, "clock": utc(clock)}
        if where.user_id and not self._has_others_chats(where.user_id):
            where = replace(where, user_id=None)  # all chats are the user's own
        return parameters(where) | aged | {"oldest": utc(fading.oldest(clock))}

    def _has_others_chats(self, user_id: str) -> bool:
        return bool(self._columns(queries.OTHERS_CHATS, {"user_id": user_id})["n"][0])

    def _among(self, numbers: NDArray[Any]) -> dict[str, bytes]:
        """The parameter that selects the entries of these numbers."""
        return {"numbers": among(numbers, self._last_number)}

    @cached_property
    def _last_number(self) -> int:
        """The number of the last entry, hidden or not, so that bits can be combined with those of `withheld.py`."""
        return int(self._columns("select coalesce(max(number), 0) as last from evermem.main.documents", {})["last"][0])

    def _columns(self, query: str, given: dict[str, Any]) -> Columns:
        columns = self._look(query, given).fetchnumpy()
        return {name: np.asarray(values) for name, values in columns.items()}

    def _look(self, query: str, given: dict[str, Any]) -> duckdb.DuckDBPyConnection:
        """Runs a query with vectors of this file's length, and with the conditions and parameters that it uses.

        A type cannot be a parameter, and DuckDB rejects parameters that a query does not use.
        """
        asked = query.replace(
            "$passes", " and ".join(queries.PASSES[name] for name in queries.PASSES if given.get(name)) or "true"
        )
        sized = asked.replace("float[384]", f"float[{self._dimension}]")
        return self._connection.execute(sized, {name: given[name] for name in PARAMETER.findall(sized)})

    def _scaled(self, cosines: NDArray[Any]) -> Floats:
        """Cosines as the default embedder's, on which the weights of the ranking were learned."""
        scaled: Floats = self.scale.slope * cosines.astype(np.float64) + self.scale.shift
        return scaled

    @cached_property
    def _dimension(self) -> int:
        return int(self._meta("dimension"))


def _places(conversation: NDArray[Any], ordinal: NDArray[Any]) -> Ints:
    """The places of rows sorted by conversation and ordinal: one apart for neighbours, else far apart.

    Rows with ordinal 0 are derived from messages and have no neighbours.
    """
    ordinals = ordinal.astype(np.int64)
    same = (conversation[1:] == conversation[:-1]) & (ordinals[1:] > 0) & (ordinals[:-1] > 0)
    steps = np.where(same & (np.diff(ordinals) == 1), 1, APART)
    return np.concatenate([[0], np.cumsum(steps)]) if len(ordinals) else np.zeros(0, dtype=np.int64)


def parameters(where: Filter) -> dict[str, Any]:
    """The parameters of a filter's conditions; see `queries.PASSES`."""
    return {
        "user_id": where.user_id,
        "people": [name.lower() for name in where.people],
        "kinds": [kind.value for kind in where.kinds],
        "since": utc(where.since),
        "until": utc(where.until),
        "known_at": utc(where.known_at),
        "as_of": utc(where.as_of),
        "wall": where.as_of and wall(where.as_of),
        "ended": where.ended,
    }


def _evidence(row: dict[str, Any], score: float, sources: list[Message], messages: dict[str, Message]) -> Evidence:
    kind = Kind(row["kind"])
    return Evidence(
        id=row["memory_id"],
        kind=kind,
        text=row["text"],
        score=score,
        speaker=row["speaker"],
        said_at=row["said_at"],
        valid_at=row["valid_at"],
        invalid_at=row["invalid_at"],
        conversation=row["title"] or row["key"],
        scene=row["scene_id"],
        messages=(messages[row["memory_id"]],) if kind is Kind.MESSAGE else tuple(sources),
    )
