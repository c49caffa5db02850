"""Searches messages for wordings."""

from collections.abc import Iterable
from datetime import datetime

from evermem_cli.memory import Message
from evermem_cli.store.read.reader import Reader
from evermem_cli.store.schema import rows


class PhraseReader(Reader):
    """A read transaction that can search for wordings."""

    def saying(self, pattern: str, user_id: str, within: Iterable[tuple[datetime, datetime]]) -> list[Message]:
        """The messages that a user may read and that match a pattern, in any case, in order of time.

        Each was said within one of these spans of time, of which there is at least one, ends included.
        """
        since, until = zip(*[(rows.utc(since), rows.utc(until)) for since, until in within], strict=True)
        query = """
            select * from messages where said_at between $first and $last and exists (
              select 1 from (select unnest($since::timestamp[]) as since, unnest($until::timestamp[]) as until)
              where said_at between since and until)
            and conversation_id in (
              select id from conversations where user_id = $user_id union
              select conversation_id from messages where lower(user_id) = lower($user_id))
            and regexp_matches(text, $pattern, 'i') order by said_at, ordinal"""
        given = {"first": min(since), "last": max(until), "since": list(since), "until": list(until)}
        records = self._rows(query, user_id=user_id, pattern=pattern, **given)
        return [rows.message(row) for row in records]
