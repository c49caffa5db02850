"""What an agent may not see is not there: every table, as a reader finds it, without the withheld rows.

A temporary view has precedence over the table of its name, so this holds for every query of every command. A table
without a rule is empty for an agent.
"""

from collections.abc import Mapping, Sequence

import duckdb

from evermem_cli.memory import Tier
from evermem_cli.store.lifecycle.forget import KEYS, MENTIONS, RESTS_ON, RESTS_ON_ANY
from evermem_cli.store.read.merged_names import still_said
from evermem_cli.store.schema.migrations import TEXTS

# Who has read, and what messages said before they were edited, perhaps to take something private out.
FOR_THE_OWNER = ("access_log", "message_edits")
# Rows that rest on more than what they name here stay when one part is withheld: a MemCell goes with its last message,
# a fact of a group chat with the messages it cites and not with the narrative it hangs on.
ALSO_STANDS_ALONE = {"parent_id", "memcell_id"}
ALSO_MENTIONS = {"memcells": ("scene_id",), "scenes": ("previous_scene_id",)}
# Texts that sum up what is partly withheld, and the query for the rows where they do.
SUMS_UP = {
    "memcells": ("summary", "event_id in (select memcell_id from evermem.main.messages where id in (from withheld))"),
    "conversations": ("title", "id in (select conversation_id from evermem.main.messages where id in (from withheld))"),
}
# What the user said of a memory decides, else the tier of its domain; what has none is withheld. A narrative has no
# domain of its own: it is as private as the messages it tells of.
OWN_TIER = f"""
    with told as ({" union all ".join(f"select id, domain from {table}" for table in TEXTS)})
    select id from told left join privacy on memory_id = id
    where privacy_tier is null and coalesce(domain not in (select unnest($open)), true) union
    select memory_id from privacy where privacy_tier in (select unnest($hidden))"""
# The messages behind a withheld memory, and all of a withheld MemCell or conversation.
BEHIND = """
    insert into withheld
    select message_id from sources where memory_id in (from withheld) union
    select id from messages where memcell_id in (from withheld) or conversation_id in (from withheld)"""
# Whatever was drawn from a withheld message, and what holds nothing but withheld messages.
DRAWN = (
    "select memory_id from sources where message_id in (from withheld)",
    "select memcell_id from messages group by memcell_id having bool_and(id in (from withheld))",
    "select conversation_id from messages group by conversation_id having bool_and(id in (from withheld))",
    """select scene_id from memcells join messages on memcell_id = event_id
       where scene_id is not null and messages.id in (from withheld)""",
    "select rule_id from rule_evidence where interaction_id in (from withheld)",
)


def veil(connection: duckdb.DuckDBPyConnection, hidden: Sequence[Tier], tiers: Mapping[str, Tier]) -> None:
    """Hides what has one of the `hidden` tiers, with the messages behind it and all that was drawn from those."""
    readable = [domain for domain, tier in tiers.items() if tier not in hidden]
    connection.execute(f"create temp table withheld as {OWN_TIER}", {"open": readable, "hidden": list(hidden)})
    connection.execute(BEHIND)
    for query in (*DRAWN, *_resting()):
        connection.execute(f"insert into withheld select id from ({query}) as found(id) where id is not null")
    tables = connection.execute("""
        select table_name from duckdb_tables() where database_name = 'evermem' and schema_name = 'main'""")
    for (table,) in tables.fetchall():
        connection.execute(_view(table))


def _resting() -> list[str]:
    """What rests on withheld rows; facts before what rests on facts, as the tables stand in the schema."""
    return [
        f"select {KEYS[table]} from {table} where {column} in (from withheld)"
        for table, columns in RESTS_ON.items()
        if KEYS[table]
        for column in columns
        if column not in ALSO_STANDS_ALONE
    ]


def _view(table: str) -> str:
    if table == "postings":
        return f"create temp view {table} as from evermem.main.{table} where head in (select head from documents)"
    if table not in KEYS or table in FOR_THE_OWNER:
        return f"create temp view {table} as select * from evermem.main.{table} where false"
    key = KEYS[table]
    named = ((key,) if key else ()) + tuple(set(RESTS_ON.get(table, ())) - ALSO_STANDS_ALONE)
    kept = [f"coalesce({column} not in (from withheld), true)" for column in named]
    kept += [
        f"not list_has_any({column}, coalesce((select list(id) from withheld), []))"
        for column in RESTS_ON_ANY.get(table, ())
    ]
    if table == "merged":
        kept.append(still_said("true"))  # in what the agent may see
    stays = " and ".join(kept) or "true"
    changed = [
        f"case when {column} not in (from withheld) then {column} end as {column}" for column in MENTIONS.get(table, ())
    ]
    if table in SUMS_UP:
        text, where = SUMS_UP[table]
        changed.append(f"case when {where} then '' else {text} end as {text}")
    replaced = f"replace ({', '.join(changed)})" if changed else ""
    return f"create temp view {table} as select * {replaced} from evermem.main.{table} where {stays}"
