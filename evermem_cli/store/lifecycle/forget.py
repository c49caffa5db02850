"""Forgetting: finds the rows that depend on what is forgotten, and rewrites the memory file without them."""

from collections.abc import Collection

import duckdb
import numpy as np

from evermem_cli.errors import UsageError
from evermem_cli.languages.words import words_of
from evermem_cli.memory import Forgotten, Selection, content_id, id_given
from evermem_cli.store.lifecycle.forgotten_memories import mark_forgotten, note_chosen
from evermem_cli.store.lifecycle.uncorrected import FORMED_ANEW, READ_ANEW
from evermem_cli.store.read.names import NameReader, still_said
from evermem_cli.store.read.overview import KEPT
from evermem_cli.store.read.records import resolved
from evermem_cli.store.schema.rows import utc
from evermem_cli.store.schema.sql import Sql

# The column that identifies each table's rows; None for rows that only describe others.
KEYS: dict[str, str | None] = {
    "meta": None,
    **dict.fromkeys(("conversations", "messages"), "id"),
    "memcells": "event_id",
    **dict.fromkeys(("episodes", "event_logs", "foresights", "digests"), "id"),
    "sources": None,
    "scenes": "scene_id",
    "assertions": "id",
    "conflicts": "id",
    "accords": None,
    "documents": None,
    "postings": None,  # depend on the documents, and are copied after them
    "forgotten": None,
    "forgotten_memories": "mark",
    "privacy": None,
    "access_log": None,
    "interactions": "id",
    "situations": None,
    "rules": "id",
    "rule_evidence": None,
    "reflections": None,
    "message_edits": None,
    "mentions": None,
    "corrections": "id",
    **dict.fromkeys(("statements", "readings", "verdicts", "merged", "exchanged")),
}
# A row goes when the row named by one of these columns goes.
RESTS_ON = {
    "messages": ("conversation_id",),
    "memcells": ("conversation_id",),
    "episodes": ("memcell_id",),
    "event_logs": ("memcell_id", "parent_id"),
    "foresights": ("memcell_id", "parent_id"),
    "digests": ("conversation_id",),
    "sources": ("memory_id", "message_id"),
    "assertions": ("memcell_id",),
    "accords": ("fact_id", "other_id"),
    "documents": ("conversation_id", "memory_id"),
    "privacy": ("memory_id",),
    "interactions": ("conversation_id",),
    "situations": ("interaction_id",),
    "rule_evidence": ("rule_id", "interaction_id"),
    "reflections": ("conversation_id",),
    "message_edits": ("message_id",),
    "mentions": ("message_id",),
    "statements": ("message_id",),
    "readings": ("message_id",),
    "verdicts": ("message_id",),
    "corrections": ("memory_id", "statement_id"),
}
# A row stays when what these columns name goes, and the column becomes null.
MENTIONS = {
    "messages": ("memcell_id",),
}
# A row goes when any of the rows listed in one of these columns goes.
RESTS_ON_ANY = {
    "assertions": ("fact_ids",),
    "conflicts": ("old_messages", "new_messages"),
    "digests": ("memcell_ids",),
    "corrections": ("message_ids",),
}
RESTS_ON_ALL = {"forgotten_memories": ("message_ids",)}  # a row goes when all of the rows listed there go
# Consolidation derives these anew from what stays; until then no row refers to them.
DRAWN_ANEW = {"scenes": ("previous_scene_id",), "conflicts": ()}
# What goes because something that names it goes: a conversation with its last message; a MemCell with any of its
# messages (what remains becomes another); what was derived from a message; a digest with an episode in it; the user's
# statement with its correction; a rule, whose words may be of an interaction; the scene that mentions a memory.
GOES_WITH = (
    """select conversation_id from messages group by conversation_id
       having bool_or(id in (from doomed)) and bool_and(id in (from doomed))""",
    "select memcell_id from messages where id in (from doomed)",
    "select memory_id from sources where message_id in (from doomed)",
    """select digests.id from digests join episodes on list_contains(memcell_ids, memcell_id)
       where episodes.id in (from doomed)""",
    "select rule_id from rule_evidence where interaction_id in (from doomed)",
    "select statement_id from corrections where id in (from doomed)",
    "select scene_id from memcells where event_id in (from doomed)",
    "select scene_id from memcells join episodes on memcell_id = event_id where id in (from doomed)",
    "select scene_id from memcells join event_logs on memcell_id = event_id where id in (from doomed)",
    "select scene_id from memcells join foresights on memcell_id = event_id where id in (from doomed)",
    *(
        f"select {KEYS[table]} from {table} where list_has_{how}((select list(id) from doomed), {column})"
        for how, tables in (("any", RESTS_ON_ANY), ("all", RESTS_ON_ALL))
        for table, columns in tables.items()
        for column in columns
    ),
    *(
        f"select {KEYS[table]} from {table} where {column} in (from doomed)"
        for table, columns in RESTS_ON.items()
        if KEYS[table]
        for column in columns
    ),
)
CHOSEN_BY_ID = """
    insert into doomed select unnest($ids) union
    select id from messages where memcell_id in (select unnest($ids)) or conversation_id in (select unnest($ids))"""
