"""Reads the statements that a tagger found in messages, and the messages that it is still to read."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from evermem_cli.memory import Statement
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.rows import utc
from evermem_cli.store.schema.sql import READABLE, Sql

# The first message of a chat answers nothing.
PASSAGES = """
    select messages.id, messages.text,
           case when earlier.speaker <> messages.speaker then earlier.text else '' end as before
    from messages left join messages as earlier
    on earlier.conversation_id = messages.conversation_id and earlier.ordinal = messages.ordinal - 1
    where messages.id in (select id from wanted) order by messages.said_at, messages.id"""

# A verdict is about what a message says of its writer.
STATEMENTS = """
    select statements.*, verdicts.holds as confirmed from statements left join verdicts
    on verdicts.message_id = statements.message_id and verdicts.kind = statements.kind and whose = 'me'
    and verdicts.value = statements.value and verdicts.stance = statements.stance"""

FOREIGN = """
    with nobodys as (
      select message_id as id from statements where message_id in (
        select near.id from messages as near join messages as hit
          on near.conversation_id = hit.conversation_id and hit.ordinal - near.ordinal between 0 and 1
        where hit.id in (select id from wanted))
      group by message_id having bool_or(whose = 'nobody') and not bool_or(whose in ('me', 'we')))
    select id from nobodys union
    select reply.id from messages as reply join messages as asked
      on reply.conversation_id = asked.conversation_id and reply.ordinal = asked.ordinal + 1
    where asked.id in (select id from nobodys) and reply.role = 'assistant'"""


@dataclass(frozen=True, slots=True)
class StatementReader:
    """Reads messages for a tagger, and the statements that it found."""

    sql: Sql

    def unread_ids(self, tagger: str) -> list[str]:
        """The messages of people that this tagger has not read, oldest first."""
        query = """
            select id from messages where role <> 'assistant'
            and id not in (select message_id from readings where tagger = $tagger) order by said_at, id"""
        return [row["id"] for row in self.sql.rows(query, tagger=tagger)]

    def doubtful_cells(self, least: float, surely: float, chats: Iterable[str] | None = None) -> list[str]:
        """Formed MemCells with statements whose probability lies between these and that nobody has judged.

        They come oldest first; with `chats`, only those of the conversations with these ids.
        """
        self.sql.want(chats)
        query = f"""
            select event_id from memcells where extraction = 'done'
            and ($every or conversation_id in (select id from wanted)) and event_id in (
              select memcell_id from ({STATEMENTS}) as read join messages on messages.id = read.message_id
              where probability >= $least and probability < $surely and whose = 'me' and confirmed is null)
            order by start_at, event_id"""
        return [row["event_id"] for row in self.sql.rows(query, least=least, surely=surely, every=chats is None)]

    def passages(self, message_ids: Iterable[str]) -> list[tuple[str, str, str]]:
        """The id and text of each message, and the text of the turn that it answers."""
        self.sql.want(message_ids)
        return [(row["id"], row["text"], row["before"] or "") for row in self.sql.rows(PASSAGES)]

    def of(self, message_ids: Iterable[str]) -> dict[str, list[Statement]]:
        """The statements of each of these messages, in order; messages that were not read are left out."""
        self.sql.want(message_ids)
        read = self.sql.rows("select message_id from readings where message_id in (select id from wanted)")
        by_message: dict[str, list[Statement]] = {row["message_id"]: [] for row in read}
        these = "where statements.message_id in (select id from wanted) order by statements.message_id, start, stop"
        for row in self.sql.rows(f"{STATEMENTS} {these}"):
            by_message[row["message_id"]].append(rows.statement(row))
        return by_message

    def own(self, speakers: Iterable[str], kinds: Iterable[str], known_by: datetime, limit: int) -> list[Statement]:
        """The statements of these kinds that speakers, by name, made of themselves; those said last, oldest first."""
        query = f"""
            {STATEMENTS} join messages on messages.id = statements.message_id
            where statements.kind = any($kinds) and whose = 'me'
              and speaker = any($speakers) and role <> 'assistant' and said_at <= $known_by
            order by said_at desc, statements.message_id desc, start desc limit $limit"""
        asked = {"kinds": list(kinds), "speakers": list(speakers), "known_by": utc(known_by), "limit": limit}
        latest = self.sql.rows(query, **asked)
        return [rows.statement(row) for row in reversed(latest)]

    def of_others(self, kinds: Iterable[str], known_by: datetime, user_id: str, limit: int) -> list[Statement]:
        """The statements of these kinds about somebody who is called something, in chats that a user may read.

        Those said last, oldest first.
        """
        query = f"""
            {STATEMENTS} join messages on messages.id = statements.message_id
            where statements.kind = any($kinds) and whose = 'other' and person <> '' and said_at <= $known_by
              and messages.conversation_id in ({READABLE})
            order by said_at desc, statements.message_id desc, start desc limit $limit"""
        latest = self.sql.rows(query, kinds=list(kinds), known_by=utc(known_by), user_id=user_id, limit=limit)
        return [rows.statement(row) for row in reversed(latest)]

    def foreign_ids(self, message_ids: Iterable[str]) -> set[str]:
        """Those of these messages whose statements are about nobody, and an assistant's answers to them."""
        self.sql.want(message_ids)
        return {row["id"] for row in self.sql.rows(FOREIGN)}
