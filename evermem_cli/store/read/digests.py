"""Reads digests."""

from dataclasses import dataclass

from evermem_cli.memory import Digest
from evermem_cli.store.read.sources import SourceReader
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.sql import Sql

DIGESTS = """
    select digests.* from digests join conversations on conversations.id = conversation_id
    where user_id = $user_id order by said_at, digests.id"""


@dataclass(frozen=True, slots=True)
class DigestReader:
    """Reads digests."""

    sql: Sql
    sources: SourceReader

    def of(self, user_id: str) -> list[Digest]:
        """The digests in a user's memory, oldest first."""
        records = self.sql.rows(DIGESTS, user_id=user_id)
        cited = self.sources.of([row["id"] for row in records])
        return [rows.digest(row, cited.get(row["id"], ())) for row in records]
