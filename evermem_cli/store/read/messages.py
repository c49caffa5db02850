"""Reads messages: by id, with their neighbours, and by wording."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from evermem_cli.memory import Message
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.sql import READABLE, Sql

MOST_LOOKED_UP = 200  # ids; for more DuckDB scans the table


@dataclass(frozen=True, slots=True)
class MessageReader:
    """Reads messages. With `by_index`, few of them are looked up in the index of the table instead of joined."""

    sql: Sql
    by_index: bool = False

    def by_id(self, ids: Iterable[str]) -> dict[str, Message]:
        """Messages by id."""
        wanted = {*ids}
        if self.by_index and len(wanted) <= MOST_LOOKED_UP:
            return {name: rows.message(row) for name, row in self.sql.look_up("select * from messages", wanted).items()}
        self.sql.want(wanted)
        records = self.sql.rows("select * from messages where id in (select id from wanted)")
        return {row["id"]: rows.message(row) for row in records}

    def neighbours(self, ids: Iterable[str], reach: int) -> dict[str, Message]:
        """These messages and those up to `reach` places before and after them in their conversations."""
        self.sql.want(ids)
        query = """
            select distinct near.* from messages as near join messages as hit
              on near.conversation_id = hit.conversation_id and abs(near.ordinal - hit.ordinal) <= $reach
            where hit.id in (select id from wanted)"""
        return {row["id"]: rows.message(row) for row in self.sql.rows(query, reach=reach)}

    def saying(
        self,
        pattern: str,
        user_id: str,
        within: Iterable[tuple[datetime, datetime]],
        conversations: Collection[str] = (),
    ) -> list[Message]:
        """The messages that a user may read and that match a pattern, in any case, in order of time.

        Each was said within one of these spans of time, of which there is at least one, ends included, and in one of
        these conversations, if any are given.
        """
        since, until = zip(*[(rows.utc(since), rows.utc(until)) for since, until in within], strict=True)
        query = f"""
            select * from messages where said_at between $first and $last and exists (
              select 1 from (select unnest($since::timestamp[]) as since, unnest($until::timestamp[]) as until)
              where said_at between since and until)
            and conversation_id in ({READABLE})
            and (len($conversations) = 0 or list_contains($conversations, conversation_id))
            and regexp_matches(text, $pattern, 'i') order by said_at, ordinal"""
        given: dict[str, object] = {"conversations": list(conversations)}
        given |= {"first": min(since), "last": max(until), "since": list(since), "until": list(until)}
        records = self.sql.rows(query, user_id=user_id, pattern=pattern, **given)
        return [rows.message(row) for row in records]
