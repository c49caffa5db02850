"""Writes conversations and their messages: new ones, and changes to stored chats."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from evermem_cli.engines import Vectors
from evermem_cli.memory import Conversation, Message
from evermem_cli.reading.domain import domain
from evermem_cli.store.index import mentions, postings
from evermem_cli.store.schema import rows
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.write.entries import SearchEntries
from evermem_cli.store.write.topics import TopicWriter

# In this order, since the first statements depend on what the last ones change.
EDIT = (
    """insert into message_edits
       select id, 1 + (select count(*) from message_edits where message_id = id), messages.text, $now
       from messages join incoming using (id)""",
    *postings.without("select id from incoming"),
    "delete from mentions where message_id in (select id from incoming)",
    "delete from statements where message_id in (select id from incoming)",
    "delete from readings where message_id in (select id from incoming)",
    "delete from verdicts where message_id in (select id from incoming)",
    """update messages set text = incoming.text, domain = incoming.domain from incoming
       where messages.id = incoming.id""",
)
REMOVE = (
    *postings.without("select id from wanted"),
    "delete from message_edits where message_id in (select id from wanted)",
    "delete from mentions where message_id in (select id from wanted)",
    "delete from statements where message_id in (select id from wanted)",
    "delete from readings where message_id in (select id from wanted)",
    "delete from verdicts where message_id in (select id from wanted)",
    "delete from messages where id in (select id from wanted)",
)
MAKE_ROOM = """
    with moved as (
      select id, ordinal + (select count(*) from gaps where place <= ordinal) as place
      from messages where conversation_id = $id)
    update messages set ordinal = place, external_id = if(external_id = ordinal::varchar, place::varchar, external_id)
    from moved where messages.id = moved.id"""
MAKE_ROOM_FOR_FORGOTTEN = """
    update forgotten set ordinal = ordinal + (select count(*) from gaps where place <= ordinal)
    where conversation_id = $id"""


@dataclass(frozen=True, slots=True)
class ChatWriter:
    """Writes conversations and their messages."""

    sql: Sql
    entries: SearchEntries
    topics: TopicWriter

    def add_conversation(self, *conversations: Conversation) -> None:
        """Stores conversations; ignores known ones."""
        now = {"created_at": datetime.now(UTC)}
        self.sql.register([rows.plain(conversation) | now for conversation in conversations])
        self.sql.execute("insert or ignore into conversations by name select * from incoming")

    def rename(self, conversation: Conversation) -> None:
        """Gives a stored conversation the key and the title of this one."""
        given = {"id": conversation.id, "key": conversation.key}
        self.sql.execute(
            "update conversations set key = $key, group_id = $key, title = $title where id = $id",
            title=conversation.title,
            **given,
        )
        self.sql.execute("update memcells set group_id = $key where conversation_id = $id", **given)

    def add_messages(self, messages: Sequence[Message], pieces: Sequence[int], vectors: Vectors) -> None:
        """Stores messages and makes them searchable by meaning. Known ones are left as they are.

        `pieces` is the number of texts embedded per message; `vectors` has one row for each text.
        """
        self.sql.register([{"id": message.id, "conversation_id": message.conversation_id} for message in messages])
        # Another process may have stored some since they were planned; their search entries must not be stored twice.
        known = {
            row["id"] for row in self.sql.rows("select id from messages join incoming using (conversation_id, id)")
        }
        if known:
            vectors = vectors[np.repeat([message.id not in known for message in messages], pieces)]
            pieces = [count for message, count in zip(messages, pieces, strict=True) if message.id not in known]
            messages = [message for message in messages if message.id not in known]
        if not messages:
            return
        now = datetime.now(UTC)
        self.sql.register([rows.message_row(message, now) for message in messages])
        self.sql.execute("insert into messages by name select * from incoming")
        self.sql.execute("delete from forgotten where message_id in (select id from incoming)")
        self.entries.add(list(messages), pieces, vectors)
        mentions.note(self.sql.connection, [(m.id, m.role, m.text) for m in messages])

    def edit(self, messages: Sequence[Message], pieces: Sequence[int], vectors: Vectors) -> None:
        """Gives stored messages a new text and keeps the old one.

        Memories derived from their MemCells are removed, and the MemCells wait to be formed again. `pieces`
        and `vectors` are as in `add_messages`.
        """
        cells = self._cells_of(messages)
        self.sql.register([{"id": m.id, "text": m.text, "domain": domain(m.text)} for m in messages])
        now = datetime.now(UTC)
        for statement in EDIT:
            self.sql.execute(statement, **({"now": now} if "$now" in statement else {}))
        self.entries.add(list(messages), pieces, vectors)
        mentions.note(self.sql.connection, [(m.id, m.role, m.text) for m in messages])
        self.topics.forget_derived(cells)
        self.sql.execute(
            """update memcells set extraction = 'pending', consolidated = false, failure = null, summary = '',
               model = null where event_id in (select unnest($cells))""",
            cells=cells,
        )

    def change_places(
        self, conversation_id: str, gone: Sequence[str], insert_before: Sequence[int], resegment_from: int | None
    ) -> None:
        """Prepares a chat for messages that do not come at its end, or that are gone.

        `gone` are removed. Messages move up so that one can be inserted before each ordinal of `insert_before`.
        MemCells from the one that contains the place `resegment_from` on are opened for new segmentation; None leaves
        them.
        """
        if resegment_from is not None:
            self.sql.execute(
                """update memcells set is_open = true where event_id in (
                     select memcell_id from messages where conversation_id = $id and ordinal >= $recut)""",
                id=conversation_id,
                recut=resegment_from,
            )
        if gone:
            self.sql.want(gone)
            for statement in REMOVE:
                self.sql.execute(statement)
        if insert_before:
            self.sql.connection.register("gaps", {"place": np.array(insert_before, dtype=np.int32)})
            self.sql.execute(MAKE_ROOM, id=conversation_id)
            self.sql.execute(MAKE_ROOM_FOR_FORGOTTEN, id=conversation_id)

    def _cells_of(self, messages: Sequence[Message]) -> list[str]:
        self.sql.want(message.id for message in messages)
        query = (
            "select distinct memcell_id from messages where id in (select id from wanted) and memcell_id is not null"
        )
        return [row["memcell_id"] for row in self.sql.rows(query)]
