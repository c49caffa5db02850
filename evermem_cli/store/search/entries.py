"""The search entries of a file in memory, so that a server's searches scan no table.

The views of `withheld.py` alone decide what an asker may see. `EntriesInMemory` has the columns of all entries,
`VisibleEntries` the numbers of those that are in the asker's views. Searches reach entries through the latter only.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from evermem_cli.engines import Vectors
from evermem_cli.memory import Kind
from evermem_cli.memory.pool import Ints
from evermem_cli.store.index.sketches import COLUMNS
from evermem_cli.store.search import queries

Bools = NDArray[np.bool_]

BATCH = 20_000  # entries whose vectors are read together
MOST_BYTES = 512_000_000  # of vectors: 330,000 entries of 384 dimensions; larger memories are searched in the file


@dataclass(frozen=True, slots=True)
class Groups:
    """Numbers in groups, as one column and where each group begins in it."""

    starts: Ints
    members: Ints

    @classmethod
    def of(cls, keys: Ints, members: Ints, size: int) -> "Groups":
        """The members by their keys, which lie from 0 to `size` - 1; in each group in the order given."""
        order = np.argsort(keys, kind="stable")
        return cls(np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=size))]), members[order])

    def of_all(self, keys: Ints) -> tuple[Ints, Ints]:
        """The members of these groups, and for each the place of its group among the keys."""
        counts = self.starts[keys + 1] - self.starts[keys]
        places = np.repeat(np.arange(len(keys)), counts)
        within = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.members[self.starts[keys][places] + within], places


@dataclass(frozen=True, slots=True, kw_only=True)
class EntriesInMemory:
    """The columns of all entries, one place for each number from 0 on, and the keyword index.

    What belongs to a memory (conversation, ordinal, local time, speaker, text, id) stands at its head. `made` has the
    heads of the facts, foresights and episodes derived from each message, `cited` those of the messages that each
    memory was derived from, in order, 0 for one without an entry. `ids` are sorted; `named` has the head of each, and
    `places` the place of each head's id. `terms` are sorted; the heads of term n and how often each has the word are
    `heads` and `times` from `starts[n]` to `starts[n + 1]`.
    """

    head: Ints
    is_message: Bools
    is_episode: Bools
    is_digest: Bools
    length: NDArray[np.float64]
    created_at: NDArray[np.datetime64]
    sketches: dict[str, NDArray[np.uint64]]
    vectors: Vectors
    conversation: Ints
    ordinal: Ints
    local_time: NDArray[np.datetime64]
    speaker: NDArray[np.str_]
    text: NDArray[np.object_]
    ids: NDArray[np.bytes_]
    named: Ints
    places: Ints
    made: Groups
    cited: Groups
    terms: NDArray[np.uint64]
    starts: Ints
    heads: NDArray[np.int32]
    times: NDArray[np.int32]

    def ids_of(self, heads: Ints) -> list[str]:
        """The ids of the memories at these heads."""
        return [name.decode() for name in self.ids[self.places[heads]].tolist()]

    def heads_of(self, ids: NDArray[np.object_]) -> Ints:
        """The head of each memory that has an entry, 0 for others."""
        if not len(self.ids):
            return np.zeros(len(ids), dtype=np.int64)
        asked = _encoded(ids)
        places = np.minimum(np.searchsorted(self.ids, asked), len(self.ids) - 1)
        return np.where(self.ids[places] == asked, self.named[places], 0)

    def containing(self, term: int) -> slice:
        """Where the postings of a term stand."""
        place = int(np.searchsorted(self.terms, np.uint64(term)))
        if place == len(self.terms) or int(self.terms[place]) != term:
            return slice(0, 0)
        return slice(int(self.starts[place]), int(self.starts[place + 1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleEntries:
    """What one asker may see of the entries.

    `is_visible` says by number whether the asker sees the entry, and `has_text` by head whether the asker sees the
    memory. `pieces` are the numbers of each memory's entries by head. `order` has the heads of messages by conversation
    and ordinal, and `position` the place of each head in it. `passing` has the entries that pass the latest filters,
    and `known` the answers to earlier questions to the file.
    """

    all: EntriesInMemory
    is_visible: Bools
    has_text: Bools
    pieces: Groups
    order: Ints
    position: Ints
    memories: int
    mean_length: float
    has_digests: bool
    oldest: datetime
    passing: dict[str, Bools] = field(default_factory=dict)
    known: dict[Hashable, Any] = field(default_factory=dict)

    def sources_of(self, ids: Sequence[str]) -> dict[str, list[str]] | None:
        """The messages that each memory was derived from, in order; None if one of all these has no entry."""
        heads = self.all.heads_of(np.array(ids, dtype=object))
        messages, places = self.all.cited.of_all(heads)
        if not (heads.all() and messages.all()):
            return None
        is_seen = self.is_visible[messages] & self.is_visible[heads[places]]
        sources: dict[str, list[str]] = {}
        for place, message_id in zip(places[is_seen].tolist(), self.all.ids_of(messages[is_seen]), strict=True):
            sources.setdefault(ids[place], []).append(message_id)
        return sources


def fits(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether the entries are few enough to be in memory."""
    [(last, dimension)] = connection.execute("""
        select coalesce(max(number), 0), (select value::bigint from meta where key = 'dimension')
        from evermem.main.documents""").fetchall()
    return bool(4 * last * dimension <= MOST_BYTES)


