"""What an agent may not see is not there: every table, as a reader finds it, without the withheld rows.

A temporary view has precedence over the table of its name, so this holds for every query of every command. A table
without a rule is empty for an agent.
"""

from collections.abc import Mapping, Sequence

import duckdb
import numpy as np

from evermem_cli.memory import Tier
from evermem_cli.store.index.sketches import among
from evermem_cli.store.lifecycle.forget import KEYS, MENTIONS, RESTS_ON, RESTS_ON_ANY
from evermem_cli.store.read.merged_names import still_said
from evermem_cli.store.schema.migrations import TEXTS

# Who has read, and what messages said before they were edited, perhaps to take something private out.
FOR_THE_OWNER = ("access_log", "message_edits")
# Rows that rest on more than what they name here stay when one part is withheld: a MemCell goes with its last message,
# a fact of a group chat with the messages it cites and not with the narrative it hangs on.
ALSO_STANDS_ALONE = {"parent_id", "memcell_id"}
ALSO_MENTIONS = {"memcells": ("scene_id",), "scenes": ("previous_scene_id",)}
# Texts that sum up what is partly withheld, and the rows where they do.
PARTLY = """
    create temp table partly as
    select unnest([memcell_id, conversation_id]) as id from evermem.main.messages where id in (from withheld)"""
SUMS_UP = {"memcells": ("summary", "event_id in (from partly)"), "conversations": ("title", "id in (from partly)")}
# What the user said of a memory decides, else the tier of its domain; what has none is withheld. A narrative has no
# domain of its own: it is as private as the messages it tells of.
SAID = "select memory_id from privacy"
OWN_TIER = " union all ".join(
    [
        "select memory_id as id from privacy where privacy_tier in (select unnest($hidden))",
        *(
            f"select id from {table} where coalesce(domain not in (select unnest($open)), true) and id not in ({SAID})"
            for table in TEXTS
        ),
    ]
)
# The messages behind a withheld memory, and all of a withheld MemCell or conversation.
BEHIND = """
    insert into withheld
    select message_id from sources where memory_id in (from withheld) union
    select id from messages where memcell_id in (from withheld) union
    select id from messages where conversation_id in (from withheld)"""
# Whatever was drawn from a withheld message, and what holds nothing but withheld messages.
DRAWN = (
    "select memory_id from sources where message_id in (from withheld)",
    "select memcell_id from messages group by memcell_id having bool_and(id in (from withheld))",
    "select conversation_id from messages group by conversation_id having bool_and(id in (from withheld))",
    """select scene_id from memcells join messages on memcell_id = event_id
       where scene_id is not null and messages.id in (from withheld)""",
    "select rule_id from rule_evidence where interaction_id in (from withheld)",
)


TABLES = """
    select table_name, estimated_size from duckdb_tables() where database_name = 'evermem' and schema_name = 'main'"""
# Tables of more rows than this are looked through once, not by every query: a bit for each row then tells what may be
# seen. A row is known by its place in the file, which nothing changes while a transaction reads; an entry by its
# number, and the entry's words by the same number.
LARGE = 10_000
NUMBERED = {"documents": "number", "postings": "head"}
# Facts that ended because of something that is withheld: an agent sees neither that end nor when it was told.
UNENDED = """
    create temp table unended as
    select id, invalid_at, invalid_grain from evermem.main.event_logs
    where superseded_told_at in (
      select said_at from evermem.main.messages where id in (from withheld) union
      select said_at from evermem.main.assertions where id in (from withheld))"""
ENDED_BY_OTHERS = ("superseded_at", "superseded_grain", "superseded_told_at")
WITH_OWN_END = """(
    select documents.* replace (
      if(unended.id is null, documents.invalid_at, unended.invalid_at) as invalid_at,
      if(unended.id is null, documents.invalid_grain, unended.invalid_grain) as invalid_grain,
      if(unended.id is null, superseded_told_at, null) as superseded_told_at)
    from evermem.main.documents left join unended on unended.id = memory_id) as documents"""
# The entries whose bits are set and that may be seen, in one condition: DuckDB takes only one into the scan, and would
# read the vectors of all others.
CHOSEN = """
    create temp macro chosen_documents(numbers) as table
    from {entries} where get_bit({chosen}, number::integer) = 1"""


