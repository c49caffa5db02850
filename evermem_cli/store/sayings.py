"""What was said in so many words."""

from datetime import datetime

from evermem_cli.memory import Message
from evermem_cli.store import rows
from evermem_cli.store.reader import Reader


class SayingReader(Reader):
    """A read transaction that can look for wordings."""

    def saying(self, pattern: str, user_id: str, since: datetime, until: datetime) -> list[Message]:
        """The messages of the chats that a user may read that match a pattern, in any case, in order of time."""
        query = """
            select * from messages where said_at between $since and $until and conversation_id in (
              select id from conversations where user_id = $user_id union
              select conversation_id from messages where lower(user_id) = lower($user_id))
            and regexp_matches(text, $pattern, 'i') order by said_at, ordinal"""
        given = {"user_id": user_id, "since": rows.utc(since), "until": rows.utc(until), "pattern": pattern}
        return [rows.message(row) for row in self._rows(query, **given)]
