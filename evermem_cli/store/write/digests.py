"""Writes digests."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from evermem_cli.engines import Vectors
from evermem_cli.memory import Digest
from evermem_cli.store.index import postings
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.write.entries import SearchEntries
from evermem_cli.store.write.sources import put_sources

DROP = (
    *postings.without("select id from wanted"),
    "delete from sources where memory_id in (select id from wanted)",
    "delete from digests where id in (select id from wanted)",
)


@dataclass(frozen=True, slots=True)
class DigestWriter:
    """Replaces episodes by digests, and undoes that."""

    sql: Sql
    entries: SearchEntries

    def put_digests(self, digests: Sequence[Digest], vectors: Vectors) -> None:
        """Stores digests and makes them searchable; `vectors` has one row for each."""
        now = rows.utc(datetime.now(UTC))
        for digest in digests:  # few rows; numpy columns cannot hold lists
            self.sql.execute(
                """insert into digests by name select $id as id, $conversation_id as conversation_id,
                   $subject as subject, $digest as digest, $memcell_ids as memcell_ids, $start_at as start_at,
                   $said_at as said_at, $now as created_at""",
                **{name: getattr(digest, name) for name in ("id", "conversation_id", "subject", "digest")},
                **{name: rows.utc(getattr(digest, name)) for name in ("start_at", "said_at")},
                memcell_ids=list(digest.memcell_ids),
                now=now,
            )
        put_sources(self.sql, ((digest.id, digest.message_ids) for digest in digests))
        if digests:
            self.entries.add(digests, [1] * len(digests), vectors)

    def drop_digests(self, ids: Iterable[str]) -> None:
        """Removes digests, so that the episodes of their MemCells are found again."""
        self.sql.want(ids)
        for statement in DROP:
            self.sql.execute(statement)