def hide_withheld(
    connection: duckdb.DuckDBPyConnection, hidden: Sequence[Tier], tiers: Mapping[str, Tier], large: int = LARGE
) -> None:
    """Hides what has one of the `hidden` tiers, with the messages behind it and all that was drawn from those."""
    list_withheld(connection, hidden, tiers)
    connection.execute(PARTLY)
    connection.execute(UNENDED)
    order = {table: place for place, table in enumerate(KEYS)}  # what names are said by is veiled before `merged`
    entries = WITH_OWN_END if connection.execute("from unended limit 1").fetchall() else "evermem.main.documents"
    for table, rows in sorted(connection.execute(TABLES).fetchall(), key=lambda each: order.get(each[0], 0)):
        if table == "documents" or (rows > large and table not in NUMBERED):
            _look_through(connection, table)
        by_row = table in NUMBERED or rows > large
        source = entries if table == "documents" else f"evermem.main.{table}"
        connection.execute(_view(table, source, _is_seen(table) if by_row else _stays(table)))
    connection.execute(CHOSEN.format(entries=entries, chosen="numbers & getvariable('seen_documents')"))


def define_for_owner(connection: duckdb.DuckDBPyConnection) -> None:
    """Defines for the owner what `hide_withheld` defines for an agent beside the tables."""
    connection.execute(CHOSEN.format(entries="evermem.main.documents", chosen="numbers"))


def list_withheld(connection: duckdb.DuckDBPyConnection, hidden: Sequence[Tier], tiers: Mapping[str, Tier]) -> None:
    """Makes `withheld` a table of the ids of all that `hide_withheld` would hide; hides nothing."""
    readable = [domain for domain, tier in tiers.items() if tier not in hidden]
    connection.execute(f"create temp table withheld as {OWN_TIER}", {"open": readable, "hidden": list(hidden)})
    connection.execute(BEHIND)
    for query in (*DRAWN, *_resting()):
        connection.execute(f"insert into withheld select id from ({query}) as found(id) where id is not null")


def _resting() -> list[str]:
    """What rests on withheld rows; facts before what rests on facts, as the tables stand in the schema."""
    return [
        f"select {KEYS[table]} from {table} where {column} in (from withheld)"
        for table, columns in RESTS_ON.items()
        if KEYS[table]
        for column in columns
        if column not in ALSO_STANDS_ALONE
    ]


def _stays(table: str) -> str:
    """The condition on the rows of a table that an agent may see."""
    if table not in KEYS or table in FOR_THE_OWNER:
        return "false"
    key = KEYS[table]
    named = ((key,) if key else ()) + tuple(set(RESTS_ON.get(table, ())) - ALSO_STANDS_ALONE)
    kept = [f"coalesce({column} not in (from withheld), true)" for column in named]
    kept += [
        f"not list_has_any({column}, coalesce((select list(id) from withheld), []))"
        for column in RESTS_ON_ANY.get(table, ())
    ]
    if table == "merged":
        kept.append(still_said("true"))  # in what the agent may see
    return " and ".join(kept) or "true"


def _look_through(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    """Notes the rows of a table that an agent may see as bits; all others are hidden."""
    query = f"""
        select coalesce(max(place), 0) as last, coalesce(list(place) filter (stays), []) as seen from (
          select {NUMBERED.get(table, "rowid")} as place, {_stays(table)} as stays from evermem.main.{table})"""
    bits = connection.execute(query).fetchnumpy()
    rows = among(np.asarray(bits["seen"][0], dtype=np.int64), int(bits["last"][0]))
    connection.execute(f"set variable seen_{table} = $rows::blob::bit", {"rows": rows})


def _is_seen(table: str) -> str:
    """The condition that a row's bit is set: a scan looks at the bits before it reads anything else."""
    noted = "documents" if table in NUMBERED else table
    return f"get_bit(getvariable('seen_{noted}'), {NUMBERED.get(table, 'rowid')}::integer) = 1"


def _view(table: str, source: str, stays: str) -> str:
    changed = [
        f"case when {column} not in (from withheld) then {column} end as {column}" for column in MENTIONS.get(table, ())
    ]
    if table == "event_logs":
        changed += [
            f"case when id not in (select id from unended) then {column} end as {column}" for column in ENDED_BY_OTHERS
        ]
    if table in SUMS_UP:
        text, where = SUMS_UP[table]
        changed.append(f"case when {where} then '' else {text} end as {text}")
    replaced = f"replace ({', '.join(changed)})" if changed else ""
    return f"create temp view {table} as select * {replaced} from {source} where {stays}"
