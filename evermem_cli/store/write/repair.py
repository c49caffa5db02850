"""Writes the user's actions: which names are the owner's or one person's, and the undoing of the last action."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from evermem_cli.errors import UsageError
from evermem_cli.memory import (
    Action,
    ActionKind,
    Assertion,
    Correction,
    Episode,
    Fact,
    Foresight,
    NameOwnership,
    Undoing,
)
from evermem_cli.store.read.consolidated import ConsolidatedReader
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.write import undo
from evermem_cli.store.write.consolidation import ConsolidationWriter
from evermem_cli.store.write.corrections import CORRECTION

# Messages whose speaker is undecided; in a chat with an assistant they are the user's.
OPEN_TO_ALL = """
    from messages join conversations on conversations.id = conversation_id
    where conversations.user_id = $owner and role = 'participant'"""
SPEAKERS = f"""
    select speaker, messages.user_id = $owner as own, count(*) as n {OPEN_TO_ALL}
    group by all order by n desc, speaker"""
ASSIGN = f"""
    create or replace temp table assigned as
    select id, user_id as old, new, speaker, memcell_id from (
      select messages.*, if(list_contains($names, speaker), $owner, speaker) as new {OPEN_TO_ALL})
    where user_id <> new"""
ASSIGN_BACK = """
    create or replace temp table assigned as
    select messages.id, messages.user_id as old, said_by.user_id as new, speaker, memcell_id
    from messages join undo.said_by as said_by on said_by.id = messages.id"""
# What was derived from messages follows them: a fact by its speaker, everything else by its person in the topic.
FOLLOW = (
    "update messages set user_id = new from assigned where assigned.id = messages.id",
    """update event_logs set user_id = new from (select distinct memcell_id, speaker, new from assigned) as told
       where told.memcell_id = event_logs.memcell_id and told.speaker = event_logs.speaker""",
    *(
        f"""update {table} set user_id = new
            from (select memcell_id, old, min(new) as new from assigned group by all) as told
            where told.memcell_id = {table}.memcell_id and told.old = {table}.user_id"""
        for table in ("episodes", "foresights")
    ),
    *(
        f"""update documents set user_id = owned.user_id from {table} as owned
            where owned.id = documents.memory_id and owned.user_id <> documents.user_id"""
        for table in ("messages", "event_logs", "episodes", "foresights")
    ),
    """update corrections set user_id = new from assigned
       where list_contains(message_ids, assigned.id) and corrections.user_id = old""",
    *(
        f"""update {table} set user_id = corrections.user_id
            from corrections join messages on messages.id = statement_id
            where {table}.memcell_id = messages.memcell_id and {table}.user_id <> corrections.user_id"""
        for table in ("event_logs", "foresights")
    ),
    "delete from conflicts where user_id in (select old from assigned union select new from assigned)",
    "update memcells set consolidated = false where event_id in (select memcell_id from assigned)",
)
# A name that was merged with the person who is now the owner becomes the owner's, and the other way round.
FOLLOW_MERGED = (
    "update merged set person = $new where owner_id = $owner and lower(person) = lower($old)",
    "update merged set name = $new where owner_id = $owner and lower(name) = lower($old)",
    "delete from merged where lower(name) = lower(person)",
)
MERGES_OF = "owner_id = $owner and (lower(name) in (select unnest($names)) or lower(person) in (select unnest($names)))"
CORRECTABLE = """
    select made.id, memcell_id from (
      select id, memcell_id from event_logs union all select id, memcell_id from foresights union all
      select id, memcell_id from assertions union all select id, memcell_id from episodes) as made
    join memcells on event_id = memcell_id join conversations on conversations.id = conversation_id
    where starts_with(made.id, $prefix) and conversations.user_id = $owner limit 2"""
TITLES = """
    select distinct title from conversations join messages on conversation_id = conversations.id
    where messages.id in (select id from undo.added) order by title"""
CHANGED = {
    ActionKind.ME: "select id from undo.said_by where id in (select id from messages)",
    ActionKind.PRIVACY: "select id from undo.covered",
    ActionKind.FORGET: "select null where false",
}
NO_TEXTS = "select '' as gone, '' as back where false"
MERGES = " union all ".join(
    f"""select {gone} as gone, {back} as back from {one} as one where not exists (
          select 1 from {other} as other where (other.name, other.person) = (one.name, one.person))"""
    for one, other, gone, back in (
        ("merged", "undo.merged", "one.name || ' = ' || one.person", "''"),
        ("undo.merged", "merged", "''", "one.name || ' = ' || one.person"),
    )
)
TEXTS = dict.fromkeys(ActionKind, NO_TEXTS) | {
    ActionKind.REMEMBER: "select text as gone, '' as back from messages where id in (select id from undo.added)",
    ActionKind.CORRECT: "select stated as gone, wrong as back from corrections where id in (select id from undo.added)",
    ActionKind.ME: """
        select distinct speaker as gone, said_by.user_id as back
        from messages join undo.said_by as said_by on said_by.id = messages.id order by gone, back""",
    ActionKind.MERGE: MERGES,
    ActionKind.SPLIT: MERGES,
}


class RepairReader(ConsolidatedReader):
    """A read transaction for corrections and the ownership of names."""

    def corrections(self, owner: str | None = None) -> list[Correction]:
        """The corrections in a user's memory, or in any, oldest first."""
        query = """
            select * from corrections where $owner is null or exists (
              select 1 from messages join conversations on conversations.id = conversation_id
              where conversations.user_id = $owner and list_contains(message_ids, messages.id))
            order by corrected_at, id"""
        return [_correction(row) for row in self._rows(query, owner=owner)]

    def correctable(self, prefix: str, owner: str) -> Fact | Foresight | Assertion | Episode:
        """The one fact, foresight, assertion or episode of a user whose id begins with the prefix.

        Raises UsageError.
        """
        records = self._rows(CORRECTABLE, prefix=prefix, owner=owner)
        if len(records) != 1:
            problem = "matches several memories" if records else "cannot be corrected"
            kinds = ", ".join(f"`evermem list {kind}`" for kind in ("facts", "assertions", "foresights", "episodes"))
            raise UsageError(f"{prefix} {problem}", f"{kinds} show what can be; what was said stays as it was said")
        name, cell = str(records[0]["id"]), [str(records[0]["memcell_id"])]
        drawn: tuple[Fact | Foresight | Assertion | Episode, ...]
        drawn = (*self.facts(cell), *self.foresights(cell), *self.episodes(cell), *self.assertions(owner=owner))
        return next(memory for memory in drawn if memory.id == name)

    def messages_behind(self, memory_id: str) -> tuple[str, ...]:
        """The messages that a memory was derived from, in order."""
        return tuple(self._sources([memory_id]).get(memory_id, ()))

    def cells_of_messages(self, message_ids: Iterable[str]) -> list[str]:
        """The MemCells of these messages."""
        self._wanted(message_ids)
        query = "select distinct memcell_id from messages where id in (select id from wanted) order by memcell_id"
        return [row["memcell_id"] for row in self._rows(query)]

    def undoing(self) -> Undoing | None:
        """What `undo` would do now; None where there is nothing to undo."""
        action = undo.last_action(self._connection)
        if action is None:
            return None
        changed = CHANGED.get(action.kind, "select id from undo.messages where id in (select id from messages)")
        added = "select id from undo.added where id in (select id from messages)"
        return Undoing(
            action=action,
            messages=len(self._rows(added)) if action.kind is not ActionKind.FORGET else 0,
            chats=tuple(row["title"] for row in self._rows(TITLES)) if action.kind is not ActionKind.FORGET else (),
            changed=len(self._rows(changed)),
            texts=tuple((row["gone"], row["back"]) for row in self._rows(TEXTS[action.kind])),
        )

    def name_ownership(self, owner: str) -> NameOwnership:
        """The names under which a user speaks in chats between people, and those of everybody else."""
        records = self._rows(SPEAKERS, owner=owner)
        return NameOwnership(
            names={row["speaker"]: row["n"] for row in records if row["own"]},
            others={row["speaker"]: row["n"] for row in records if not row["own"]},
        )


