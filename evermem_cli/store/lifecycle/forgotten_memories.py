"""Marks the memories that the user forgot by their ids, while their messages stay, so that none is formed again.

A mark goes with the messages that it knows: the last one of an episode, fact or foresight, all of anything else.
"""

from evermem_cli.memory import forgotten_mark
from evermem_cli.store.schema.rows import Row
from evermem_cli.store.schema.sql import Sql

# What the user chose, before all that rests on it is added to `doomed`.
_CHOSEN = "create or replace temp table chosen as from doomed"
# The chosen memories and those formed or read of them. Only the first three have ids that change with their topics.
_MARKED = """
    with own as (
      select 'fact' as kind, id, atomic_fact as text from event_logs
      where id in (from chosen) or parent_id in (from chosen) union all
      select 'foresight', id, foresight from foresights
      where id in (from chosen) or parent_id in (from chosen) union all
      select 'episode', id, episode from episodes where id in (from chosen) union all
      select null, id, null from assertions where list_has_any(fact_ids, (select list(id) from chosen)) union all
      select null, id, null from interactions where id in (from chosen)),
    drawn as (
      select kind, own.id, text, list(message_id order by place) as message_ids
      from own join sources on memory_id = own.id group by all union all
      select null, rule_id, null, list(distinct message_id)
      from rule_evidence join sources on memory_id = interaction_id where rule_id in (from chosen) group by rule_id)
    select * from drawn where not list_has_any(message_ids, (select list(id) from doomed))"""


def note_chosen(sql: Sql) -> None:
    """Keeps what the selection names by ids, apart from what it names by words."""
    sql.execute(_CHOSEN)


def mark_forgotten(sql: Sql) -> None:
    """Stores in `fresh` the marks of chosen memories whose messages all stay."""
    marks = [
        {
            "mark": forgotten_mark(*_known_by(row)),
            "message_ids": str(row["message_ids"][-1:] if row["kind"] else row["message_ids"]),
        }
        for row in sql.rows(_MARKED)
    ]
    if marks:
        sql.register(marks)
        sql.execute("insert or ignore into fresh.forgotten_memories by name select * from incoming")


def _known_by(row: Row) -> tuple[str, ...]:
    return (row["kind"], row["message_ids"][-1], row["text"]) if row["kind"] else (row["id"],)


def forgotten_marks(sql: Sql) -> dict[str, tuple[str, ...]]:
    """The marks of all forgotten memories, each with the ids of the messages that it goes with."""
    rows = sql.rows("select mark, message_ids from forgotten_memories")
    return {row["mark"]: tuple(row["message_ids"]) for row in rows}
