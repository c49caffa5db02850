"""Takes the news of other machines into this memory: messages as an ingest does, the rest as the user's commands do.

If a step is killed, the next sync repeats it. A step that was already done changes nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evermem_cli.ingest import Ingestion
from evermem_cli.store import Writer
from evermem_cli.sync.chats import Chats, stands
from evermem_cli.sync.corrected import Corrected
from evermem_cli.sync.lines import SyncLine
from evermem_cli.sync.marks import Mark, Presence
from evermem_cli.sync.meeting import Meeting


def take_in(
    meeting: Meeting, ingestion: Ingestion, derive: Callable[[], None], before_forgetting: Callable[[], None]
) -> None:
    """Takes in the news of a meeting, if there are any, and derives what follows from them.

    Raises DiskFull, StoreError, StoreBusy.
    """
    if meeting.winners or meeting.moved:
        Taking(Chats(ingestion, meeting), before_forgetting).run()
    with ingestion.store.read() as reader:
        waiting = bool(reader.topics.unconsolidated_ids()) or reader.consolidation.is_unsettled()
    if waiting:
        derive()


def _stands_no_more(mark: Mark) -> bool:
    return not mark.is_there


def _any(mark: Mark) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Taking:
    """Takes in the news of a meeting; `before_forgetting` is called before anything is removed for good."""

    chats: Chats
    before_forgetting: Callable[[], None]

    def run(self) -> None:
        """Changes memory. Raises DiskFull, StoreError, StoreBusy; the next sync does the rest."""
        self.chats.take_in()
        with self.chats.store.write_for_sync() as writer:
            writer.actions.begin(self.chats.ingestion.action)
            writer.consolidation.note_unsettled(True)
            self._put_rest(writer)
        Corrected(self.chats).take_in()
        self._forget_messages()

    def _put_rest(self, writer: Writer) -> None:
        """Stores titles, tiers, merges, names of owners, corrections that were taken back, and forgotten messages."""
        news = self.chats.meeting.news
        writer.exchange.entitle({name: entry.row["title"] for name, entry in news("conversation", stands).items()})
        tiers = news("privacy", _any)
        writer.exchange.put_tiers({n: e.row["privacy_tier"] if e.mark.is_there else None for n, e in tiers.items()})
        merges = news("merged_person", _any)
        writer.exchange.drop_merges(merges)
        writer.exchange.put_merges([entry.row for entry in merges.values() if entry.mark.is_there])
        writer.exchange.drop_corrections(news("correction", _stands_no_more))
        self._own(writer)
        away = {name: entry for name, entry in news("message", _stands_no_more).items() if not self._is_here(name)}
        forgotten = [_forgotten(name, entry) for name, entry in away.items() if _is_forgotten(entry)]
        writer.exchange.note_forgotten(forgotten, away)

    def _own(self, writer: Writer) -> None:
        for user in writer.reader.names.owners():
            known = writer.reader.names.ownership(user)
            names = self.chats.names.get(user, set()) & {*known.names, *known.others}
            if names != {*known.names} or names & {
                *known.others
            }:  # a name that only new messages have belongs to the owner already
                writer.actions.assign_names(user, sorted(names))

    def _forget_messages(self) -> None:
        """Rewrites the file without removed messages, also for an emptied title alone: the title may reveal them."""
        news = self.chats.meeting.news
        lost = {name: entry for name, entry in news("message", _stands_no_more).items() if self._is_here(name)}
        if lost or not all(entry.row["title"] for entry in news("conversation", stands).values()):
            self.before_forgetting()
            unnoted = [name for name, entry in lost.items() if not _is_forgotten(entry)]
            self.chats.store.forget_messages([*lost], unnoted)

    def _is_here(self, message: str) -> bool:
        mark = self.chats.meeting.held.marks.get(("message", message))
        return mark is not None and mark.is_there


def _is_forgotten(entry: SyncLine) -> bool:
    return entry.mark.presence is Presence.FORGOTTEN


def _forgotten(name: str, entry: SyncLine) -> dict[str, Any]:
    """The row that keeps a forgotten message from being read again, with its place."""
    ordinal = entry.row.get("ordinal") or 1
    return {"message_id": name, "conversation_id": entry.row["conversation_id"], "ordinal": ordinal}
