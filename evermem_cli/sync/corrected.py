"""Repeats the user's corrections of other machines here, as `repair/correcting.py` does them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evermem_cli.consolidation.corrections import corrected_traces, struck_ids
from evermem_cli.formation.pieces import spoken_pieces
from evermem_cli.memory import Correction, Episode, Fact, Foresight, MemCell, Traces
from evermem_cli.repair.correcting import MODEL, cell_of
from evermem_cli.store.transfer.exchange import correction_of, stated_of
from evermem_cli.sync.chats import Chats, is_of_corrections, stands
from evermem_cli.sync.lines import SyncLine


@dataclass(frozen=True, slots=True)
class Corrected:
    """Takes in the corrections of other machines, with the messages that state what is right."""

    chats: Chats

    def take_in(self) -> None:
        """Corrects, oldest first. Raises StoreError, StoreBusy."""
        entries = [*self.chats.meeting.news("correction", stands).values()]
        for entry in sorted(entries, key=lambda entry: (entry.row["corrected_at"], entry.row["id"])):
            correction = correction_of(entry.row)
            if correction.statement_id is None:
                self._retitle(correction)
            elif statement := self.chats.messages.get(correction.statement_id):
                self._replace(correction, statement, entry)
        self._reorder()

    def _retitle(self, correction: Correction) -> None:
        with self.chats.store.read() as reader:
            cells = reader.topics.memcells(reader.topics.ids_of_messages(correction.message_ids))
            titled = [
                episode
                for cell in cells
                for episode in _titled(cell, reader.topics.episodes([cell.event_id]), correction)
            ]
        vectors = self.chats.ingestion.embedder.embed([episode.search_text for episode in titled])
        with self.chats.store.write_for_sync() as writer:
            writer.actions.begin(self.chats.ingestion.action)
            writer.corrections.put_correction(correction, None)
            for place, episode in enumerate(titled):
                writer.corrections.retitle(episode, vectors[place : place + 1])

    def _replace(self, correction: Correction, statement: SyncLine, entry: SyncLine) -> None:
        """Removes the wrong memory and stores what the user stated instead."""
        ingestion, name = self.chats.ingestion, statement.row["conversation_id"]
        with ingestion.store.read_for_sync() as sharing:
            chat = self.chats.conversation(name, sharing.chats([name]))
            ordinal = len(sharing.said([name])[name]) + len(sharing.reader.chats.forgotten_places(name)) + 1
            cells = sharing.reader.topics.ids_of_messages(correction.message_ids)
            struck = struck_ids(
                [*sharing.reader.topics.facts(cells), *sharing.reader.topics.foresights(cells)], [correction]
            )
        if chat is None:
            return  # no bundle has it yet
        message = replace(self.chats.message(statement, chat), ordinal=ordinal, external_id=str(ordinal))
        cell, pieces = cell_of(chat, message), spoken_pieces(message, None)
        traces = _traces([stated_of(table, row, message.id) for table, row in entry.stated])
        vectors = ingestion.embedder.embed([*pieces, *(memory.search_text for memory in traces.memories)])
        with ingestion.store.write_for_sync() as writer:
            writer.actions.begin(ingestion.action)
            writer.actions.keep(struck)
            writer.corrections.strike(struck)
            writer.chats.add_conversation(chat)
            writer.chats.add_messages([message], [len(pieces)], vectors[: len(pieces)])
            writer.topics.put_new_cells([cell])
            writer.topics.put_traces([(cell, traces)], vectors[len(pieces) :], MODEL)
            writer.corrections.put_correction(correction, None)

    def _reorder(self) -> None:
        """Puts the messages that state what is right into the order that all machines share."""
        names = {entry.row["conversation_id"] for entry in self.chats.messages.values()}
        with self.chats.store.read_for_sync() as sharing:
            chats = [chat for chat in sharing.chats(names).values() if is_of_corrections(chat)]
            said = sharing.said([chat.id for chat in chats])
        for chat in chats:
            self.chats.reorder(chat, said[chat.id])


def _titled(cell: MemCell, episodes: Sequence[Episode], correction: Correction) -> list[Episode]:
    """The episodes of a topic with the title that a correction gives them."""
    traces = corrected_traces(cell, Traces(summary="", episodes=tuple(episodes)), [correction])
    return [now for before, now in zip(episodes, traces.episodes, strict=True) if now != before]


def _traces(made: Sequence[Fact | Foresight]) -> Traces:
    return Traces(
        summary="",
        facts=tuple(memory for memory in made if isinstance(memory, Fact)),
        foresights=tuple(memory for memory in made if isinstance(memory, Foresight)),
    )
