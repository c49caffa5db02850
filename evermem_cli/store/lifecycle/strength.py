"""The strength of memories: it fades from the last access on and rises with each one; faded memories are archived.

Every access, and every other message that states the same, adds to the strength that is left. So a strength is a sum of
fading parts, in any order.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

import duckdb
import numpy as np

from evermem_cli.memory import FEWEST_AGREEING, Episode, Filter, Foresight
from evermem_cli.memory.strength import GREATEST_STRENGTH, NEW, Fading, Strength
from evermem_cli.store.file.journal import Access
from evermem_cli.store.privacy.tiers import COVERED
from evermem_cli.store.read.records import resolved
from evermem_cli.store.schema.rows import utc
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.search.queries import faded

Memory = TypeVar("Memory", Episode, Foresight)

GAIN = 0.2  # gain from an access
CONFIRMED = 0.5  # gain from another message that states the same, from when it was said
# The tables whose rows have a strength, and since when it fades at a moment before they were written.
TABLES = dict.fromkeys(("messages", "episodes", "event_logs", "foresights", "digests"), "said_at")
TABLES |= {"interactions": "timestamp", "rules": "created_at"}
COLUMNS = "strength, access_count, last_accessed, created_at"
STATES = " union all ".join(
    f"select id as memory_id, {COLUMNS}, {said} as said_at from {table}" for table, said in TABLES.items()
)


# The memories in the journal, with the journal's accesses applied.
RISEN = f"""
    create or replace temp table risen as
    with latest as (select memory_id, max(seen_at) as seen_at, count(*) as times from accesses group by memory_id)
    select memory_id, any_value(access_count + times)::integer as access_count,
           greatest(any_value(latest.seen_at), any_value(last_accessed)) as last_accessed,
           least({GREATEST_STRENGTH},
             any_value({faded("strength", "coalesce(last_accessed, created_at)", "latest.seen_at")})
             + sum({faded(str(GAIN), "accesses.seen_at", "latest.seen_at")})) as strength
    from ({STATES}) join latest using (memory_id) join accesses using (memory_id) group by memory_id"""
MERGE = """
    update {table} set strength = risen.strength, access_count = risen.access_count, last_accessed = risen.last_accessed
    from risen where id = memory_id"""
# What raises strengths, and from when on each part fades. Of everything that was ever accessed its strength as a whole;
# for all other memories age alone decides.
ACCESSED = " union all ".join(
    f"select id, strength as part, last_accessed as since, null::timestamp as said_at, true as whole from {table} "
    "where last_accessed notnull"
    for table in TABLES
)
# The gain of facts from others that state the same, since they were written, or said at a moment before that; and the
# gain of rules from the user, and from interactions beyond those needed to propose one.
CONFIRMING = f"""
    select fact_id as id, {CONFIRMED} as part, created_at as since, said_at, false as whole
    from accords join event_logs on event_logs.id = other_id where effect = 'confirms' union all
    select id, (confirmed + greatest(0, agreeing - {FEWEST_AGREEING})) * {CONFIRMED}, last_validated, null, false
    from rules join (select rule_id, count(*) as agreeing from rule_evidence group by rule_id) on rule_id = id"""
RAISED = f"{ACCESSED} union all {CONFIRMING}"


def left(parts: str) -> str:
    """SQL for what is left of these parts at $clock, of those that were said by then."""
    since = "if(said_at is null or since <= $clock, since, said_at)"
    return f"select id, {faded('part', since)} as part, whole from ({parts}) where said_at is null or said_at <= $clock"


# Strengths at $clock; `noted` is what the journal adds, and parts fade alike.
LIVELY = f"""
    create or replace temp table lively as
    select id, least({GREATEST_STRENGTH}, sum(part)) as strength, bool_or(whole) as whole
    from ({left(RAISED)} union all select memory_id, part, false from noted) group by id"""
# At a moment before the last access a memory counts as never accessed; before it was written, from when it was said.
SINCE = """case when last_accessed <= $clock then last_accessed
                    when created_at <= $clock then created_at else said_at end"""
STRENGTHS = f"""
    with known as (
      select states.* replace (coalesce(risen.strength, states.strength) as strength,
                               coalesce(risen.access_count, states.access_count) as access_count,
                               coalesce(risen.last_accessed, states.last_accessed) as last_accessed)
      from ({STATES}) as states left join risen using (memory_id) where memory_id in (select id from wanted))
    select memory_id, access_count, last_accessed, least({GREATEST_STRENGTH},
             {faded(f"if(last_accessed <= $clock, strength, {NEW})", f"({SINCE})")} + coalesce(gained, 0)) as remaining
    from known left join (select id as memory_id, sum(part) as gained from ({left(CONFIRMING)}) group by id)
    using (memory_id)"""
RESTORE = f"""
    update {{table}} set strength = greatest(strength, {NEW}), last_accessed = $now
    where id in (select id from wanted) returning id"""


def note_journal(connection: duckdb.DuckDBPyConnection, accesses: Sequence[Access]) -> None:
    """Makes a table `accesses` from the journal."""
    columns = {
        "memory_id": np.array([memory_id for memory_id, _ in accesses], dtype=object if accesses else np.str_),
        "seen_at": np.array([at for _, at in accesses], dtype="datetime64[us]"),
    }
    connection.register("accesses", columns)


def merge_journal(connection: duckdb.DuckDBPyConnection, accesses: Sequence[Access], fading: Fading) -> None:
    """Applies a journal to the memories that it names."""
    if accesses:
        note_journal(connection, accesses)
        connection.execute(RISEN, {"decay": fading.decay})
        for table in TABLES:
            connection.execute(MERGE.format(table=table))


def risen(row: Mapping[str, Any], seen: Sequence[datetime], fading: Fading) -> dict[str, Any]:
    """What `RISEN` makes of one row and the journal's accesses to it, for a file that cannot be written."""
    latest = max(seen)
    kept = fading.left(row["strength"], latest - (row["last_accessed"] or row["created_at"]))
    return {
        "strength": min(GREATEST_STRENGTH, kept + sum(fading.left(GAIN, latest - at) for at in seen)),
        "access_count": row["access_count"] + len(seen),
        "last_accessed": max(latest, row["last_accessed"] or latest),
    }