def load(owner: duckdb.DuckDBPyConnection) -> EntriesInMemory:
    """Reads the entries in the owner's transaction."""
    columns = owner.execute(queries.ENTRIES).fetchnumpy()
    number = np.asarray(columns["number"], dtype=np.int64)
    size = int(number.max(initial=0)) + 1
    dimension = int(owner.execute("select value from meta where key = 'dimension'").fetchall()[0][0])
    texts_of_heads = owner.execute(queries.TEXTS_OF_HEADS).fetchnumpy()
    head = np.asarray(texts_of_heads["number"], dtype=np.int64)
    conversation, texts = (
        np.asarray(texts_of_heads["conversation_id"], dtype=object),
        np.asarray(texts_of_heads["text"], dtype=object),
    )
    ids = _encoded(np.asarray(texts_of_heads["memory_id"]))
    order = np.argsort(ids)
    kind = np.asarray(columns["kind"]).astype(np.str_)
    derived = owner.execute(queries.DERIVED_MEMORIES).fetchnumpy()
    message, made = np.asarray(derived["message"], dtype=np.int64), np.asarray(derived["made"], dtype=np.int64)
    views = np.flatnonzero(derived["is_view"] & (message > 0))
    terms, starts, heads, times = _postings(owner)
    return EntriesInMemory(
        head=_by_number(size, number, np.asarray(columns["head"], dtype=np.int64)),
        is_message=_by_number(size, number, kind == Kind.MESSAGE.value),
        is_episode=_by_number(size, number, kind == Kind.EPISODE.value),
        is_digest=_by_number(size, number, kind == Kind.DIGEST.value),
        length=_by_number(size, number, np.asarray(columns["length"], dtype=np.float64)),
        created_at=_by_number(size, number, np.asarray(columns["created_at"]).astype("datetime64[us]")),
        sketches={name: _by_number(size, number, columns[name]) for name in COLUMNS},
        vectors=_vectors(owner, size, dimension),
        conversation=_by_number(size, head, np.unique(conversation.astype(np.str_), return_inverse=True)[1]),
        ordinal=_by_number(size, head, np.asarray(texts_of_heads["ordinal"], dtype=np.int64)),
        local_time=_by_number(size, head, np.asarray(texts_of_heads["local_time"]).astype("datetime64[s]")),
        speaker=_by_number(size, head, np.asarray(texts_of_heads["speaker"]).astype(np.str_)),
        text=_by_number(size, head, texts),
        ids=ids[order],
        named=head[order],
        places=_by_number(size, head[order], np.arange(len(order))),
        made=Groups.of(message[views], made[views], size),
        cited=Groups.of(made, message, size),
        terms=terms,
        starts=starts,
        heads=heads,
        times=times,
    )


def visible_to(connection: duckdb.DuckDBPyConnection, entries: EntriesInMemory) -> VisibleEntries:
    """Reads which of the entries an asker may see, in the asker's transaction."""
    size = len(entries.head)
    is_visible, has_text = np.zeros(size, dtype=np.bool_), np.zeros(size, dtype=np.bool_)
    numbers = connection.execute("select number from documents").fetchnumpy()["number"]
    is_visible[np.asarray(numbers, dtype=np.int64)] = True
    has_text[np.asarray(connection.execute(queries.HEADS_WITH_TEXTS).fetchnumpy()["number"], dtype=np.int64)] = True
    seen = np.flatnonzero(is_visible)
    messages = np.flatnonzero(has_text & entries.is_message)
    order = messages[np.lexsort((messages, entries.ordinal[messages], entries.conversation[messages]))]
    position = np.zeros(size, dtype=np.int64)
    position[order] = np.arange(len(order))
    heads = seen[entries.head[seen] == seen]
    return VisibleEntries(
        all=entries,
        is_visible=is_visible,
        has_text=has_text,
        pieces=Groups.of(entries.head[seen], seen, size),
        order=order,
        position=position,
        memories=len(heads),
        has_digests=bool(entries.is_digest[seen].any()),
        oldest=min(entries.created_at[seen].tolist(), default=datetime.max),
        mean_length=max(float(entries.length[heads].sum()), 1) / max(len(heads), 1),
    )


def _encoded(ids: NDArray[np.object_]) -> NDArray[np.bytes_]:
    return np.char.encode(ids.astype(np.str_), "utf-8")


def _by_number(size: int, number: Ints, values: NDArray[Any]) -> NDArray[Any]:
    placed = np.zeros((size, *values.shape[1:]), dtype=values.dtype)
    placed[number] = values
    return placed


def _vectors(owner: duckdb.DuckDBPyConnection, size: int, dimension: int) -> Vectors:
    vectors = np.zeros((size, dimension), dtype=np.float32)
    for batch in _batches(owner, size):
        if len(batch["number"]):
            vectors[batch["number"]] = np.stack([*batch["embedding"]])
    return vectors


def _batches(owner: duckdb.DuckDBPyConnection, size: int) -> Iterator[dict[str, NDArray[Any]]]:
    query = "select number, embedding from documents where number > $after and number <= $last"
    for after in range(0, size, BATCH):
        yield owner.execute(query, {"after": after, "last": after + BATCH}).fetchnumpy()


def _postings(
    owner: duckdb.DuckDBPyConnection,
) -> tuple[NDArray[np.uint64], Ints, NDArray[np.int32], NDArray[np.int32]]:
    columns = owner.execute("select term, head::integer as head, times from postings order by term").fetchnumpy()
    terms, starts = np.unique(np.asarray(columns["term"], dtype=np.uint64), return_index=True)
    ends = np.append(starts, len(columns["term"]))
    return terms, ends, np.asarray(columns["head"], np.int32), np.asarray(columns["times"], np.int32)