CHOSEN_BY_MARKS = r"""
    insert into doomed
    select memory_id from documents join conversations on conversations.id = documents.conversation_id
    left join messages on messages.id = memory_id
    where number = head and conversations.user_id = $user_id and (documents.kind = 'message' or len($words) > 0)
    and ($conversation is null or conversations.id = $conversation)
    and (len($people) = 0 or list_has_any($people, [lower(messages.speaker), lower(documents.user_id)]))
    and ($before is null or documents.said_at < $before) and ($after is null or documents.said_at >= $after)
    and list_has_all(regexp_extract_all(body, '[\p{L}\p{N}]+'), $words)"""
# The remaining messages of a MemCell that loses some.
REMAINING = """
    select memcell_id as old_id, list(id order by ordinal) as members, first(said_at order by ordinal) as first_at,
           last(said_at order by ordinal) as last_at
    from messages where memcell_id in (from doomed) and id not in (from doomed) group by memcell_id"""
REFORMED = f"""
    create or replace temp table reformed as
    select remaining.*, fresh_id::varchar as fresh_id from ({REMAINING}) as remaining
    join renamed on remaining.old_id = renamed.old_id::varchar"""
ADD_REFORMED = """
    insert into fresh.memcells by name
    select memcells.* replace (fresh_id as event_id, 'pending' as extraction, null as failure, null as model,
                               '' as summary, first_at as start_at, last_at as end_at, null as scene_id,
                               false as consolidated)
    from memcells join reformed on old_id = event_id"""
UNREASONED = "case when reason in (select reason::varchar from unreasoned) then '' else reason end as reason"
UNTITLED = "case when id in (select id::varchar from untitled) then '' else title end as title"
NOTE_FORGOTTEN = """
    insert into fresh.forgotten select id, conversation_id, ordinal from messages
    where id in (from doomed) and id not in (select id::varchar from unnoted)"""
UNTOLD = """
    if(name in (from doomed) or name in (select id::varchar from untitled), '', digest) as digest"""
# Set until consolidation has derived anew what depends on the remaining messages.
UNSETTLED = "insert or replace into fresh.meta values ('unsettled', 'yes')"
# Earlier actions can no longer be undone, since the rows kept for that are not copied.
NOTHING_TO_UNDO = (
    "create schema fresh.undo",
    """create table fresh.undo.action as
       select 'forget' as id, 'forget' as kind, timezone('UTC', now())::timestamp as done_at""",
)
COUNTED = KEPT | {
    "scenes_changed": "scenes",
    "assertions": "assertions",
    "conflicts": "conflicts",
    "interactions": "interactions",
    "rules": "rules",
    "corrections": "corrections",
}


