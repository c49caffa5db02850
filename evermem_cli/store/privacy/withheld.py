"""Hides withheld rows from an agent: every table is replaced by a temporary view without them.

A temporary view takes precedence over the table of its name, so rows are hidden from every query of every command. A
table without a rule is empty for an agent.
"""

from collections.abc import Collection, Mapping, Sequence

import duckdb
import numpy as np

from evermem_cli.memory import Tier
from evermem_cli.reading.domain import GENERAL, attribute_domain
from evermem_cli.store.index.sketches import among
from evermem_cli.store.lifecycle.forget import KEYS, MENTIONS, RESTS_ON, RESTS_ON_ALL, RESTS_ON_ANY
from evermem_cli.store.read.names import still_said
from evermem_cli.store.schema.migrations import TEXTS

# Who has read, and what messages said before an edit, which may have removed something private.
FOR_THE_OWNER = ("access_log", "message_edits")
LISTING = RESTS_ON_ANY | RESTS_ON_ALL  # the columns with ids of several rows, none of which may be withheld
# Rows that depend on more than what they name here stay when one part is withheld: a MemCell goes with its last
# message, a fact of a group chat with the messages that it cites and not with the narrative that it belongs to.
ALSO_STANDS_ALONE = {"parent_id", "memcell_id"}
# Texts that summarise partly withheld rows, and the rows concerned.
PARTLY = """
    create temp table partly as
    select distinct unnest([memcell_id, conversation_id]) as id
    from evermem.main.messages where id in (from withheld)"""
SUMS_UP = {"memcells": ("summary", "event_id in (from partly)"), "conversations": ("title", "id in (from partly)")}
# A tier set by the user decides, else that of the memory's domain; an unknown domain is withheld. A narrative has no
# domain of its own and is as private as its messages.
# Each rule gives ids to withhold, and the id of a memory because of which each of them is: its own where no other is.
SAID = "select memory_id from privacy"
OWN_TIER = " union all ".join(
    [
        "select memory_id as id, memory_id as because from privacy where privacy_tier in (select unnest($hidden))",
        *(
            f"""select id, id from {table}
                where coalesce(domain not in (select unnest($open)), true) and id not in ({SAID})"""
            for table in TEXTS
        ),
    ]
)
# What a message states is as private as the attribute that it is of: "They said 58,000" tells a salary, and none of its
# words says so. What the user said of the message decides before that.
OF_ATTRIBUTES = f"""
    select id, id as because from assertions where attribute in (select unnest($attributes)) and id not in (
      select memory_id from sources where message_id in ({SAID}))"""
# The messages behind a withheld memory, and all messages of a withheld MemCell or conversation.
BEHIND = """
    select message_id as id, memory_id as because from sources where memory_id in (from withheld) union all
    select id, memcell_id from messages where memcell_id in (from withheld) union all
    select id, conversation_id from messages where conversation_id in (from withheld)"""
# Whatever was derived from a withheld message, and whatever holds nothing but withheld messages.
DRAWN = (
    "select memory_id as id, message_id as because from sources where message_id in (from withheld)",
    """select memcell_id as id, any_value(id) as because from messages
       group by memcell_id having bool_and(id in (from withheld))""",
    """select conversation_id as id, any_value(id) as because from messages
       group by conversation_id having bool_and(id in (from withheld))""",
    """select scene_id as id, messages.id as because from memcells join messages on memcell_id = event_id
       where scene_id is not null and messages.id in (from withheld)""",
    "select rule_id as id, interaction_id as because from rule_evidence where interaction_id in (from withheld)",
)
WITHHOLD = "insert into withheld select distinct id from ({rule}) where id is not null"
# The first reason of each is kept, so that reasons lead back to a memory that is withheld by its own tier.
GROUNDS = """
    insert into grounds select id, any_value(because) from ({rule})
    where id is not null and id not in (select id from grounds) group by id"""

TABLES = """
    select table_name, estimated_size from duckdb_tables() where database_name = 'evermem' and schema_name = 'main'"""
# Tables with more rows than this are examined once, not by every query: a bit per row then tells whether it may be
# seen. A row is identified by its position in the file, which does not change within a read transaction; an entry and
# its postings are identified by the entry's number.
LARGE = 10_000
NUMBERED = {"documents": "number", "postings": "head"}
# Of all that is withheld, what the rows of other tables name: few ids, which every query on their views looks through.
NAMED = "create temp table withheld_here as select distinct id from withheld where id in ({named})"
# Facts that ended because of something withheld: an agent sees neither that end nor when it was said.
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
# The entries whose bits are set and that may be seen, in one condition: DuckDB pushes only one into the scan, and would
# otherwise read the vectors of all others.
CHOSEN = """
    create temp macro chosen_documents(numbers) as table
    from {entries} where get_bit({chosen}, number::integer) = 1"""