@dataclass(frozen=True, slots=True)
class ActionWriter:
    """Keeps what the user's last action changed, undoes it, and assigns names to people."""

    sql: Sql
    consolidation: ConsolidationWriter
    reader: RepairReader

    def begin(self, action: Action) -> None:
        """Begins an action, so that earlier ones can no longer be undone."""
        undo.begin(self.sql.connection, action)

    def note_added(self, message_ids: Iterable[str]) -> None:
        """Notes that the action adds these messages."""
        self.sql.want(message_ids)
        self.sql.execute("insert into undo.added select id from wanted")

    def keep_chat(self, chat: str, changed: Sequence[str], resegment_from: int | None, *, moves: bool) -> None:
        """Keeps what ingesting more of a chat may change; see `undo.keep_chat`."""
        undo.keep_chat(self.sql.connection, chat, list(changed), resegment_from, moves=moves)

    def assign_names(self, owner: str, names: Collection[str]) -> int:
        """Makes these names, and no others, the owner's; returns the number of messages that changed hands."""
        before = self.reader.name_ownership(owner)
        self.sql.execute(ASSIGN, owner=owner, names=list(names))
        self.sql.execute("insert into undo.said_by select id, old from assigned")
        count = int(self.sql.rows("select count(*) as n from assigned")[0]["n"])
        self._follow()
        for name in names:
            if name not in before.names:
                self._rename(owner, name, owner)
        if len(before.names) == 1 and not set(before.names) & set(names):
            self._rename(owner, owner, next(iter(before.names)))
        return count

    def merge(self, owner: str, name: str, person: str) -> None:
        """Declares two names to be the same person's from now on."""
        given = {"owner": owner, "name": name, "person": person, "now": datetime.now(UTC).replace(tzinfo=None)}
        self.sql.execute("insert into merged values ($owner, $name, $person, $now)", **given)

    def split(self, owner: str, names: list[str]) -> int:
        """Undoes all merges of these names; returns how many."""
        given = {"owner": owner, "names": [name.lower() for name in names]}
        count = int(self.sql.rows(f"select count(*) as n from merged where {MERGES_OF}", **given)[0]["n"])
        self.sql.execute(f"delete from merged where {MERGES_OF}", **given)
        return count

    def keep(self, ids: Collection[str]) -> None:
        """Keeps the present state of memories for `undo`."""
        self.sql.want(ids)
        self.sql.execute("create or replace temp table doomed as select id::varchar as id from wanted")
        undo.keep_doomed(self.sql.connection)

    def take_back(self) -> None:
        """Undoes the last action. Consolidation must settle the rest, then `restore_dates`."""
        undo.take_back(self.sql.connection)
        self.sql.execute(ASSIGN_BACK)
        self._follow()
        self.consolidation.note_unsettled(True)

    def restore_dates(self) -> None:
        """Finishes `take_back`; see `undo.date`."""
        undo.date(self.sql.connection)

    def _follow(self) -> None:
        for statement in FOLLOW:
            self.sql.execute(statement)

    def _rename(self, owner: str, old: str, new: str) -> None:
        for statement in FOLLOW_MERGED:
            given = {"owner": owner, "old": old, "new": new} if "$" in statement else {}
            self.sql.execute(statement, **given)


def _correction(row: rows.Row) -> Correction:
    values = {**row, "message_ids": tuple(row["message_ids"])}
    return Correction(**{name: values[name] for name in CORRECTION})
