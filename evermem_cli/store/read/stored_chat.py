"""What the memory file knows about a chat that is read again, in part or with changes."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np

from evermem_cli.memory import Conversation, Message
from evermem_cli.store.read.reader import Reader
from evermem_cli.store.schema import rows

# Two turns are the same if they have the same words, or more of them where one was read half, by the same person at the
# same written time. Two copies are of one chat if, in the span that both cover, more than half of the smaller one is
# shared.
SHARING = """
    with stored as (
      select conversation_id, speaker, text,
             said_at + to_seconds(if(time_source = 'assumed', utc_offset, 0)) as written
      from messages join conversations on conversations.id = conversation_id
      where conversations.user_id = $user_id and conversations.key = conversations.id and time_source <> 'unknown'),
    shared as (
      select conversation_id, count(*) as n from stored semi join incoming
        on incoming.speaker = stored.speaker and incoming.written = stored.written
        and starts_with(incoming.text, stored.text)
      group by all),
    spans as (
      select conversation_id, n, min(written) as first, max(written) as last
      from stored join shared using (conversation_id) group by all)
    select conversation_id from spans
    where 2 * n > least(
      (select count(*) from stored where stored.conversation_id = spans.conversation_id
       and written between (select min(written) from incoming) and (select max(written) from incoming)),
      (select count(*) from incoming where written between first and last))
    order by n desc, conversation_id limit 1"""

WrittenTurn = tuple[str, str, datetime]  # speaker, text, written time without zone


class Known(Reader):
    """A read transaction that compares a transcript with what is stored."""

    def sharing(self, turns: Sequence[WrittenTurn], user_id: str) -> str | None:
        """The user's chat that these turns belong to, among chats without an id of their own."""
        speakers, texts, times = zip(*turns, strict=True)
        self._connection.register(
            "incoming",
            {
                "speaker": np.array(speakers, dtype=object),
                "text": np.array(texts, dtype=object),
                "written": np.array(times, dtype="datetime64[us]"),
            },
        )
        records = self._rows(SHARING, user_id=user_id)
        return records[0]["conversation_id"] if records else None

    def forgotten(self) -> dict[str, set[str]]:
        """The ids of all forgotten messages, by conversation."""
        ids: dict[str, set[str]] = {}
        for row in self._rows("select conversation_id, message_id from forgotten"):
            ids.setdefault(row["conversation_id"], set()).add(row["message_id"])
        return ids

    def unknown(self, conversation_ids: Sequence[str]) -> set[str]:
        """Those of these conversations of which nothing is stored or forgotten."""
        self._wanted(conversation_ids)
        query = """
            select id from wanted where id not in (select id from conversations)
            and id not in (select conversation_id from forgotten)"""
        return {row["id"] for row in self._rows(query)}

    def names_of_user(self, user_id: str) -> set[str]:
        """The names under which a user speaks in chats between people."""
        query = "select distinct speaker from messages where user_id = $user_id and role = 'participant'"
        return {row["speaker"] for row in self._rows(query, user_id=user_id)}

    def elsewhere(self, conversation: Conversation, external_ids: Sequence[str]) -> set[str]:
        """Those of these ids that occur in other chats of the same format and owner."""
        query = """
            select external_id from messages join conversations on conversations.id = conversation_id
            where format = $format and conversations.user_id = $user_id and conversation_id <> $id
            and external_id <> '' and external_id in (select unnest($external_ids))"""
        own = {"format": conversation.format, "user_id": conversation.user_id, "id": conversation.id}
        return {row["external_id"] for row in self._rows(query, **own, external_ids=list(external_ids))}

    def places(self, conversation_id: str) -> dict[str, int]:
        """The ordinal of each message of a conversation, in order; empty for an unknown conversation."""
        query = "select id, ordinal from messages where conversation_id = $id order by ordinal"
        return {row["id"]: row["ordinal"] for row in self._rows(query, id=conversation_id)}

    def edited(self, messages: Sequence[Message]) -> set[str]:
        """The ids of messages that are stored with another text."""
        self._text_of(messages)
        query = """
            select id from incoming join messages using (id) where messages.text <> incoming.text and not exists (
              select 1 from message_edits where message_id = incoming.id and message_edits.text = incoming.text)"""
        return {row["id"] for row in self._rows(query)}

    def last_message(self, conversation_id: str) -> Message | None:
        """The last message of a conversation."""
        query = "select * from messages where conversation_id = $id order by ordinal desc limit 1"
        records = self._rows(query, id=conversation_id)
        return rows.message(records[0]) if records else None

    def versions(self, message_id: str) -> list[str]:
        """The earlier texts of an edited message, oldest first."""
        query = "select text from message_edits where message_id = $id order by version"
        return [row["text"] for row in self._rows(query, id=message_id)]

    def _text_of(self, messages: Sequence[Message]) -> None:
        """Makes `incoming` a table of ids and texts."""
        columns: Mapping[str, list[str]] = {"id": [m.id for m in messages], "text": [m.text for m in messages]}
        self._connection.register("incoming", {name: np.array(v, dtype=object) for name, v in columns.items()})
