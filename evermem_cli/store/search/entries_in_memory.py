"""A search among entries in memory: it finds what `entries_in_file.py` finds, without a scan of the file."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evermem_cli.memory import Message
from evermem_cli.memory.pool import Floats, Ints, Views, inverse_document_frequency, unseen
from evermem_cli.memory.strength import GREATEST_STRENGTH
from evermem_cli.store.index.postings import numbered_stems
from evermem_cli.store.index.sketches import Outlines
from evermem_cli.store.lifecycle.strength import GAIN, RAISED, StrengthReader
from evermem_cli.store.schema.rows import Row, message, utc
from evermem_cli.store.search import queries
from evermem_cli.store.search.entries import Bools, VisibleEntries
from evermem_cli.store.search.scans import Columns, Scans

MOST_FILTERS = 8  # kept with the entries that pass them
NO_TIME = np.timedelta64(0, "us")
WEEK = np.timedelta64(7 * 86_400_000_000, "us")


class LoadedEntries:
    """The entries in memory that the asker may see, for one search after another, as `EntriesInFile` has them.

    The steps of a search are called in the order in which they are written here.
    """

    def __init__(self, scans: Scans, strengths: StrengthReader, visible: VisibleEntries) -> None:
        self._scans, self._strengths = scans, strengths
        self._visible, self._entries = visible, visible.all
        self._matches: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = []
        self._wanted_now: Bools = visible.is_visible
        self._archived = 0
        self._gained, self._whole = np.zeros(len(visible.is_visible)), np.zeros(len(visible.is_visible), dtype=np.bool_)

    def match(self, words: Sequence[tuple[str, ...]]) -> tuple[Ints, Floats, float]:
        numbers = numbered_stems(self._scans.sql.connection, words)
        terms = self._scans.columns(queries.TERMS, {"stems": list(numbers)})["term"].tolist()
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

    def note_strengths(self, clock: datetime) -> None:
        """Works out what accesses and confirmations have left, by head, as `lively` has it."""
        raised = self._scans.sql.once("raised", self._raised)
        now: Any = np.datetime64(utc(clock), "us")
        late, said = raised["since"] > now, raised["said_at"]
        since = np.where(late & ~np.isnat(said), said, raised["since"])
        is_said = np.isnat(said) | (said <= now)
        parts = self._faded(raised["part"], now - since) * is_said
        noted = self._faded(
            np.float64(GAIN), now - np.array([at for _, at in self._strengths.journal], dtype="datetime64[us]")
        )
        heads = self._entries.heads_of(np.array([memory_id for memory_id, _ in self._strengths.journal], dtype=object))
        size = len(self._visible.is_visible)
        gained = np.bincount(raised["head"], parts, size) + np.bincount(heads, noted, size)
        self._gained = np.minimum(gained, GREATEST_STRENGTH)
        self._whole = np.bincount(raised["head"][raised["whole"]], minlength=size) > 0
        self._gained[0], self._whole[0] = 0, False  # what has no entry

    def _faded(self, parts: NDArray[np.float64] | np.float64, age: NDArray[np.timedelta64]) -> Floats:
        """What is left of strengths of this age."""
        return np.asarray(parts * self._strengths.fading.decay ** (np.maximum(age, NO_TIME) / WEEK))

    def _raised(self) -> Columns:
        columns = self._scans.columns(RAISED, {})
        known: Columns = {"head": self._entries.heads_of(columns["id"]), "whole": columns["whole"].astype(np.bool_)}
        times = {name: np.asarray(columns[name]).astype("datetime64[us]") for name in ("since", "said_at")}
        return known | times | {"part": columns["part"].astype(np.float64)}

    def outlines(self, given: dict[str, Any]) -> Outlines:
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
        self._strengths.note_lively(given["clock"].replace(tzinfo=UTC))
        self._scans.look(queries.HIDDEN, given)
        hidden = self._scans.columns(queries.HIDDEN_NOW, {})
        return hidden["number"].astype(np.int64), hidden["archived"].astype(np.bool_)

    def _passing(self, given: dict[str, Any]) -> Bools:
        """The entries that pass the filter. They are kept for the next search with it."""
        asked = {name: given[name] for name in (*queries.PASSES, "wall", "ended") if given.get(name)}
        kept = self._visible.passing
        if str(asked) not in kept:
            passing = np.zeros_like(self._visible.is_visible)
            passing[self._scans.columns(queries.PASSING, given)["number"].astype(np.int64)] = True
            while len(kept) >= MOST_FILTERS:
                kept.pop(next(iter(kept)))
            kept[str(asked)] = passing
        return kept[str(asked)]

    def count_archived(self, given: dict[str, Any]) -> int:
        return self._archived

    def by_meaning(self, near: Ints, given: dict[str, Any]) -> Ints:
        cosines = self._cosines(near, given)
        heads, places = np.unique(self._entries.head[near], return_inverse=True)
        best = np.full(len(heads), -np.inf)
        np.maximum.at(best, places, cosines)
        return self._best(heads, best, given)

    def by_words(self, terms: Ints, idf: Floats, given: dict[str, Any]) -> Ints:
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

    def rows_around(self, hits: Ints, given: dict[str, Any]) -> Columns:
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
        }

    def _neighbours(self, messages: Ints, reach: int) -> Ints:
        """The messages up to `reach` places before and after these in their conversations."""
        entries, order = self._entries, self._visible.order
        messages = messages[self._visible.has_text[messages]]
        steps = np.arange(-reach, reach + 1)
        places = self._visible.position[messages][:, None] + steps
        near = order[np.clip(places, 0, len(order) - 1)]
        own = messages[:, None]
        is_near = (np.abs(entries.ordinal[near] - entries.ordinal[own]) <= reach) & (
            entries.conversation[near] == entries.conversation[own]
        )
        return np.unique(near[is_near])

    def counts(self, head: Ints, terms: Ints) -> Floats:
        counts, times_of = np.zeros((len(head), len(terms))), np.zeros(len(self._entries.head))
        for place, (heads, times) in enumerate(self._matches):
            times_of[heads] = times
            counts[:, place] = times_of[head]
            times_of[heads] = 0
        return counts

    def views(self, head: Ints, given: dict[str, Any], rows: Ints) -> Views:
        made, places = self._entries.made.of_all(head[rows])
        is_seen = self._visible.is_visible[made]
        made, places = made[is_seen], places[is_seen]
        several, of_made = self._visible.pieces.of_all(made)
        cosines = self._scans.scaled(self._cosine(several, given["vectors"][0]))
        views = unseen(rows)
        is_episode = self._entries.is_episode[several]
        for side, chosen in ((views.episode, is_episode), (views.fact, ~is_episode)):
            np.fmax.at(side, places[of_made][chosen], cosines[chosen])
        return views

    def shown(self, heads: Ints) -> tuple[Sequence[Row], dict[str, Message]]:
        """What results show of these memories, and the messages among them, by id."""
        sql = self._scans.sql
        entries = sql.rows(queries.ENTRIES_OF, **self._scans.among(heads))
        texts: dict[str, Row] = {}
        for kind, query in queries.TEXTS_OF.items():
            texts |= sql.look_up(query, [row["memory_id"] for row in entries if row["kind"] == kind])
        scenes = sql.once("scenes", lambda: sql.by_id(queries.SCENES))
        shown = [
            row
            | {"scene_id": scenes.get(text["memcell_id"], {}).get("scene_id")}
            | {"text": text["text"], "speaker": text["speaker"]}
            for row in entries
            for text in [texts[row["memory_id"]]]
        ]
        return shown, {name: message(row) for name, row in texts.items() if "role" in row}


def _first(rows: Ints, scores: Floats, count: int) -> Ints:
    if len(rows) > count > 0:
        least = np.partition(scores[rows], len(rows) - count)[len(rows) - count]
        rows = rows[scores[rows] >= least]
    return rows[np.lexsort((rows, -scores[rows]))][:count]