def restore(connection: duckdb.DuckDBPyConnection, prefix: str, fading: Fading, journal: Sequence[Access] = ()) -> int:
    """Makes what is archived of a memory and what it contains (see COVERED) as strong as new; returns how many.

    Raises UsageError for unknown ids.
    """
    sql = Sql(connection)
    sql.execute(COVERED, id=resolved(sql, prefix))
    now, covered = datetime.now(UTC), [str(row["id"]) for row in sql.rows("select id from covered")]
    known = StrengthReader(sql, fading, journal).at(covered, now)
    sql.want(name for name, strength in known.items() if strength.archived)
    return sum(len(sql.rows(RESTORE.format(table=table), now=utc(now))) for table in TABLES)


@dataclass(slots=True)
class StrengthReader:
    """Reads how strong memories are. `Store` provides the journal and the rate of fading."""

    sql: Sql
    fading: Fading = field(default_factory=Fading)
    journal: Sequence[Access] = ()

    def at(self, ids: Iterable[str], clock: datetime) -> dict[str, Strength]:
        """The strength at `clock` of memories that have one of their own: see `TABLES`."""
        note_journal(self.sql.connection, self.journal)
        self.sql.connection.execute(RISEN, {"decay": self.fading.decay})
        self.sql.want(ids)
        rows = self.sql.rows(STRENGTHS, decay=self.fading.decay, clock=utc(clock))
        return {
            row["memory_id"]: Strength(
                strength=row["remaining"],
                last_accessed=row["last_accessed"],
                access_count=row["access_count"],
                archived=row["remaining"] < self.fading.archive_below,
            )
            for row in rows
        }

    def kept(self, memories: Sequence[Memory], where: Filter, now: datetime) -> list[Memory]:
        """The memories that were known at `now` and `where.known_at`, without archived ones unless these are wanted."""
        known_then = [memory for memory in memories if memory.said_at <= min(where.known_at or now, now)]
        known = self.at((memory.id for memory in known_then), max(datetime.now(UTC), now))
        return [memory for memory in known_then if where.archived or not known[memory.id].archived]

    def note_lively(self, clock: datetime) -> None:
        """Makes `lively` a table of everything that was ever accessed or confirmed, with its strength at `clock`."""
        seen = self.journal
        columns = {
            "memory_id": np.array([memory_id for memory_id, _ in seen], dtype=object if seen else np.str_),
            "part": np.array([self.fading.left(GAIN, clock - at.replace(tzinfo=UTC)) for _, at in seen], dtype=float),
        }
        self.sql.connection.register("noted", columns)
        self.sql.connection.execute(LIVELY, {"decay": self.fading.decay, "clock": utc(clock)})
