"""Changes to a stored chat: messages that are edited, inserted or removed."""

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from evermem_cli.engines import Vectors
from evermem_cli.languages.domain import domain
from evermem_cli.memory import Message
from evermem_cli.store.index import mentions, postings
from evermem_cli.store.write.consolidator import Consolidator

# In this order, since the first statements depend on what the last ones change.
EDIT = (
    """insert into message_edits
       select id, 1 + (select count(*) from message_edits where message_id = id), messages.text, $now
       from messages join incoming using (id)""",
    *postings.without("select id from incoming"),
    "delete from mentions where message_id in (select id from incoming)",
    "delete from statements where message_id in (select id from incoming)",
    "delete from readings where message_id in (select id from incoming)",
    """update messages set text = incoming.text, domain = incoming.domain from incoming
       where messages.id = incoming.id""",
)
REMOVE = (
    *postings.without("select id from wanted"),
    "delete from message_edits where message_id in (select id from wanted)",
    "delete from mentions where message_id in (select id from wanted)",
    "delete from statements where message_id in (select id from wanted)",
    "delete from readings where message_id in (select id from wanted)",
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


class Amender(Consolidator):
    """A write transaction that can also change stored chats."""

    def edit(self, messages: Sequence[Message], pieces: Sequence[int], vectors: Vectors) -> None:
        """Gives stored messages a new text and keeps the old one.

        Memories derived from their MemCells are removed, and the MemCells wait for the language model again. `pieces`
        and `vectors` are as in `add_messages`.
        """
        cells = self._cells_of(messages)
        self._register([{"id": m.id, "text": m.text, "domain": domain(m.text)} for m in messages])
        now = datetime.now(UTC)
        for statement in EDIT:
            self._execute(statement, **({"now": now} if "$now" in statement else {}))
        self._add_documents(list(messages), pieces, vectors)
        mentions.note(self._connection, [(m.id, m.role, m.text) for m in messages])
        for event_id in cells:
            self._forget_derived(event_id)
            self._execute(
                """update memcells set extraction = 'pending', consolidated = false, failure = null, summary = '',
                   model = null where event_id = $cell""",
                cell=event_id,
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
            self._execute(
                """update memcells set is_open = true where event_id in (
                     select memcell_id from messages where conversation_id = $id and ordinal >= $recut)""",
                id=conversation_id,
                recut=resegment_from,
            )
        if gone:
            self._wanted(gone)
            for statement in REMOVE:
                self._execute(statement)
        if insert_before:
            self._connection.register("gaps", {"place": np.array(insert_before, dtype=np.int32)})
            self._execute(MAKE_ROOM, id=conversation_id)
            self._execute(MAKE_ROOM_FOR_FORGOTTEN, id=conversation_id)

    def _cells_of(self, messages: Sequence[Message]) -> list[str]:
        self._wanted(message.id for message in messages)
        query = (
            "select distinct memcell_id from messages where id in (select id from wanted) and memcell_id is not null"
        )
        return [row["memcell_id"] for row in self._rows(query)]
