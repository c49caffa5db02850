"""Candidates for a question: by keyword from the FTS index, by meaning from the vector column, both filtered alike."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evermem_cli.memory import Evidence, Filter, Kind, Message
from evermem_cli.store.reader import Reader
from evermem_cli.store.rows import utc
from evermem_cli.store.text import searchable

# A user sees the chats they own or took part in, and of their episodes the group's and their own.
# A foresight counts until its end, inclusive; a fact from its beginning to its end, exclusive.
PASSES = """
    ($user_id is null or (
        conversation_id in (select id from conversations where user_id = $user_id
                            union select conversation_id from messages where user_id = $user_id)
        and (kind <> 'episode' or user_id is null or user_id = $user_id)))
    and (len($kinds) = 0 or kind in (select unnest($kinds)))
    and ($since is null or said_at >= $since) and ($until is null or said_at <= $until)
    and ($known_at is null or said_at <= $known_at)
    and ($as_of is null or (
        (said_at <= $as_of or valid_at <= $as_of)
        and (kind <> 'foresight' or invalid_at is null or invalid_at >= $as_of)
        and (kind <> 'fact' or $ended or invalid_at is null or invalid_at > $as_of)))"""

KEYWORD = f"""
    select number, score from (
      select *, fts_main_documents.match_bm25(number, $query) as score from documents)
    where score is not null and {PASSES} order by score desc, number limit $limit"""

SIMILAR = f"""
    select number, array_inner_product(embedding, $vector::float[{{dimension}}]) as score
    from documents where {PASSES} order by score desc, number limit $limit"""

FOUND = """
    select documents.number, documents.kind, documents.memory_id, documents.said_at, documents.valid_at,
           documents.invalid_at, conversations.title, conversations.key, memcells.scene_id, messages.memcell_id,
           coalesce(messages.text, episode, atomic_fact, foresight) as text,
           coalesce(messages.speaker, event_logs.speaker) as speaker
    from documents join wanted on documents.number = wanted.id
    join conversations on conversations.id = documents.conversation_id
    left join messages on documents.kind = 'message' and messages.id = memory_id
    left join episodes on documents.kind = 'episode' and episodes.id = memory_id
    left join event_logs on documents.kind = 'fact' and event_logs.id = memory_id
    left join foresights on documents.kind = 'foresight' and foresights.id = memory_id
    left join memcells on event_id = coalesce(messages.memcell_id, episodes.memcell_id, event_logs.memcell_id,
                                              foresights.memcell_id)"""


class Searcher(Reader):
    """A read transaction that can also look for candidates. Scores are comparable within one call only."""

    def keyword(self, query: str, where: Filter, limit: int) -> list[tuple[int, float]]:
        """Document numbers and BM25 scores, best first; empty while there is no index or no word matches."""
        if not self._has_index():
            return []
        found = self._rows(KEYWORD, query=searchable(query), limit=limit, **_parameters(where))
        return [(row["number"], row["score"]) for row in found]

    def similar(self, vector: NDArray[np.float32], where: Filter, limit: int) -> list[tuple[int, float]]:
        """Document numbers and cosines to a unit vector of shape (dimension,), best first; exact, not approximate."""
        query = SIMILAR.format(dimension=len(vector))
        found = self._rows(query, vector=vector.tolist(), limit=limit, **_parameters(where))
        return [(row["number"], row["score"]) for row in found]

    def evidence(self, ranked: Sequence[tuple[int, float]]) -> list[Evidence]:
        """The memories behind document numbers, in the order given, each with the messages it came from."""
        self._connection.register("wanted", {"id": np.array([number for number, _ in ranked], dtype=np.int64)})
        found = {row["number"]: row for row in self._rows(FOUND)}
        cited = self._sources([row["memory_id"] for row in found.values()])
        messages = self.messages(
            {row["memory_id"] for row in found.values() if row["kind"] == Kind.MESSAGE}
            | {message for ids in cited.values() for message in ids}
        )
        return [
            _evidence(found[number], score, [messages[m] for m in cited.get(found[number]["memory_id"], [])], messages)
            for number, score in ranked
        ]

    def _has_index(self) -> bool:
        return self._meta("indexed_documents", "0") != "0"


def _parameters(where: Filter) -> dict[str, Any]:
    return {
        "user_id": where.user_id,
        "kinds": [kind.value for kind in where.kinds],
        "since": utc(where.since),
        "until": utc(where.until),
        "known_at": utc(where.known_at),
        "as_of": utc(where.as_of),
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
