"""Candidates for a question: by keyword from the index, by meaning from the vectors, with surrounding messages."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evermem_cli.engines import Vectors
from evermem_cli.languages.language import is_part_of_words
from evermem_cli.memory import Evidence, Filter, Kind, Message, wall
from evermem_cli.memory.pool import Ints, Pool
from evermem_cli.store.index.sketches import NEAREST, nearest
from evermem_cli.store.lifecycle.strength import StrengthReader
from evermem_cli.store.read.chats import chat_names
from evermem_cli.store.read.messages import MessageReader
from evermem_cli.store.read.sources import SourceReader
from evermem_cli.store.schema.rows import Row, utc
from evermem_cli.store.search import queries
from evermem_cli.store.search.entries_in_file import EntriesInFile
from evermem_cli.store.search.entries_in_memory import LoadedEntries
from evermem_cli.store.search.scans import Scans

EPOCH = datetime.min.replace(tzinfo=UTC)
APART = 1000  # distance between the positions of rows that are not neighbours


@dataclass(frozen=True, slots=True)
class CandidateReader:
    """Finds candidates among the entries, and reads the memories behind them."""

    scans: Scans
    entries: EntriesInFile | LoadedEntries
    strengths: StrengthReader
    messages: MessageReader
    sources: SourceReader

    def pool(
        self,
        words: Sequence[tuple[str, ...]],
        embedded: Callable[[], Vectors],
        where: Filter,
        limit: int,
        reach: int,
    ) -> Pool:
        """The best `limit` messages by keyword, as many by meaning, and messages up to `reach` places around these.

        Memories derived from messages are added: a third of the limit, or the whole limit if the filter excludes
        messages. `words` has all forms of each word. `embedded` is called after the words were looked up. It returns
        two unit vectors, shape (2, dimension): messages are compared with the first, derived memories with the second.
        """
        terms, idf, mean_length = self.entries.match([self._in_index(forms) for forms in words])
        drawn = limit if where.kinds and Kind.MESSAGE not in where.kinds else limit // 3
        given = self._given(where) | {"limit": limit, "drawn": drawn, "reach": reach, "mean": mean_length}
        outlines = self.entries.outlines(given)
        spoken, asked = vectors = embedded()
        given |= {"vectors": vectors, "spoken": str(spoken.tolist()), "asked": str(asked.tolist())}
        closer = max(NEAREST, 4 * limit)
        near = nearest(outlines, (spoken, closer), (asked, closer * drawn // limit))
        rows = self.entries.rows_around(
            np.union1d(self.entries.by_words(terms, idf, given), self.entries.by_meaning(near, given)), given
        )
        return Pool(
            head=rows["head"].astype(np.int64),
            position=_positions(rows["conversation_id"], rows["ordinal"]),
            drawn=rows["ordinal"].astype(np.int64) == 0,
            opens=rows["ordinal"].astype(np.int64) == 1,
            said_at=rows["local_time"].astype("datetime64[s]"),
            speaker=rows["speaker"].astype(np.str_),
            text=rows["text"].tolist(),
            length=rows["length"].astype(np.float64),
            mean_length=mean_length,
            counts=self.entries.counts(rows["head"].astype(np.int64), terms),
            idf=idf,
            cosine=self.scans.scaled(rows["cosine"]),
            wanted=rows["wanted"].astype(np.bool_),
            archived=self.entries.count_archived(given),
            views=partial(self.entries.views, rows["head"].astype(np.int64), given),
        )

    def evidence_of(self, message_ids: Iterable[str]) -> list[Evidence]:
        """Messages as results without a score, in the order of the file."""
        self.scans.sql.want(message_ids)
        query = """
            select number from documents where number = head and memory_id in (select id from wanted) order by number"""
        return self.evidence([(row["number"], 0.0) for row in self.scans.sql.rows(query)])

    def evidence(self, ranked: Sequence[tuple[int, float]]) -> list[Evidence]:
        """The memories behind (head, score) pairs, in the order given, each with its messages.

        The caller marks them as hits.
        """
        shown, read = self.entries.shown(np.array([head for head, _ in ranked], dtype=np.int64))
        rows = {row["number"]: row for row in shown}
        sources = self.sources.of([row["memory_id"] for row in rows.values()])
        wanted = {row["memory_id"] for row in rows.values() if row["kind"] == Kind.MESSAGE}
        wanted |= {message_id for ids in sources.values() for message_id in ids}
        names = chat_names(self.scans.sql, {row["conversation_id"] for row in rows.values()})
        messages = read | self.messages.by_id(wanted - read.keys())
        results = []
        for row, score in ((rows[head], score) for head, score in ranked):
            behind = [messages[name] for name in sources.get(row["memory_id"], [])]
            results.append(_evidence(row, score, behind, messages, names[row["conversation_id"]]))
        return results

    def _in_index(self, forms: tuple[str, ...]) -> tuple[str, ...]:
        """The forms of a word, and of a single character all indexed words with it."""
        parts = [form for form in forms if is_part_of_words(form)]
        longer = (row["word"] for part in parts for row in self.scans.sql.rows(queries.WORDS_WITH, part=part))
        return (*forms, *longer)

    def _given(self, where: Filter) -> dict[str, Any]:
        """The parameters of a filter; stores the strengths that accesses have given memories."""
        clock = max(datetime.now(UTC), where.as_of or EPOCH)  # the past is viewed as it was, without later accesses
        self.entries.note_strengths(clock)
        fading = self.strengths.fading
        fading = replace(fading, archive_below=0.0) if where.archived else fading
        aged = {"decay": fading.decay, "below": fading.archive_below, "clock": utc(clock)}
        if where.user_id and not self.scans.has_others_chats(where.user_id):
            where = replace(where, user_id=None)  # all chats are the user's own
        return parameters(where) | aged | {"oldest": utc(fading.oldest(clock))}


def _positions(conversation: NDArray[Any], ordinal: NDArray[Any]) -> Ints:
    """The positions of rows sorted by conversation and ordinal: one apart for neighbours, else far apart.

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


def _evidence(row: Row, score: float, sources: list[Message], messages: dict[str, Message], chat: str) -> Evidence:
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
        conversation=chat,
        scene=row["scene_id"],
        messages=(messages[row["memory_id"]],) if kind is Kind.MESSAGE else tuple(sources),
    )