def hide_withheld(
    connection: duckdb.DuckDBPyConnection, hidden: Sequence[Tier], tiers: Mapping[str, Tier], large: int = LARGE
) -> None:
    """Hides everything with one of the `hidden` tiers, the messages behind it, and everything derived from those."""
    _list_withheld(connection, hidden, tiers)
    connection.execute(PARTLY)
    connection.execute(UNENDED)
    tables = dict(connection.execute(TABLES).fetchall())
    bits = {table for table, rows in tables.items() if table in NUMBERED or rows > large}
    connection.execute(NAMED.format(named=_named(tables, bits)))
    # the messages that names occur in are hidden before `merged`
    order = {table: place for place, table in enumerate(KEYS)}
    entries = WITH_OWN_END if connection.execute("from unended limit 1").fetchall() else "evermem.main.documents"
    for table in sorted(tables, key=lambda table: order.get(table, 0)):
        if table == "documents" or (table in bits and table not in NUMBERED):
            _look_through(connection, table)
        source = entries if table == "documents" else f"evermem.main.{table}"
        connection.execute(_view(table, source, _is_seen(table) if table in bits else _stays(table, "withheld_here")))
    connection.execute(CHOSEN.format(entries=entries, chosen="numbers & getvariable('seen_documents')"))


def define_for_owner(connection: duckdb.DuckDBPyConnection) -> None:
    """Defines for the owner the views that `hide_withheld` defines for an agent beside the tables."""
    connection.execute(CHOSEN.format(entries="evermem.main.documents", chosen="numbers"))


def withheld_because(
    connection: duckdb.DuckDBPyConnection, memory_id: str, hidden: Sequence[Tier], tiers: Mapping[str, Tier]
) -> str | None:
    """The memory or assertion by whose own tier this one is hidden, itself or another; None where it is not hidden.

    Works the list of hidden memories out in this connection, for the owner.
    """
    connection.execute("create or replace temp table grounds (id varchar, because varchar)")
    _list_withheld(connection, hidden, tiers, GROUNDS)
    because: dict[str, str] = dict(connection.execute("from grounds").fetchall())
    if memory_id not in because:
        return None
    while because[memory_id] != memory_id:
        memory_id = because[memory_id]
    return memory_id


def _list_withheld(
    connection: duckdb.DuckDBPyConnection, hidden: Sequence[Tier], tiers: Mapping[str, Tier], note: str = ""
) -> None:
    """Makes `withheld` a table of the ids of everything that is hidden; `note` is run for each rule before that."""
    readable = [domain for domain, tier in tiers.items() if tier not in hidden]
    stated = [row[0] for row in connection.execute("select distinct attribute from assertions").fetchall()]
    closed = [attribute for attribute in stated if attribute_domain(attribute) not in (*readable, GENERAL)]
    given = {OWN_TIER: {"open": readable, "hidden": list(hidden)}, OF_ATTRIBUTES: {"attributes": closed}}
    connection.execute("create or replace temp table withheld (id varchar)")
    for rule in (OWN_TIER, OF_ATTRIBUTES, BEHIND, *DRAWN, *_resting()):
        for statement in (note, WITHHOLD) if note else (WITHHOLD,):
            connection.execute(statement.format(rule=rule), given.get(rule))


def _resting() -> list[str]:
    """Queries for what depends on withheld rows; facts come before what depends on them, in the schema's order."""
    return [
        f"select {KEYS[table]} as id, {column} as because from {table} where {column} in (from withheld)"
        for table, columns in RESTS_ON.items()
        if KEYS[table]
        for column in columns
        if column not in ALSO_STANDS_ALONE
    ]


def _named(tables: Collection[str], bits: Collection[str]) -> str:
    """A query for the ids that decide about rows without a bit, and those that rows mention."""
    columns = [(table, column) for table in tables for column in MENTIONS.get(table, ())]
    for table in set(tables) - set(bits):
        columns += [(table, column) for column in _names(table)]
        columns += [(table, f"unnest({column})") for column in LISTING.get(table, ())]
    return " union all ".join(f"select {column} from evermem.main.{table}" for table, column in columns)


def _names(table: str) -> tuple[str, ...]:
    """The columns whose ids decide whether an agent may see a row."""
    key = KEYS.get(table)
    return ((key,) if key else ()) + tuple(set(RESTS_ON.get(table, ())) - ALSO_STANDS_ALONE)


def _stays(table: str, withheld: str = "withheld") -> str:
    """The condition for the rows of a table that an agent may see; `withheld` is the table of ids to look through."""
    if table not in KEYS or table in FOR_THE_OWNER:
        return "false"
    kept = [f"coalesce({column} not in (from {withheld}), true)" for column in _names(table)]
    kept += [
        f"not list_has_any({column}, coalesce((select list(id) from {withheld}), []))"
        for column in LISTING.get(table, ())
    ]
    if table == "merged":
        kept.append(still_said("true"))  # in what the agent may see
    return " and ".join(kept) or "true"


def _look_through(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    """Stores the rows of a table that an agent may see as bits; all others are hidden."""
    query = f"""
        select coalesce(max(place), 0) as last, coalesce(list(place) filter (stays), []) as seen from (
          select {NUMBERED.get(table, "rowid")} as place, {_stays(table)} as stays from evermem.main.{table})"""
    bits = connection.execute(query).fetchnumpy()
    rows = among(np.asarray(bits["seen"][0], dtype=np.int64), int(bits["last"][0]))
    connection.execute(f"set variable seen_{table} = $rows::blob::bit", {"rows": rows})


def _is_seen(table: str) -> str:
    """The condition that a row's bit is set. A scan checks the bits before it reads anything else."""
    noted = "documents" if table in NUMBERED else table
    return f"get_bit(getvariable('seen_{noted}'), {NUMBERED.get(table, 'rowid')}::integer) = 1"


def _view(table: str, source: str, stays: str) -> str:
    changed = [
        f"case when {column} not in (from withheld_here) then {column} end as {column}"
        for column in MENTIONS.get(table, ())
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