class Forgetter:
    """A transaction that knows what a selection includes; `carry_over` needs the file being rewritten."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._sql = Sql(connection)
        self._names = NameReader(self._sql)

    def select(self, selection: Selection) -> Forgotten:
        """Marks everything to forget, including all that depends on it. Raises UsageError for unknown ids."""
        if selection.words and not _words(selection.words):
            raise UsageError(f"{' '.join(selection.words)}: contains no word", "--matching takes words")
        self._sql.execute("create or replace temp table doomed (id varchar)")
        self._sql.execute(CHOSEN_BY_ID, ids=[resolved(self._sql, prefix) for prefix in selection.ids])
        note_chosen(self._sql)
        if selection.marks:
            self._sql.execute(
                CHOSEN_BY_MARKS,
                user_id=selection.user_id,
                conversation=self._conversation(selection),
                people=self._names.all_of(selection.user_id, selection.person),
                before=utc(selection.before),
                after=utc(selection.after),
                words=_words(selection.words),
            )
            self._sql.execute("insert into doomed select unnest($ids::varchar[])", ids=self._corrected(selection))
        return self._with_all_that_rests()

    def select_messages(self, ids: Collection[str]) -> Forgotten:
        """Marks these messages, given by their whole ids, and everything derived from them."""
        self._sql.want(ids)
        self._sql.execute("create or replace temp table doomed as select id from messages where id in (from wanted)")
        note_chosen(self._sql)
        return self._with_all_that_rests()

    def _with_all_that_rests(self) -> Forgotten:
        spread(self._sql.connection)
        counts = {name: self._count(table) for name, table in COUNTED.items()}
        pending = len(self._sql.rows(REMAINING)) + len(self._sql.rows(FORMED_ANEW))
        stated = self._sql.rows("select stated from corrections where id in (from doomed) order by corrected_at, id")
        return Forgotten(counts=counts, pending=pending, stated=tuple(row["stated"] for row in stated))

    def carry_over(self, selection: Selection, unnoted: Collection[str] = ()) -> None:
        """Copies everything that was not selected to `fresh`. `unnoted` messages are not recorded as forgotten.

        A MemCell that loses messages gets the id of what stays, so that nobody can add to the old one.
        """
        remaining = {row["old_id"]: content_id("cell", *row["members"]) for row in self._sql.rows(REMAINING)}
        self._register("renamed", old_id=list(remaining), fresh_id=list(remaining.values()))
        self._sql.execute(REFORMED)
        self._register("untitled", id=self._titled(_words(selection.words)))
        self._register("unreasoned", reason=self._reasons(_words(selection.words)))
        self._register("unnoted", id=[*unnoted])
        for table in KEYS:
            if table not in DRAWN_ANEW:
                self._sql.execute(_copy(table))
        for statement in (ADD_REFORMED, NOTE_FORGOTTEN, UNSETTLED, *NOTHING_TO_UNDO):
            self._sql.execute(statement)
        mark_forgotten(self._sql)

    def _count(self, table: str) -> int:
        return int(self._sql.rows(f"select count(*) as n from {table} where {KEYS[table]} in (from doomed)")[0]["n"])

    def _titled(self, words: list[str]) -> list[str]:
        """Conversations whose title contains all the words."""
        titles = {row["id"]: row["title"] for row in self._sql.rows("select id, title from conversations")}
        return [name for name, title in titles.items() if words and set(words) <= set(_words((title,)))]

    def _corrected(self, selection: Selection) -> list[str]:
        """Corrections that contain all the words, where there are no other criteria."""
        others = (selection.conversation, selection.person, selection.before, selection.after)
        query = "select id, concat_ws(' ', attribute, wrong, stated) as said from corrections"
        said = {row["id"]: set(_words((row["said"],))) for row in self._sql.rows(query)}
        wanted = set(_words(selection.words))
        return [name for name, words in said.items() if wanted and not any(others) and wanted <= words]

    def _reasons(self, words: list[str]) -> list[str]:
        """Reasons of agents that contain all the words."""
        given = {row["reason"] for row in self._sql.rows("select reason from access_log")}
        return [reason for reason in given if words and set(words) <= set(_words((reason,)))]

    def _conversation(self, selection: Selection) -> str | None:
        """The one conversation with this title, key or prefix of its id. Raises UsageError."""
        if selection.conversation is None:
            return None
        query = """
            select id from conversations where user_id = $user_id
            and (starts_with(id, $named) or key = $named or lower(title) = lower($named)) limit 2"""
        conversations = self._sql.rows(query, user_id=selection.user_id, named=id_given(selection.conversation))
        if len(conversations) != 1:
            problem = "matches several conversations" if conversations else "is not one of your conversations"
            raise UsageError(f"{selection.conversation} {problem}", "`evermem list conversations` shows ids")
        return str(conversations[0]["id"])

    def _register(self, name: str, **columns: list[str]) -> None:
        self._sql.connection.register(name, {key: np.array(values, dtype=object) for key, values in columns.items()})


def spread(connection: duckdb.DuckDBPyConnection) -> None:
    """Adds what depends on `doomed` rows until nothing more does."""
    grown = True
    while grown:
        [(before,)] = connection.execute("select count(*) from doomed").fetchall()
        for query in GOES_WITH:
            connection.execute(
                f"insert into doomed select * from ({query}) as found(id) where id is not null except from doomed"
            )
        grown = connection.execute("select count(*) from doomed").fetchall() > [(before,)]


def _copy(table: str) -> str:
    """SQL that copies a table without the doomed rows, and without references to them in other rows."""
    key = KEYS[table]
    named = ((key,) if key else ()) + RESTS_ON.get(table, ())
    stays = " and ".join(f"coalesce({column} not in (from doomed), true)" for column in named) or "true"
    if table == "merged":
        stays = still_said("id not in (from doomed)")
    if table == "postings":
        stays = "head in (select head from fresh.documents)"
    changed = (
        ["null as scene_id", *READ_ANEW] * (table == "memcells")
        + [
            f"""case when {column} not in (from doomed) then {column}
            else (select fresh_id from reformed where old_id = {column}) end as {column}"""
            for column in MENTIONS.get(table, ())
        ]
        + [UNTITLED] * (table == "conversations")
        + [UNREASONED] * (table == "access_log")
        + [UNTOLD] * (table == "exchanged")
    )
    replaced = f"replace ({', '.join(changed)})" if changed else ""
    return f"insert into fresh.{table} by name select * {replaced} from {table} where {stays}"


def _words(texts: tuple[str, ...]) -> list[str]:
    """The words of texts as in the search entries."""
    return [word for text in texts for word in words_of(text)]
