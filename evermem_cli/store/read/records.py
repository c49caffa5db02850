"""The properties that memories of every kind have, read from the table of each kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evermem_cli.errors import UsageError
from evermem_cli.memory import Record, Tier, id_given
from evermem_cli.memory.entities import SHOW_IDS
from evermem_cli.store.read.consolidation import ConsolidationReader
from evermem_cli.store.schema.ends import OVER_GRAIN
from evermem_cli.store.schema.migrations import TEXTS
from evermem_cli.store.schema.sql import Sql

# A memory's content, context and times. `cell` is the MemCell whose scene gives the theme.
MEMORIES = f"""
    select 'message' as kind, id, text as content, domain as context, said_at as valid_at, null as valid_grain,
           null as invalid_at, null as invalid_grain, created_at, null as confidence, null as cell
    from messages union all
    select 'episode', id, episode, null, said_at, null, null, null, created_at, null, memcell_id from episodes union all
    select 'fact', id, atomic_fact, domain, valid_at, valid_grain, least(invalid_at, superseded_at), {OVER_GRAIN},
           created_at, confidence, null from event_logs union all
    select 'foresight', id, foresight, domain, start_time, start_grain, end_time, end_grain, created_at, confidence,
           null from foresights union all
    select 'digest', id, digest, null, start_at, null, null, null, created_at, null, memcell_ids[-1]
    from digests union all
    select 'memcell', event_id, summary, null, start_at, null, null, null, created_at, null, event_id
    from memcells union all
    select 'scene', scene_id, summary, theme, first_timestamp, null, null, null, created_at, null, null
    from scenes union all
    select 'interaction', id, situation, agent_type, timestamp, null, null, null, created_at, null, null
    from interactions union all
    select 'rule', id, rule, agent_type, created_at, null, retired_at, null, created_at, null, null from rules"""
# Narratives, MemCells and scenes have the mean confidence of their facts; messages are certain.
RECORD = f"""
    with cells as (
      select event_id from memcells where $id in (event_id, scene_id) union
      select memcell_id from episodes where id = $id union select unnest(memcell_ids) from digests where id = $id)
    select memories.* exclude (cell) replace (
      coalesce(context, (select theme from scenes join memcells using (scene_id) where event_id = cell)) as context,
      coalesce(confidence, (select avg(confidence) from event_logs where memcell_id in (from cells)), 1) as confidence),
      (select list(id) from event_logs where id = $id or memcell_id in (from cells)) as facts
    from ({MEMORIES}) as memories where id = $id"""
SOURCES = """
    select message_id as id, place from sources where memory_id = $id union all
    select id, ordinal from messages where memcell_id = $id union all
    select event_id, row_number() over (order by end_at, event_id) from memcells where scene_id = $id union all
    select interaction_id, place from rule_evidence where rule_id = $id union all
    select conversation_id, 0 from messages where id = $id order by place"""
# What to do about an assertion, which has no strength, tier or existence of its own.
BEHIND = "`evermem show ID` names the message; `evermem correct ID` replaces the assertion"
# Memories whose strength is that of a MemCell or scene; none for a memory with a strength of its own.
PARTS = " union all ".join(
    f"select id from {table} where memcell_id in (select event_id from memcells where $id in (event_id, scene_id))"
    for table in ("messages", "episodes", "event_logs", "foresights")
)
TIERS = f"""
    with behind as (
      select id from messages where $id in (id, memcell_id) or memcell_id in (
        select event_id from memcells where scene_id = $id) union
      select message_id from sources where memory_id = $id or memory_id in (
        select interaction_id from rule_evidence where rule_id = $id) union select $id),
    told as ({" union all ".join(f"select id, domain from {table}" for table in TEXTS)})
    select domain, privacy_tier from behind left join told using (id) left join privacy on memory_id = behind.id
    where domain is not null or privacy_tier is not null"""


@dataclass(frozen=True, slots=True)
class RecordReader:
    """Reads the properties of any memory."""

    sql: Sql
    consolidation: ConsolidationReader

    def record(self, memory_id: str) -> Record | None:
        """The properties of a memory; None for a conversation, or where the memory may not be seen."""
        rows = self.sql.rows(RECORD, id=memory_id)
        if not rows:
            return None
        row = {name: value for name, value in rows[0].items() if not name.endswith("_grain")}
        supports = self.consolidation.supports(row.pop("facts") or ())
        return Record(
            **row,
            sources=tuple(source["id"] for source in self.sql.rows(SOURCES, id=memory_id)),
            support=supports.get(memory_id),
            contradictions=tuple(dict.fromkeys(other for support in supports.values() for other in support.ended_by)),
        )

    def resolve(self, prefix: str, *, assertions: bool = False) -> str:
        """The one id that begins with the prefix; see `resolved`. Raises UsageError where none or several do."""
        return resolved(self.sql, prefix, assertions=assertions)

    def is_assertion(self, memory_id: str) -> bool:
        """Whether this is the id of an assertion."""
        return bool(self.sql.rows("select 1 from assertions where id = $id", id=memory_id))

    def parts(self, memory_id: str) -> list[str]:
        """The memories that determine a memory's strength: everything in a MemCell or scene, else the memory itself."""
        return [row["id"] for row in self.sql.rows(PARTS, id=memory_id)] or [memory_id]

    def strictest(self, memory_id: str, tiers: Mapping[str, Tier]) -> Tier:
        """The tier of a memory: the strictest of everything that it is derived from. `tiers` are those of domains."""
        order = list(Tier)
        rows = self.sql.rows(TIERS, id=memory_id)
        own = (Tier(row["privacy_tier"] or tiers.get(row["domain"], Tier.PRIVATE)) for row in rows)
        return max(own, key=order.index, default=Tier.PUBLIC)


def several(prefix: str, ids: Sequence[str]) -> UsageError:
    """The error for the beginning of several ids."""
    return UsageError(f"{prefix} matches several memories", f"write more of the id: {', '.join(ids[:2])}, …")


def resolved(sql: Sql, prefix: str, *, assertions: bool = False) -> str:
    """The one id of a memory, MemCell, scene or conversation that begins with the prefix.

    Raises UsageError where none or several do, where the prefix is empty, and for an assertion unless `assertions` are
    wanted too.
    """
    prefix = id_given(prefix)
    query = """
        select id, stated from (
          select id, true as stated from assertions union all select id, false from (
          select id from messages union all select event_id from memcells union all select id from episodes
          union all select id from event_logs union all select id from foresights union all select id from digests
          union all select id from conversations union all select scene_id from scenes
          union all select id from interactions union all select id from rules))
        where starts_with(id, $prefix) limit 2"""
    rows = sql.rows(query, prefix=prefix)
    if not rows:
        raise UsageError(f"{prefix} is not in this memory", SHOW_IDS)
    if len(rows) > 1:
        raise several(prefix, [str(row["id"]) for row in rows])
    if rows[0]["stated"] and not assertions:
        raise UsageError(f"{prefix} is an assertion, which is read from a message", BEHIND)
    return str(rows[0]["id"])
