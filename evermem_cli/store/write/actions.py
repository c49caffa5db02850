"""Writes the user's actions: which names are the owner's or one person's, and the undoing of the last action."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from evermem_cli.memory import UNNAMED, Action
from evermem_cli.naming.names import begins_with
from evermem_cli.store.read.names import OPEN_TO_ALL, NameReader
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.write import undo
from evermem_cli.store.write.consolidation import ConsolidationWriter

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
    # what a correction states is said in a topic of its own
    """update memcells set consolidated = false where event_id in (
         select messages.memcell_id from corrections join messages on messages.id = statement_id
         where exists (select 1 from assigned where list_contains(message_ids, assigned.id)))""",
)
# What the owner, and nobody else, has said under names that are not the owner's.
MISNAMED = " union all ".join(
    f"select id, speaker from {table} where user_id = $owner {only} and list_contains($names, speaker)"
    for table, only in (("messages", "and role = 'user'"), ("event_logs", ""))
)
NAME = (
    "insert into undo.named from misnamed where id not in (select id from undo.named)",
    "update messages set speaker = $name from misnamed where misnamed.id = messages.id",
    "update event_logs set speaker = $name from misnamed where misnamed.id = event_logs.id",
)
# A name that was merged with the person who is now the owner becomes the owner's, and the other way round.
FOLLOW_MERGED = (
    "update merged set person = $new where owner_id = $owner and lower(person) = lower($old)",
    "update merged set name = $new where owner_id = $owner and lower(name) = lower($old)",
    "delete from merged where lower(name) = lower(person)",
)
MERGES_OF = "owner_id = $owner and (lower(name) in (select unnest($names)) or lower(person) in (select unnest($names)))"


@dataclass(frozen=True, slots=True)
class ActionWriter:
    """Keeps what the user's last action changed, undoes it, and assigns names to people."""

    sql: Sql
    consolidation: ConsolidationWriter
    names: NameReader

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
        before = self.names.ownership(owner)
        self.sql.execute(ASSIGN, owner=owner, names=list(names))
        self.sql.execute("insert into undo.said_by select id, old from assigned")
        count = int(self.sql.rows("select count(*) as n from assigned")[0]["n"])
        self._follow()
        for name in names:
            if name not in before.names:
                self._rename(owner, name, owner)
        if len(before.names) == 1 and not set(before.names) & set(names):
            self._rename(owner, owner, next(iter(before.names)))
        self.name_owner(owner, before.names.keys() - set(names))
        return count

    def name_owner(self, owner: str, former: Iterable[str] = ()) -> None:
        """Calls the owner by name, if it is known, where exports say "User" or settings only the name's beginning.

        `former` are names that were the owner's.
        """
        name, known = self.names.owner_name(owner), self.names.ownership(owner).names
        if name == UNNAMED:
            return
        short = [other for other in self.names.of_user(owner) if other not in known and begins_with(name, other)]
        self._call(owner, name, [UNNAMED, *short, *former])

    def call_owner(self, owner: str, name: str) -> int:
        """Calls the owner by this name where only exports say which messages are the owner's; returns how many."""
        before = self.names.stated_owner(owner)
        self._call(owner, name, before)
        return sum(before.values())

    def _call(self, owner: str, name: str, former: Iterable[str]) -> None:
        self.sql.execute(f"create or replace temp table misnamed as {MISNAMED}", owner=owner, names=list(former))
        for statement in NAME:
            self.sql.execute(statement, **({"name": name} if "$" in statement else {}))

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
