"""A search among entries in memory: what `candidates.py` finds, without a scan of the file."""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import duckdb
import numpy as np
from numpy.typing import NDArray

from evermem_cli.memory import Kind, Message
from evermem_cli.memory.pool import Floats, Ints, Views, inverse_document_frequency, unseen
from evermem_cli.memory.strength import GREATEST_STRENGTH, NEW
from evermem_cli.store.index.postings import numbered_stems
from evermem_cli.store.index.sketches import Outlines
from evermem_cli.store.lifecycle.strength import GAIN, RAISED
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.rows import utc
from evermem_cli.store.search import queries
from evermem_cli.store.search.candidates import Columns, Searcher
from evermem_cli.store.search.entries import Bools, VisibleEntries

MOST_LOOKED_UP = 200  # ids; for more DuckDB scans the table
MOST_FILTERS = 8  # kept with the entries that pass them
NO_TIME = np.timedelta64(0, "us")
WEEK = np.timedelta64(7 * 86_400_000_000, "us")
Value = TypeVar("Value")


class InMemorySearcher(Searcher):
    """A read transaction that searches the entries of the file as it is now."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, visible: VisibleEntries) -> None:
        super().__init__(connection)
        self._visible, self._entries = visible, visible.all
        self._matches: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = []
        self._wanted_now: Bools = visible.is_visible
        self._read: dict[str, dict[str, Any]] = {}
        self._archived = 0
        self._gained, self._whole = np.zeros(len(visible.is_visible)), np.zeros(len(visible.is_visible), dtype=np.bool_)

    def speakers(self) -> list[str]:
        return self._once("speakers", super().speakers)

    def called(self, user_id: str | None) -> dict[str, frozenset[str]]:
        return self._once(("called", user_id), lambda: super(InMemorySearcher, self).called(user_id))

    def names_of(self, user_id: str) -> list[str]:
        return self._once(("names_of", user_id), lambda: super(InMemorySearcher, self).names_of(user_id))

    def messages(self, ids: Iterable[str]) -> dict[str, Message]:
        wanted = {*ids}
        if len(wanted) > MOST_LOOKED_UP:
            return super().messages(wanted)
        read = {name: self._read[name] for name in wanted & self._read.keys()}
        read |= self._looked_up(queries.TEXTS_OF[Kind.MESSAGE], wanted - read.keys())
        return {name: rows.message(row) for name, row in read.items()}

    def _meta(self, key: str, default: str | None = None) -> str:
        return self._once(("meta", key), lambda: super(InMemorySearcher, self)._meta(key, default))

    def _has_others_chats(self, user_id: str) -> bool:
        return self._once(("others", user_id), lambda: super(InMemorySearcher, self)._has_others_chats(user_id))

    @property
    def _last_number(self) -> int:
        return len(self._entries.head) - 1

    def _once(self, asked: Hashable, ask: Callable[[], Value]) -> Value:
        """What the file tells, which stays as it is for as long as its entries are in memory."""
        known = self._visible.known
        if asked not in known:
            known[asked] = ask()
        value: Value = known[asked]
        return value

    def _found(self, heads: Ints) -> list[dict[str, Any]]:
        entries = self._rows(queries.ENTRIES_OF, **self._among(heads))
        texts: dict[str, dict[str, Any]] = {}
        for kind, query in queries.TEXTS_OF.items():
            texts |= self._looked_up(query, [row["memory_id"] for row in entries if row["kind"] == kind])
        self._read = {name: row for name, row in texts.items() if "role" in row}
        chats = self._once("chats", lambda: self._by_id(queries.CHATS))
        scenes = self._once("scenes", lambda: self._by_id(queries.SCENES))
        return [
            row
            | {"title": chats[row["conversation_id"]]["title"], "key": chats[row["conversation_id"]]["key"]}
            | {"scene_id": scenes.get(text["memcell_id"], {}).get("scene_id")}
            | {"text": text["text"], "speaker": text["speaker"]}
            for row in entries
            for text in [texts[row["memory_id"]]]
        ]

    def _looked_up(self, query: str, ids: Collection[str]) -> dict[str, dict[str, Any]]:
        """The rows with these ids by id. DuckDB looks a few parameters up in an index."""
        given = {f"id_{place}": memory_id for place, memory_id in enumerate(ids)}
        named = ", ".join(f"${name}" for name in given)
        return self._by_id(f"{query} where id in ({named})", **given) if given else {}

    def _by_id(self, query: str, **given: object) -> dict[str, dict[str, Any]]:
        return {row["id"]: row for row in self._rows(query, **given)}

    def _sources(self, memory_ids: Iterable[str]) -> dict[str, list[str]]:
        ids = [*memory_ids]
        heads = self._entries.heads_of(np.array(ids, dtype=object))
        messages, places = self._entries.cited.of_all(heads)
        if not (heads.all() and messages.all()):
            return super()._sources(ids)
        is_seen = self._visible.is_visible[messages] & self._visible.is_visible[heads[places]]
        cited: dict[str, list[str]] = {}
        for place, message_id in zip(places[is_seen].tolist(), self._entries.ids_of(messages[is_seen]), strict=True):
            cited.setdefault(ids[place], []).append(message_id)
        return cited

    def _match(self, words: Sequence[tuple[str, ...]]) -> tuple[Ints, Floats, float]:
        numbers = numbered_stems(self._connection, words)
        terms = self._columns(queries.TERMS, {"stems": list(numbers)})["term"].tolist()
        by_word: dict[int, list[int]] = {}
        for term, word in zip(terms, numbers.values(), strict=True):
            by_word.setdefault(word, []).append(term)
        matches = {word: self._containing(by_word[word]) for word in sorted(by_word)}
        known = [word for word in matches if len(matches[word][0])]
        self._matches = [matches[word] for word in known]
        containing = np.array([len(heads) for heads, _ in self._matches], dtype=np.int64)
        idf = inverse_document_frequency(containing, self._visible.memories)
        return np.array(known, dtype=np.int64), idf, self._visible.mean_length

    def _containing(self, terms: Iterable[int]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The heads of the memories that have any of these terms, and how often each has them."""
        entries, parts = self._entries, [self._entries.containing(term) for term in set(terms)]
        heads = np.concatenate([entries.heads[part] for part in parts])
        times = np.concatenate([entries.times[part] for part in parts])
        is_seen = self._visible.is_visible[heads]
        heads, times = heads[is_seen], times[is_seen]
        if len([part for part in parts if part.stop > part.start]) > 1:
            heads, places = np.unique(heads, return_inverse=True)
            times = np.bincount(places, times).astype(np.int32)
        return heads, times

    def note_lively(self, clock: datetime) -> None:
        """Works out what accesses and confirmations have left, by head, as `lively` has it."""
        raised = self._once("raised", self._raised)
        now: Any = np.datetime64(utc(clock), "us")
        late, said = raised["since"] > now, raised["said_at"]
        since = np.where(late & ~np.isnat(said), said, raised["since"])
        is_said = np.isnat(said) | (said <= now)
        parts = self._faded(raised["part"], now - since) * is_said
        noted = self._faded(np.float64(GAIN), now - np.array([at for _, at in self.journal], dtype="datetime64[us]"))
        heads = self._entries.heads_of(np.array([memory_id for memory_id, _ in self.journal], dtype=object))
        size = len(self._visible.is_visible)
        gained = np.bincount(raised["head"], parts, size) + np.bincount(heads, noted, size)
        self._gained = np.minimum(gained, GREATEST_STRENGTH)
        self._whole = np.bincount(raised["head"][raised["whole"]], minlength=size) > 0
        self._gained[0], self._whole[0] = 0, False  # what has no entry

    def _faded(self, parts: NDArray[np.float64] | np.float64, age: NDArray[np.timedelta64]) -> Floats:
        """What is left of strengths of this age."""
        return np.asarray(parts * self.fading.decay ** (np.maximum(age, NO_TIME) / WEEK))

    def _raised(self) -> Columns:
        columns = self._columns(RAISED, {})
        known: Columns = {"head": self._entries.heads_of(columns["id"]), "whole": columns["whole"].astype(np.bool_)}
        times = {name: np.asarray(columns[name]).astype("datetime64[us]") for name in ("since", "said_at")}
        return known | times | {"part": columns["part"].astype(np.float64)}

    def _outlines(self, given: dict[str, Any]) -> Outlines:
        passing, entries = self._passing(given), self._entries
        numbers, archived = self._hidden(given)
        self._archived = len(np.unique(entries.head[numbers[archived & passing[numbers]]]))
        self._wanted_now = passing.copy()
        self._wanted_now[numbers] = False
        messages = np.flatnonzero(self._wanted_now & entries.is_message)
        others = np.flatnonzero(self._wanted_now & ~entries.is_message)
        return Outlines(entries.sketches, np.arange(len(passing)), messages, others)

    def _hidden(self, given: dict[str, Any]) -> tuple[Ints, Bools]:
        """The entries that pass but are hidden, and which of them are archived."""
        is_faded = self._whole & (self._gained < given["below"])
        if not self._visible.has_digests and self._visible.oldest >= given["oldest"] and not is_faded.any():
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_)
        super().note_lively(given["clock"].replace(tzinfo=UTC))
        self._look(queries.HIDDEN, given)
        hidden = self._columns(queries.HIDDEN_NOW, {})
        return hidden["number"].astype(np.int64), hidden["archived"].astype(np.bool_)

    def _passing(self, given: dict[str, Any]) -> Bools:
        """The entries that pass the filter. They are kept for the next search with it."""
        asked = {name: given[name] for name in (*queries.PASSES, "wall", "ended") if given.get(name)}
        kept = self._visible.passing
        if str(asked) not in kept:
            passing = np.zeros_like(self._visible.is_visible)
            passing[self._columns(queries.PASSING, given)["number"].astype(np.int64)] = True
            while len(kept) >= MOST_FILTERS:
                kept.pop(next(iter(kept)))
            kept[str(asked)] = passing
        return kept[str(asked)]

    def _count_archived(self, given: dict[str, Any]) -> int:
        return self._archived

    def _by_meaning(self, near: Ints, given: dict[str, Any]) -> Ints:
        cosines = self._cosines(near, given)
        heads, places = np.unique(self._entries.head[near], return_inverse=True)
        best = np.full(len(heads), -np.inf)
        np.maximum.at(best, places, cosines)
        return self._best(heads, best, given)

    def _by_words(self, terms: Ints, idf: Floats, given: dict[str, Any]) -> Ints:
        scores = np.zeros(len(self._entries.head))
        for (heads, times), weight in zip(self._matches, idf, strict=True):
            length = self._entries.length[heads]
            scores[heads] += weight * times * 2.2 / (times + 1.2 * (0.5 + 0.5 * length / self._visible.mean_length))
        wanted = np.flatnonzero((scores > 0) & self._wanted_now)
        return self._best(wanted, scores[wanted], given)

    def _best(self, heads: Ints, scores: Floats, given: dict[str, Any]) -> Ints:
        """The best `limit` messages and the best `drawn` of what was derived; of equals, what was stored first."""
        is_message = self._entries.is_message[heads]
        sides = ((np.flatnonzero(is_message), given["limit"]), (np.flatnonzero(~is_message), given["drawn"]))
        return np.concatenate([heads[_first(rows, scores, count)] for rows, count in sides])

    def _cosines(self, numbers: Ints, given: dict[str, Any]) -> Floats:
        """Each entry's cosine: messages are compared with the spoken question, all others with the question asked."""
        is_message, cosines = self._entries.is_message[numbers], np.empty(len(numbers), dtype=np.float32)
        for side, vector in ((is_message, given["vectors"][0]), (~is_message, given["vectors"][1])):
            cosines[side] = self._cosine(numbers[side], vector)
        return cosines.astype(np.float64)

    def _cosine(self, numbers: Ints, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Each entry's cosine to one vector, on one thread: on a busy machine threads wait for each other."""
        return np.asarray(np.vecdot(self._entries.vectors[numbers], vector))

    def _rows_around(self, hits: Ints, given: dict[str, Any]) -> Columns:
        entries, visible = self._entries, self._visible
        heads = np.union1d(hits, self._neighbours(hits[entries.is_message[hits]], given["reach"]))
        heads = heads[visible.has_text[heads]]
        heads = heads[np.lexsort((heads, entries.ordinal[heads], entries.conversation[heads]))]
        numbers, places = visible.pieces.of_all(heads)
        cosine = np.full(len(heads), -np.inf)
        np.maximum.at(cosine, places, self._cosines(numbers, given))
        return {
            "head": heads,
            "conversation_id": entries.conversation[heads],
            "ordinal": entries.ordinal[heads],
            "local_time": entries.local_time[heads],
            "speaker": entries.speaker[heads],
            "text": entries.text[heads],
            "length": np.bincount(places, entries.length[numbers], len(heads)),
            "cosine": cosine,
            "wanted": self._wanted_now[heads],
            "remaining": self._remaining(heads, given),
        }

    def _neighbours(self, messages: Ints, reach: int) -> Ints:
        """The messages up to `reach` places before and after these in their conversations."""
        entries, order = self._entries, self._visible.order
        messages = messages[self._visible.has_text[messages]]
        steps = np.arange(-reach, reach + 1)
        places = self._visible.place[messages][:, None] + steps
        near = order[np.clip(places, 0, len(order) - 1)]
        own = messages[:, None]
        is_near = (np.abs(entries.ordinal[near] - entries.ordinal[own]) <= reach) & (
            entries.conversation[near] == entries.conversation[own]
        )
        return np.unique(near[is_near])

    def _remaining(self, heads: Ints, given: dict[str, Any]) -> Floats:
        """The strengths of memories, from their age and their accesses."""
        now: Any = np.datetime64(given["clock"], "us")
        age = np.maximum(now - self._entries.created_at[heads], NO_TIME)
        strength = NEW * given["decay"] ** (age / WEEK)
        strength = self._gained[heads] + np.where(self._whole[heads], 0, strength)
        return np.minimum(strength, GREATEST_STRENGTH)

    def _counts(self, head: Ints, terms: Ints) -> Floats:
        counts, times_of = np.zeros((len(head), len(terms))), np.zeros(len(self._entries.head))
        for place, (heads, times) in enumerate(self._matches):
            times_of[heads] = times
            counts[:, place] = times_of[head]
            times_of[heads] = 0
        return counts

    def _views(self, head: Ints, given: dict[str, Any], rows: Ints) -> Views:
        made, places = self._entries.made.of_all(head[rows])
        is_seen = self._visible.is_visible[made]
        made, places = made[is_seen], places[is_seen]
        several, of_made = self._visible.pieces.of_all(made)
        cosines = self._cosine(several, given["vectors"][0])
        views = unseen(rows)
        is_episode = self._entries.is_episode[several]
        for side, chosen in ((views.episode, is_episode), (views.fact, ~is_episode)):
            np.fmax.at(side, places[of_made][chosen], cosines[chosen])
        return views


def _first(rows: Ints, scores: Floats, count: int) -> Ints:
    if len(rows) > count > 0:
        least = np.partition(scores[rows], len(rows) - count)[len(rows) - count]
        rows = rows[scores[rows] >= least]
    return rows[np.lexsort((rows, -scores[rows]))][:count]
