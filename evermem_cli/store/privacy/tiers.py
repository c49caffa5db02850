"""The privacy tiers that the user has set, and the access log."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime

import duckdb

from evermem_cli.memory import Access, AccessEntry, Action, ActionKind, Tier
from evermem_cli.memory.privacy import Ground
from evermem_cli.reading.domain import attribute_domain
from evermem_cli.store.privacy.withheld import withheld_because
from evermem_cli.store.read.records import resolved
from evermem_cli.store.schema.migrations import TEXTS
from evermem_cli.store.schema.rows import utc
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.write import undo

# A tier set for a memory also covers the messages behind it, all messages of a MemCell or conversation, the user's
# corrections of them, and the facts and foresights derived from all those.
COVERED = """
    create or replace temp table covered as
    with told as (
      select id from messages where $id in (id, memcell_id, conversation_id) union
      select message_id from sources where memory_id = $id),
    behind as (
      from told union
      select statement_id from corrections
      where statement_id is not null and list_has_any(message_ids, (select list(id) from told))),
    drawn as (select id from event_logs union all select id from foresights)
    select $id as id union from behind union
    select memory_id from sources where message_id in (from behind) and memory_id in (from drawn)"""
KEEP = (
    "insert into undo.privacy from privacy where memory_id in (select id from covered except from undo.covered)",
    "insert into undo.covered from (select id from covered except from undo.covered)",
)
OWN = f"""
    with told as ({" union all ".join(f"select id, domain from {table}" for table in TEXTS)})
    select (select domain from told where id = $id) as domain,
           (select privacy_tier from privacy where memory_id = $id) as said"""

BY_AREA = """
    select domain, count(*) filter (kind = 'message') as messages, count(*) filter (kind = 'fact') as facts
    from (select domain, 'message' as kind from messages union all select domain, 'fact' from event_logs)
    group by domain"""


class Privacy:
    """A transaction on tiers and the access log. All tiers that it sets are one action, undone together.

    `journal` has the entries of the log that are not in the file yet.
    """

    journal: Sequence[AccessEntry] = ()

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._sql = Sql(connection)
        self._action = Action(kind=ActionKind.PRIVACY)

    def resolve(self, prefix: str) -> str:
        """The one id that begins with the prefix. Raises UsageError where none or several do."""
        return resolved(self._sql, prefix)

    def tier(self, memory_id: str, tiers: Mapping[str, Tier]) -> tuple[Tier | None, str | None]:
        """A memory's tier and domain. Without a tier the memory is as private as its messages."""
        row = self._sql.rows(OWN, id=memory_id)[0]
        if row["said"]:
            return Tier(row["said"]), row["domain"]
        return (tiers.get(row["domain"], Tier.PRIVATE) if row["domain"] else None), row["domain"]

    def ground(self, prefix: str, tiers: Mapping[str, Tier]) -> Ground | None:
        """Why an assistant is not shown the memory or assertion; None where every assistant is. Raises UsageError."""
        memory_id, known = resolved(self._sql, prefix, assertions=True), None
        for hidden in ((Tier.PRIVATE, Tier.SENSITIVE), (Tier.PRIVATE,)):
            because = withheld_because(self._sql.connection, memory_id, hidden, tiers)
            if because is None:
                break
            known = Ground(id=because, tier=hidden[-1], domain=self._domain(because))
        return known

    def _domain(self, memory_id: str) -> str | None:
        """What a memory is about, or what the attribute of an assertion is."""
        stated = self._sql.rows("select attribute from assertions where id = $id", id=memory_id)
        if stated:
            return attribute_domain(stated[0]["attribute"])
        domain: str | None = self._sql.rows(OWN, id=memory_id)[0]["domain"]
        return domain

    def count_areas(self) -> dict[str, tuple[int, int]]:
        """How many messages and how many facts are about each area."""
        rows = self._sql.rows(BY_AREA)
        return {row["domain"]: (row["messages"], row["facts"]) for row in rows}

    def set_tier(self, memory_id: str, tier: Tier | None) -> int:
        """Sets the tier of a memory and what it covers; None restores that of the domains.

        Returns how many memories changed.
        """
        self._sql.execute(COVERED, id=memory_id)
        undo.begin(self._sql.connection, self._action)
        for statement in KEEP:
            self._sql.execute(statement)
        self._sql.execute("delete from privacy where memory_id in (from covered)")
        if tier:
            self._sql.execute("insert into privacy select id, $tier from covered", tier=tier.value)
        return int(self._sql.rows("select count(*) as n from covered")[0]["n"])

    def log(self, access: Access) -> None:
        """Logs an access."""
        self.take_in([access.entry(datetime.now(UTC))])

    def take_in(self, entries: Iterable[AccessEntry]) -> None:
        """Adds entries to the access log."""
        for entry in entries:
            self._sql.execute(
                "insert into access_log values ($read_at, $agent, $reason, $command, $sensitive)",
                **asdict(entry) | {"read_at": utc(entry.read_at)},
            )

    def accesses(self, agent: str | None) -> list[AccessEntry]:
        """The accesses, oldest first; those of one agent if given."""
        entries = [*(AccessEntry(**row) for row in self._sql.rows("select * from access_log")), *self.journal]
        return sorted((entry for entry in entries if agent in (None, entry.agent)), key=lambda entry: entry.read_at)
