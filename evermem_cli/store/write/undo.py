"""The state before the user's last action, kept in the schema `undo` until the next action.

An action is not undone row by row, since topics are formed, scenes derived and memories accessed meanwhile. What
depends on the messages that it added is removed as in forgetting; rows that it changed or removed are restored; and
consolidation settles the rest.
"""

import duckdb

from evermem_cli.memory import Action, ActionKind
from evermem_cli.store.lifecycle.forget import KEYS, RESTS_ON, spread
from evermem_cli.store.schema import rows

# The kept rows, and the column that groups them: all rows of one memory are kept together.
KEPT = {
    "conversations": "id",
    "messages": "id",
    "memcells": "event_id",
    "episodes": "id",
    "event_logs": "id",
    "foresights": "id",
    "digests": "id",
    "assertions": "id",
    "sources": "memory_id",
    "documents": "memory_id",
    "message_edits": "message_id",
    "mentions": "message_id",
    "statements": "message_id",
    "readings": "message_id",
    "verdicts": "message_id",
    "privacy": "memory_id",
    "corrections": "id",
    "forgotten_memories": "mark",
}
# Rows derived from a whole chat with an assistant, kept per chat: by column, with the condition.
OF_A_CHAT = {
    "interactions": ("id", "conversation_id = $chat"),
    "situations": ("interaction_id", "interaction_id in (select id from interactions where conversation_id = $chat)"),
    "sources": ("memory_id", "memory_id in (select id from interactions where conversation_id = $chat)"),
    "reflections": ("conversation_id", "conversation_id = $chat"),
    "forgotten": ("message_id", "conversation_id = $chat"),
}
NAMED = "create table if not exists undo.named (id varchar, speaker varchar)"  # an earlier evermem kept no names
BEGIN = (
    "drop schema if exists undo cascade",
    "create schema undo",
    "create table undo.action (id varchar, kind varchar, done_at timestamp)",
    "create table undo.added (id varchar)",
    "create table undo.chats (id varchar)",
    "create table undo.places (id varchar, ordinal integer, external_id varchar)",
    "create table undo.said_by (id varchar, user_id varchar)",
    NAMED,
    "create table undo.covered (id varchar)",
    "create table undo.reread (id varchar)",
    # Rows that consolidation derives anew keep the time at which they were first written.
    """create table undo.written as
       select scene_id as id, created_at from scenes union all select id, created_at from assertions""",
    "create table undo.rules as from rules",
    "create table undo.rule_evidence as from rule_evidence",
    "create table undo.merged as from merged",
    *(f"create table undo.{table} as from {table} limit 0" for table in {**KEPT, **OF_A_CHAT, "postings": ""}),
)
# The messages of the topics that change, unless kept before or added by the same action.
TOUCHED = """
    insert into doomed
    select id from messages where conversation_id = $chat and memcell_id in (
      select memcell_id from messages left join memcells on event_id = memcell_id
      where messages.conversation_id = $chat
      and (is_open or ordinal >= $recut or messages.id in (select unnest($changed))))
    and id not in (select id from undo.messages) and id not in (select id from undo.added)"""
DOOM = """
    insert into doomed
    select id from undo.added union select id from undo.messages union
    select id from interactions where conversation_id in (select id from undo.chats)"""
# In this order, since the first statements depend on what the last ones change.
PUT_BACK = (
    "update memcells set scene_id = null where event_id in (select event_id from undo.memcells)",
    # Consolidation places anew the topics of those who still have chats, and nobody else's.
    "delete from scenes where user_id not in (select user_id from conversations)",
    """update messages set ordinal = places.ordinal, external_id = places.external_id
       from undo.places as places where places.id = messages.id""",
    "delete from forgotten where conversation_id in (select id from undo.chats)",
    "insert into forgotten from undo.forgotten",
    "delete from reflections where conversation_id in (select id from undo.chats)",
    "insert into reflections from undo.reflections",
    "insert into interactions from undo.interactions",
    "insert into situations from undo.situations",
    "insert into rules from undo.rules where id not in (select id from rules)",
    """update rules set contradicted = before.contradicted from undo.rules as before where before.id = rules.id""",
    "delete from rule_evidence where rule_id in (select id from undo.rules)",
    "insert into rule_evidence from undo.rule_evidence",
    "delete from privacy where memory_id in (select id from undo.covered)",
    "insert into privacy from undo.privacy where memory_id in (select id from undo.covered)",
    "delete from merged",
    "insert into merged from undo.merged",
    "update memcells set consolidated = false where event_id in (select id from undo.reread)",
    NAMED,
    *(
        f"update {table} set speaker = named.speaker from undo.named as named where named.id = {table}.id"
        for table in ("messages", "event_logs")
    ),
)
DATE = (
    "update scenes set created_at = written.created_at from undo.written as written where id = scene_id",
    """update assertions set created_at = written.created_at
       from undo.written as written where written.id = assertions.id""",
    "drop schema undo cascade",
)


