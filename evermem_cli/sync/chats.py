"""Puts messages of other machines into their chats as an ingest does, in the order that all machines share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from evermem_cli.errors import StoreBusy
from evermem_cli.ingest import Ingestion
from evermem_cli.intake.identity import conversation_of_key
from evermem_cli.intake.plan import Plan, placed_among
from evermem_cli.intake.reports import InputReport
from evermem_cli.memory import ChatKind, Conversation, Message, Role
from evermem_cli.repair.correcting import KEY
from evermem_cli.store import Store
from evermem_cli.store.transfer.exchange import conversation_of, message_of
from evermem_cli.sync.lines import SyncLine
from evermem_cli.sync.marks import Mark, owner_name
from evermem_cli.sync.meeting import Meeting
from evermem_cli.sync.places import in_order

TOGETHER = 500  # chats planned at once; all their messages are in memory then


def stands(mark: Mark) -> bool:
    """Whether the thing of a mark exists."""
    return mark.is_there


def is_of_corrections(chat: Conversation) -> bool:
    """Whether a chat consists of statements in corrections. Each of these is a topic of its own."""
    return chat.id == conversation_of_key(KEY, chat.user_id)


@dataclass(frozen=True)
class Chats:
    """Takes in the chats and messages that other machines have changed."""

    ingestion: Ingestion
    meeting: Meeting
    report: InputReport = field(default_factory=lambda: InputReport(path="-"))

    @property
    def store(self) -> Store:
        """The memory file."""
        return self.ingestion.store

    @cached_property
    def messages(self) -> Mapping[str, SyncLine]:
        """The messages that are new or edited."""
        return self.meeting.news("message", stands)

    @cached_property
    def names(self) -> dict[str, set[str]]:
        """The names under which each owner speaks, merged from all machines."""
        names_by_user = {user: {*names} for user, names in self.meeting.held.names.items()}
        winners = self.meeting.news("owner_name", lambda mark: True)
        for entry in winners.values():
            if entry.mark.is_there:
                names_by_user.setdefault(entry.row["user_id"], set()).add(entry.row["name"])
        over = {name for name, entry in winners.items() if not entry.mark.is_there}
        return {
            user: {name for name in names if owner_name(user, name) not in over}
            for user, names in names_by_user.items()
        }

    def take_in(self) -> None:
        """Stores new messages and changes edited ones, some chats at a time.

        Raises StoreError, StoreBusy; the latter also if another command has removed one of the chats meanwhile."""
        by_chat: dict[str, list[SyncLine]] = {self.meeting.held.chats[name]: [] for name in self.meeting.moved}
        for entry in self.messages.values():
            by_chat.setdefault(entry.row["conversation_id"], []).append(entry)
        names = sorted(by_chat)
        for start in range(0, len(names), TOGETHER):
            self._plan_and_store({name: by_chat[name] for name in names[start : start + TOGETHER]})
        if edited := [entry for entry in self.messages.values() if entry.edits]:
            with self.store.write_for_sync() as writer:
                for entry in edited:
                    writer.exchange.put_edits(entry.thing[1], entry.edits)

    def reorder(self, chat: Conversation, stored: list[Message]) -> list[Message]:
        """Puts the stored messages of a chat into the order that all machines share, and returns them in it."""
        by_id = {message.id: message for message in stored}
        ordered = in_order(by_id, self.meeting.held.places)
        if ordered == [*by_id]:
            return stored
        resegment = not is_of_corrections(chat)
        with self.store.write_for_sync() as writer:
            writer.actions.begin(self.ingestion.action)
            writer.exchange.reorder(chat.id, ordered, resegment=resegment)
            if resegment:
                self.ingestion.segment_tail(writer, chat)
        with self.store.read_for_sync() as sharing:
            return sharing.said([chat.id])[chat.id]

    def conversation(self, name: str, known: Mapping[str, Conversation]) -> Conversation | None:
        """A chat that is stored here or in a bundle; None if it is in neither."""
        entry = self.meeting.winners.get(("conversation", name))
        return known.get(name) or (conversation_of(entry.row) if entry and entry.mark.is_there else None)

    def message(self, entry: SyncLine, chat: Conversation) -> Message:
        """A message of another machine, without its place yet. Its user follows from the names of the chat's owner."""
        row = entry.row
        of_user = row["speaker"] in self.names.get(chat.user_id, ()) or (
            chat.kind is ChatKind.ASSISTANT and row["role"] == Role.USER
        )
        return message_of(row, chat.user_id if of_user else row["speaker"])

    def _plan_and_store(self, by_chat: Mapping[str, Sequence[SyncLine]]) -> None:
        with self.store.read_for_sync() as sharing:
            known = sharing.chats(by_chat)
            said, forgotten = sharing.said(known), sharing.forgotten_places(by_chat)
        plans = []
        for name, entries in by_chat.items():
            chat = self.conversation(name, known)
            if chat is None:
                raise StoreBusy(f"{self.store.path}: a chat was removed during the sync", "sync again; nothing is lost")
            if not is_of_corrections(chat):
                stored = self.reorder(chat, said.get(name, []))
                plans.append(self._plan(chat, stored, forgotten[name], entries))
        self.ingestion.store_plans(plans, dict.fromkeys(by_chat, self.report))

    def _plan(
        self, chat: Conversation, stored: Sequence[Message], forgotten: Mapping[str, int], entries: Sequence[SyncLine]
    ) -> Plan:
        here = {message.id: message for message in stored}
        arrivals = {entry.thing[1]: entry for entry in entries}
        fresh = {name: self.message(entry, chat) for name, entry in arrivals.items() if name not in here}
        edited = {
            name: replace(here[name], text=entry.row["text"])
            for name, entry in arrivals.items()
            if name in here and here[name].text != entry.row["text"]
        }
        every = here | fresh | edited
        ordered = tuple(every[name] for name in in_order(every, self.meeting.held.places))
        places = {message.id: message.ordinal for message in stored}
        places |= {name: place for name, place in forgotten.items() if name not in fresh}
        new, insert_before = placed_among(ordered, places, [*fresh.values()])
        return Plan(
            conversation=chat,
            messages=ordered,
            new=new,
            edited=tuple(edited.values()),
            insert_before=insert_before,
            resegment_from=min(insert_before) - 1 if insert_before else None,
            begins=not here,
        )
