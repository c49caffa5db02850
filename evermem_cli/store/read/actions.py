"""Reads what the undoing of the user's last action would change."""

from dataclasses import dataclass

from evermem_cli.memory import UNNAMED, ActionKind, Undoing
from evermem_cli.store.read.chats import chat_names
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.write import undo

ADDED_TO = """
    select distinct conversation_id as id from messages where messages.id in (select id from undo.added)"""
CHANGED = {
    ActionKind.ME: "select id from undo.said_by where id in (select id from messages)",
    ActionKind.PRIVACY: "select id from undo.covered",
    ActionKind.FORGET: "select null where false",
}
NO_TEXTS = "select '' as gone, '' as back where false"
# Somebody who speaks is merged by an id: that of the owner is no name.
SPOKEN_AS = f"""
    coalesce((
      select speaker from messages where user_id = one.{{}} and role <> 'assistant'
      group by speaker order by speaker = '{UNNAMED}', count(*) desc, speaker limit 1), one.{{}})"""
BOTH = f"{SPOKEN_AS.format('name', 'name')} || ' and ' || {SPOKEN_AS.format('person', 'person')}"
MERGES = " union all ".join(
    f"""select {gone} as gone, {back} as back from {one} as one where not exists (
          select 1 from {other} as other where (other.name, other.person) = (one.name, one.person))"""
    for one, other, gone, back in (("merged", "undo.merged", BOTH, "''"), ("undo.merged", "merged", "''", BOTH))
)
# What the owner has come to be called, where no message has changed hands.
CALLED = """
    select messages.id, messages.speaker as gone, '' as back
    from messages join undo.named as named on named.id = messages.id"""
TEXTS = dict.fromkeys(ActionKind, NO_TEXTS) | {
    ActionKind.REMEMBER: "select text as gone, '' as back from messages where id in (select id from undo.added)",
    ActionKind.CORRECT: "select stated as gone, wrong as back from corrections where id in (select id from undo.added)",
    ActionKind.ME: """
        select distinct speaker as gone, said_by.user_id as back
        from messages join undo.said_by as said_by on said_by.id = messages.id order by gone, back""",
    ActionKind.MERGE: MERGES,
    ActionKind.SPLIT: MERGES,
}


@dataclass(frozen=True, slots=True)
class ActionReader:
    """Reads the user's last action."""

    sql: Sql

    def _chats(self) -> list[str]:
        """The names of the chats to which the action has added messages."""
        return sorted({*chat_names(self.sql, [row["id"] for row in self.sql.rows(ADDED_TO)]).values()})

    def undoing(self) -> Undoing | None:
        """What `undo` would do now; None where there is nothing to undo."""
        action = undo.last_action(self.sql.connection)
        if action is None:
            return None
        changed = CHANGED.get(action.kind, "select id from undo.messages where id in (select id from messages)")
        added = "select id from undo.added where id in (select id from messages)"
        changes, texts = self.sql.rows(changed), self.sql.rows(TEXTS[action.kind])
        if action.kind is ActionKind.ME and not changes:
            changes = texts = self.sql.rows(CALLED)
        return Undoing(
            action=action,
            messages=len(self.sql.rows(added)) if action.kind is not ActionKind.FORGET else 0,
            chats=tuple(self._chats()) if action.kind is not ActionKind.FORGET else (),
            changed=len(changes),
            texts=tuple(dict.fromkeys((row["gone"], row["back"]) for row in texts)),
        )