def begin(connection: duckdb.DuckDBPyConnection, action: Action) -> None:
    """Begins an action that can be undone, unless it has begun already."""
    last = last_action(connection)
    if last is None or last.id != action.id:
        for statement in BEGIN:
            connection.execute(statement)
        connection.execute(
            "insert into undo.action values ($id, $kind, $at)",
            {"id": action.id, "kind": action.kind.value, "at": rows.utc(action.done_at)},
        )


def last_action(connection: duckdb.DuckDBPyConnection) -> Action | None:
    """The user's last action; None where it is unknown or was undone."""
    try:
        actions = connection.execute("select * from undo.action").fetchall()
    except duckdb.CatalogException:
        return None
    known = [rows.aware({"id": name, "kind": kind, "at": at}) for name, kind, at in actions]
    return Action(id=known[0]["id"], kind=ActionKind(known[0]["kind"]), done_at=known[0]["at"]) if known else None


def keep_chat(
    connection: duckdb.DuckDBPyConnection, chat: str, changed: list[str], resegment_from: int | None, *, moves: bool
) -> None:
    """Keeps what ingesting more of a chat may change: the open topic, and the topics of `changed` messages.

    Topics from `resegment_from` on are kept too. `moves`: messages change their places.
    """
    _keep_of_chat(connection, chat)
    if moves:
        connection.execute(
            """insert into undo.places select id, ordinal, external_id from messages where conversation_id = $chat
               and id not in (select id from undo.added) and id not in (select id from undo.places)""",
            {"chat": chat},
        )
    connection.execute("create or replace temp table doomed (id varchar)")
    connection.execute(TOUCHED, {"chat": chat, "changed": changed, "recut": resegment_from})
    spread(connection)
    # With messages go the corrections that state them, and with the last correction its chat.
    for (other,) in connection.execute("select id from conversations where id in (from doomed)").fetchall():
        _keep_of_chat(connection, other)
    keep_doomed(connection)


def keep_doomed(connection: duckdb.DuckDBPyConnection) -> None:
    """Keeps all rows that depend on `doomed` rows."""
    for table, column in KEPT.items():
        apart = " and memory_id not in (select id from interactions)" * (table == "sources")
        _keep(connection, table, column, _goes(table) + apart, {})
    heads = "select head from undo.documents"
    connection.execute(
        f"""insert into undo.postings from postings
            where head in ({heads}) and head not in (select head from undo.postings)"""
    )


def take_back(connection: duckdb.DuckDBPyConnection) -> None:
    """Removes what depends on added messages, and restores what was kept; consolidation does the rest.

    The action stays the last one until `date`. After an interruption it can be taken back again, to the same effect.
    """
    connection.execute("create or replace temp table doomed (id varchar)")
    connection.execute(DOOM)
    spread(connection)
    _delete_doomed(connection)
    for table, column in KEPT.items():
        if table != "privacy":
            connection.execute(f"delete from {table} where {column} in (select {column} from undo.{table})")
            connection.execute(f"insert into {table} from undo.{table}")
    connection.execute("delete from postings where head in (select head from undo.postings)")
    connection.execute("insert into postings from undo.postings")
    connection.execute("""
        insert into privacy from undo.privacy where memory_id not in (select memory_id from privacy)""")
    for statement in PUT_BACK:
        connection.execute(statement)


def date(connection: duckdb.DuckDBPyConnection) -> None:
    """Restores the original creation times of rows derived anew, and empties the schema."""
    for statement in DATE:
        connection.execute(statement)


def _keep_of_chat(connection: duckdb.DuckDBPyConnection, chat: str) -> None:
    if not connection.execute("select id from undo.chats where id = $chat", {"chat": chat}).fetchall():
        for table, (column, belongs) in OF_A_CHAT.items():
            _keep(connection, table, column, belongs, {"chat": chat})
        connection.execute("insert into undo.chats values ($chat)", {"chat": chat})


def _delete_doomed(connection: duckdb.DuckDBPyConnection) -> None:
    heads = "select head from documents where memory_id in (from doomed)"
    connection.execute(f"delete from postings where head in ({heads})")
    for table in KEYS:
        if _goes(table) and table not in ("scenes", "privacy"):
            connection.execute(f"delete from {table} where {_goes(table)}")
    connection.execute("""
        delete from privacy where memory_id in (from doomed) and memory_id not in (select scene_id from scenes)""")


def _goes(table: str) -> str:
    """The condition for the rows of a table that go with doomed rows; empty where none do."""
    key = KEYS[table]
    columns = ((key,) if key else ()) + RESTS_ON.get(table, ())
    condition = " or ".join(f"coalesce({column} in (from doomed), false)" for column in columns)
    return f"({condition})" if condition else ""


def _keep(
    connection: duckdb.DuckDBPyConnection, table: str, column: str, belongs: str, given: dict[str, object]
) -> None:
    connection.execute(
        f"""insert into undo.{table} from {table}
            where {belongs} and {column} not in (select {column} from undo.{table})""",
        given,
    )
