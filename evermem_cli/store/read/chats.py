"""Reads the stored chats: what is known of a chat that is read again, in part or with changes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from evermem_cli.engines import Vectors
from evermem_cli.memory import ChatKind, ChatOutline, Conversation, KnownNote, Message, chat_name, own_title
from evermem_cli.store.read.meta import MetaReader
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.sql import READABLE, Sql

# Two turns are the same if they have the same words, or more of them where one was read half, by the same person at the
# same written time. Two copies are of one chat if, in the span that both cover, more than half of the smaller one is
# shared, or half of it and the same people speak in both. One person's wish at midnight may open two chats.
SHARING = """
    with stored as (
      select conversation_id, speaker, role, text,
             said_at + to_seconds(if(time_source = 'assumed', utc_offset, 0)) as written
      from messages join conversations on conversations.id = conversation_id
      where conversations.user_id = $user_id and conversations.key = conversations.id and time_source <> 'unknown'),
    shared as (
      select conversation_id, count(*) as n from stored semi join incoming
        on incoming.written = stored.written
        and (incoming.speaker = stored.speaker or (incoming.unnamed and stored.role = 'user'))
        and starts_with(incoming.text, stored.text)
      group by all),
    spans as (
      select conversation_id, n, min(written) as first, max(written) as last,
             list_sort(list(distinct if(role = 'user', '', speaker))) as people
      from stored join shared using (conversation_id) group by all),
    copies as (
      select *, least(
        (select count(*) from stored where stored.conversation_id = spans.conversation_id
         and written between (select min(written) from incoming) and (select max(written) from incoming)),
        (select count(*) from incoming where written between first and last)) as smaller
      from spans)
    select conversation_id from copies
    where 2 * n > smaller
    or (2 * n = smaller and people = (select list_sort(list(distinct if(unnamed, '', speaker))) from incoming))
    order by n desc, conversation_id limit 1"""

NAMED = "select id, title, key, kind from conversations where id in (from wanted)"
TOLD = """
    select conversation_id as id, list_sort(list(distinct speaker)) as speakers,
           coalesce(arg_min(text, ordinal) filter (where role <> 'assistant'), '') as opening
    from messages where conversation_id in (from wanted) group by all"""
# Speaker, whether it is the user without a name, text, written time without zone.
WrittenTurn = tuple[str, bool, str, datetime]


def chat_names(sql: Sql, ids: Collection[str]) -> dict[str, str]:
    """What these chats are called, by id; see `memory.chat_name`."""
    return sql.once_for("chat name", ids, lambda new: _chat_names(sql, new))


def _chat_names(sql: Sql, ids: Collection[str]) -> dict[str, str]:
    sql.want(ids)
    chats = sql.by_id(NAMED)
    untitled = [name for name, row in chats.items() if not own_title(row["title"], row["key"], ChatKind(row["kind"]))]
    sql.want(untitled)
    spoken = sql.by_id(TOLD) if untitled else {}
    return {
        name: chat_name(
            row["title"],
            row["key"],
            ChatKind(row["kind"]),
            spoken[name]["opening"] if name in spoken else "",
            spoken[name]["speakers"] if name in spoken else (),
        )
        for name, row in chats.items()
    }


@dataclass(frozen=True, slots=True)
class ChatReader:
    """Reads chats, and compares a transcript with what is stored."""

    sql: Sql
    meta: MetaReader

    def of(self, user_id: str) -> list[Conversation]:
        """The chats that a user owns or took part in, oldest first."""
        query = f"""
            with begun as (select conversation_id as id, min(said_at) as begun from messages group by all)
            select conversations.* from conversations left join begun using (id) where id in ({READABLE})
            order by begun, title, id"""
        return [rows.conversation(row) for row in self.sql.rows(query, user_id=user_id)]

    def of_format(self, user_id: str, name: str) -> list[Conversation]:
        """A user's own chats in one format."""
        query = "select * from conversations where user_id = $user_id and format = $name order by id"
        return [rows.conversation(row) for row in self.sql.rows(query, user_id=user_id, name=name)]

    def outlines(self, user_id: str) -> dict[str, ChatOutline]:
        """The outlines of the chats of `of` that have messages, by id."""
        query = f"""
            select conversation_id, count(*) as message_count, min(said_at) as first_at, max(said_at) as last_at,
                   coalesce(arg_min(text, ordinal) filter (where role <> 'assistant'), '') as opening,
                   bool_and(role <> 'assistant' and lower(user_id) = lower($user_id)) as is_alone
            from messages where conversation_id in ({READABLE}) group by all"""
        outlines = {row.pop("conversation_id"): row for row in self.sql.rows(query, user_id=user_id)}
        names = chat_names(self.sql, outlines)
        return {chat: ChatOutline(**row, name=names[chat]) for chat, row in outlines.items()}

    def message_ids(self, conversation_id: str) -> list[str]:
        """The ids of a conversation's messages in order, forgotten ones included; empty for an unknown conversation."""
        query = """
            select id, ordinal from messages where conversation_id = $id union all
            select message_id, ordinal from forgotten where conversation_id = $id order by ordinal"""
        return [row["id"] for row in self.sql.rows(query, id=conversation_id)]

    def forgotten_places(self, conversation_id: str) -> dict[str, int]:
        """The forgotten messages of a conversation by id, with their places in it."""
        query = "select message_id, ordinal from forgotten where conversation_id = $id"
        return {row["message_id"]: row["ordinal"] for row in self.sql.rows(query, id=conversation_id)}

    def open_messages(self, conversation_id: str) -> tuple[list[Message], list[int], Vectors]:
        """Messages that no closed MemCell holds, with pieces and vectors as in `ChatWriter.add_messages`."""
        query = """
            select messages.* from messages left join memcells on event_id = memcell_id
            where messages.conversation_id = $id and coalesce(is_open, true) order by ordinal"""
        messages = [rows.message(row) for row in self.sql.rows(query, id=conversation_id)]
        counts, vectors = self._vectors_of([message.id for message in messages])
        return messages, counts, vectors

    def last_reason(self, conversation_id: str) -> str | None:
        """Why the last closed MemCell of a conversation ended; None where none is closed."""
        query = """
            select boundary_reason from memcells join messages on memcell_id = event_id
            where memcells.conversation_id = $id and not is_open order by ordinal desc limit 1"""
        records = self.sql.rows(query, id=conversation_id)
        return records[0]["boundary_reason"] if records else None

    def sharing(self, turns: Sequence[WrittenTurn], user_id: str) -> str | None:
        """The user's chat that these turns belong to, among chats without an id of their own."""
        speakers, unnamed, texts, times = zip(*turns, strict=True)
        self.sql.connection.register(
            "incoming",
            {
                "speaker": np.array(speakers, dtype=object),
                "unnamed": np.array(unnamed, dtype=bool),
                "text": np.array(texts, dtype=object),
                "written": np.array(times, dtype="datetime64[us]"),
            },
        )
        records = self.sql.rows(SHARING, user_id=user_id)
        return records[0]["conversation_id"] if records else None

    def forgotten(self) -> dict[str, set[str]]:
        """The ids of all forgotten messages, by conversation."""
        ids: dict[str, set[str]] = {}
        for row in self.sql.rows("select conversation_id, message_id from forgotten"):
            ids.setdefault(row["conversation_id"], set()).add(row["message_id"])
        return ids

    def unknown(self, conversation_ids: Sequence[str]) -> set[str]:
        """Those of these conversations of which nothing is stored or forgotten."""
        self.sql.want(conversation_ids)
        query = """
            select id from wanted where id not in (select id from conversations)
            and id not in (select conversation_id from forgotten)"""
        return {row["id"] for row in self.sql.rows(query)}

    def notes(self, user_id: str) -> list[KnownNote]:
        """The notes of a user."""
        query = """
            select conversations.id, key,
                   list(external_id order by ordinal) as names, list(text order by ordinal) as texts
            from conversations join messages on conversation_id = conversations.id
            where conversations.user_id = $user_id and format = 'notes' group by all order by conversations.id"""
        return [
            KnownNote(row["id"], row["key"], tuple(zip(row["names"], row["texts"], strict=True)))
            for row in self.sql.rows(query, user_id=user_id)
        ]

    def names_of_user(self, user_id: str) -> set[str]:
        """The names under which a user speaks in chats between people."""
        query = "select distinct speaker from messages where user_id = $user_id and role = 'participant'"
        return {row["speaker"] for row in self.sql.rows(query, user_id=user_id)}

    def names_to_assistants(self, user_id: str) -> set[str]:
        """The names under which a user speaks in chats with assistants."""
        query = "select distinct speaker from messages where user_id = $user_id and role = 'user'"
        return {row["speaker"] for row in self.sql.rows(query, user_id=user_id)}

    def elsewhere(self, conversation: Conversation, external_ids: Sequence[str]) -> set[str]:
        """Those of these ids that occur in other chats of the same format and owner."""
        query = """
            select external_id from messages join conversations on conversations.id = conversation_id
            where format = $format and conversations.user_id = $user_id and conversation_id <> $id
            and external_id <> '' and external_id in (select unnest($external_ids))"""
        own = {"format": conversation.format, "user_id": conversation.user_id, "id": conversation.id}
        return {row["external_id"] for row in self.sql.rows(query, **own, external_ids=list(external_ids))}

    def places(self, conversation_id: str) -> dict[str, int]:
        """The ordinal of each message of a conversation, in order; empty for an unknown conversation."""
        query = "select id, ordinal from messages where conversation_id = $id order by ordinal"
        return {row["id"]: row["ordinal"] for row in self.sql.rows(query, id=conversation_id)}

    def edited(self, messages: Sequence[Message]) -> set[str]:
        """The ids of messages that are stored with another text."""
        self._text_of(messages)
        query = """
            select id from incoming join messages using (id) where messages.text <> incoming.text and not exists (
              select 1 from message_edits where message_id = incoming.id and message_edits.text = incoming.text)"""
        return {row["id"] for row in self.sql.rows(query)}

    def last_message(self, conversation_id: str) -> Message | None:
        """The last message of a conversation."""
        query = "select * from messages where conversation_id = $id order by ordinal desc limit 1"
        records = self.sql.rows(query, id=conversation_id)
        return rows.message(records[0]) if records else None

    def beside(self, messages: Sequence[Message]) -> list[Message]:
        """The stored messages of the chat of these, between the times of the first and the last of them."""
        query = "select * from messages where conversation_id = $id and said_at between $first and $last"
        times = [message.said_at for message in messages]
        span = {"first": rows.utc(min(times)), "last": rows.utc(max(times))}
        records = self.sql.rows(query, id=messages[0].conversation_id, **span)
        return [rows.message(row) for row in records]

    def versions(self, message_id: str) -> list[str]:
        """The earlier texts of an edited message, oldest first."""
        query = "select text from message_edits where message_id = $id order by version"
        return [row["text"] for row in self.sql.rows(query, id=message_id)]

    def _text_of(self, messages: Sequence[Message]) -> None:
        """Makes `incoming` a table of ids and texts."""
        columns: Mapping[str, list[str]] = {"id": [m.id for m in messages], "text": [m.text for m in messages]}
        self.sql.connection.register("incoming", {name: np.array(v, dtype=object) for name, v in columns.items()})

    def _vectors_of(self, message_ids: Sequence[str]) -> tuple[list[int], Vectors]:
        """How many vectors each of these messages has, and the vectors, message by message in the order given."""
        self.sql.want(message_ids)
        query = "select min(number) as first, max(number) as last from documents where memory_id in (from wanted)"
        [span] = self.sql.rows(query)
        query = """
            select memory_id, embedding from documents
            where number between $first and $last and memory_id in (from wanted) order by number"""
        columns = self.sql.connection.execute(query, span).fetchnumpy()
        place = {message_id: row for row, message_id in enumerate(message_ids)}
        owner = np.array([place[message_id] for message_id in columns["memory_id"]], dtype=np.int64)
        vectors = np.array([*columns["embedding"]], dtype=np.float32).reshape(-1, self.meta.dimension)
        return np.bincount(owner, minlength=len(message_ids)).tolist(), vectors[np.argsort(owner, kind="stable")]
