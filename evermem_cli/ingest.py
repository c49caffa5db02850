"""The workflow of tier 1: every message is stored, segmented into topics, embedded and indexed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np

from evermem_cli.config import Settings
from evermem_cli.engines import Embedder, Vectors
from evermem_cli.engines.calibration import scale_of
from evermem_cli.formation.pieces import mean_vectors, spoken_pieces
from evermem_cli.formation.segment import BoundaryReason, Segment, segment
from evermem_cli.intake.chosen import Incoming, every_chat, in_batches, incoming
from evermem_cli.intake.identity import conversation_of_key
from evermem_cli.intake.plan import Plan, Planned, Planner
from evermem_cli.intake.reports import ChatReport, Choice, InputReport
from evermem_cli.memory import Action, ActionKind, Conversation, MemCell, Message, content_id
from evermem_cli.progress import Progress
from evermem_cli.store import ChatReader, Store, Writer
from evermem_cli.transcripts import ReadOptions

# Messages embedded and committed together: a few seconds of work, so that an interruption loses little.
SLICE = 1000

Embedded = tuple[Sequence[int], Vectors]  # the number of texts embedded per message, and one vector per text

REPEATED = "messages that another chat has already"
OUT_OF_TIME = "messages outside of the chosen time"
TWICE = "messages that the chat has twice"


@dataclass(frozen=True, slots=True)
class Ingestion:
    """Tier 1: reads, stores, segments, embeds and indexes every message. No language model is involved.

    Known messages are not stored again, and edited ones are updated. Every slice is committed separately, so an
    interruption loses at most one. Progress is reported in chats and messages; `totals` gives their number where it is
    known.
    """

    store: Store
    embedder: Embedder
    settings: Settings
    progress: Progress
    choice: Choice = field(default_factory=Choice)
    totals: Mapping[str, int] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)
    action: Action = field(default_factory=lambda: Action(kind=ActionKind.INGEST))

    def run(self, sources: Iterable[Path | BinaryIO], options: ReadOptions) -> list[InputReport]:
        """Ingests files and streams. Each report says what was wrong with its input. Raises StoreError, StoreBusy."""
        self.prepare()
        reports: list[InputReport] = []
        for batch in in_batches(incoming(sources, options, self.choice, reports), SLICE):
            self.take_in(batch)
        return reports

    def prepare(self) -> None:
        """Creates the memory file if there is none. Raises StoreError where the file belongs to another embedder."""
        if not self.store.exists:
            self.store.create(self.embedder.name, self.embedder.dimension, scale_of(self.embedder))
        with self.store.read() as reader:
            reader.meta.check_embedder(self.embedder.name, self.embedder.dimension)

    def take_in(self, chats: Sequence[Incoming]) -> None:
        """Stores what is new in these chats, all of which differ, slice by slice."""
        with self.store.read() as reader:
            plans = _planned(chats, reader.chats, self.settings, self.choice)
        for chat, plan in zip(chats, plans, strict=True):
            _count_read(chat, plan)
        self._advance("messages", sum(len(plan.messages) - len(plan.new) for plan in plans))
        self.store_plans(plans, {plan.conversation.id: chat.report for chat, plan in zip(chats, plans, strict=True)})

    def store_plans(self, plans: Sequence[Plan], reports: Mapping[str, InputReport]) -> None:
        """Does what is planned of chats, slice by slice; `reports` are by the chats' ids.

        Raises StoreError, StoreBusy.
        """
        if renamed := [plan.conversation for plan in plans if plan.renames]:
            with self.store.write() as writer:
                for conversation in renamed:
                    writer.chats.rename(conversation)
        parts = [part for plan in plans if plan.has_changes for part in plan.parts(SLICE)]
        for group in _groups(parts):
            self._store(group, reports)
            self._advance("messages", sum(len(part.new) for part in group))
        self._advance("chats", len(plans))

    def _advance(self, what: str, by: int) -> None:
        if by:
            self.done[what] += by
            self.progress(what, self.done[what], self.totals.get(what, 0))

    def _store(self, parts: Sequence[Plan], reports: Mapping[str, InputReport]) -> None:
        """Embeds and commits the steps of one or several plans in one transaction."""
        embedded = self._embedded(parts)
        with self.store.write() as writer:
            writer.actions.begin(self.action)
            unknown = writer.reader.chats.unknown([part.conversation.id for part in parts if part.begins])
            self._begin(
                writer, [(part, new) for part, (new, _) in embedded if part.conversation.id in unknown], reports
            )
            for part, embedding in embedded:
                report = reports[part.conversation.id]
                if part.conversation.id not in unknown:
                    report.memcells += self._go_on(writer, part, embedding)
                _count_changes(part, report)
            writer.actions.name_owner(self.settings.user)

    def _embedded(self, parts: Sequence[Plan]) -> list[tuple[Plan, tuple[Embedded, Embedded]]]:
        """Each step with the embedded texts of its new and of its edited messages, all embedded together."""
        pieces = []
        for part in parts:
            before = part.before()
            for messages in (part.new, part.edited):
                pieces.append([spoken_pieces(message, before.get(message.id)) for message in messages])
        vectors = self.embedder.embed([text for messages in pieces for message in messages for text in message])
        counts = [[len(message) for message in messages] for messages in pieces]
        rows = iter(zip(counts, np.split(vectors, np.cumsum([*map(sum, counts)])[:-1]), strict=True))
        return [(part, (next(rows), next(rows))) for part in parts]

    def _begin(
        self, writer: Writer, chats: Sequence[tuple[Plan, Embedded]], reports: Mapping[str, InputReport]
    ) -> None:
        """Stores unknown chats together, since an account with many chats would otherwise take long."""
        if not chats:
            return
        writer.chats.add_conversation(*(plan.conversation for plan, _ in chats))
        messages = [message for plan, _ in chats for message in plan.new]
        writer.actions.note_added([message.id for message in messages])
        counts = [count for _, (numbers, _) in chats for count in numbers]
        writer.chats.add_messages(messages, counts, np.concatenate([vectors for _, (_, vectors) in chats]))
        cells = [cell for plan, embedding in chats for cell in self._cells(plan.conversation, plan.new, embedding)]
        writer.topics.put_new_cells(cells)
        for cell in cells:
            reports[cell.conversation_id].memcells += 1

    def _go_on(self, writer: Writer, plan: Plan, embedded: Sequence[Embedded]) -> int:
        """Stores what is new in a chat that may be known; returns the number of new MemCells."""
        changed = [*plan.gone, *(message.id for message in plan.edited)]
        writer.actions.keep_chat(plan.conversation.id, changed, plan.resegment_from, moves=bool(plan.insert_before))
        writer.actions.note_added([message.id for message in plan.new])
        writer.chats.add_conversation(plan.conversation)
        writer.chats.change_places(plan.conversation.id, plan.gone, plan.insert_before, plan.resegment_from)
        for messages, put, embedding in zip(
            (plan.new, plan.edited), (writer.chats.add_messages, writer.chats.edit), embedded, strict=True
        ):
            if messages:
                put(messages, *embedding)
        return self.segment_tail(writer, plan.conversation)

    def segment_tail(self, writer: Writer, conversation: Conversation) -> int:
        """Segments the messages since the last closed MemCell anew; returns the number of new MemCells."""
        messages, counts, vectors = writer.reader.chats.open_messages(conversation.id)
        continues = writer.reader.chats.last_reason(conversation.id) not in (None, BoundaryReason.TIME_GAP)
        cells = self._cells(conversation, messages, (counts, vectors), continues=continues)
        return writer.topics.put_open_cells(conversation.id, cells)

    def _cells(
        self, conversation: Conversation, messages: Sequence[Message], embedded: Embedded, *, continues: bool = False
    ) -> list[MemCell]:
        """Segments messages that no closed MemCell holds. The first segment may continue a sitting."""
        segments = segment(
            messages,
            mean_vectors(messages, *embedded),
            boundary=self.settings.boundary,
            max_messages=self.settings.max_messages,
            continues_sitting=continues,
            embedder=self.embedder.name,
        )
        return [self._memcell(conversation, messages, part) for part in segments]

    def _memcell(self, conversation: Conversation, messages: Sequence[Message], part: Segment) -> MemCell:
        members = tuple(messages[part.start : part.stop])
        return MemCell(
            event_id=content_id("cell", *(message.id for message in members)),
            conversation_id=conversation.id,
            group_id=conversation.group_id,
            kind=conversation.kind,
            messages=members,
            boundary_reason=part.reason.value,
            open=part.open,
            policy=self.settings.policy,
        )


def progress_totals(sources: Iterable[Path], options: ReadOptions, choice: Choice) -> Counter[str]:
    """The numbers of chats and messages to read, against which progress is measured."""
    totals: Counter[str] = Counter()
    for transcript in every_chat(sources, options, choice):
        totals.update(chats=1, messages=len(transcript.turns))
    return totals


def survey(
    sources: Iterable[Path | BinaryIO], options: ReadOptions, store: Store, settings: Settings, choice: Choice
) -> list[InputReport]:
    """What an ingestion of these inputs would read, chat by chat; writes nothing. Raises StoreError, StoreBusy.

    A message that several inputs have counts as new in the first of them. Only the ingestion itself knows that two
    parts of one chat belong together if its messages have no ids and the parts begin differently.
    """
    reports: list[InputReport] = []
    planned = Planned()
    for batch in in_batches(incoming(sources, options, choice, reports), SLICE):
        with store.read_if_there() as reader:
            plans = _planned(batch, reader.chats if reader else None, settings, choice, planned)
        for chat, plan in zip(batch, plans, strict=True):
            _count_read(chat, plan)
            _count_changes(plan, chat.report)
            if plan.messages:
                chat.report.chats.append(_chat(plan))
    return reports


def _planned(
    chats: Sequence[Incoming],
    stored: ChatReader | None,
    settings: Settings,
    choice: Choice,
    planned: Planned | None = None,
) -> list[Plan]:
    """The plans of chats, all of which differ, beyond what was `planned` before.

    `stored` is None where there is no memory yet.
    """
    keys = [chat.transcript.key for chat in chats]
    ids = [conversation_of_key(key, settings.user) for key in keys if key is not None]
    planned = planned or Planned()
    planner = Planner(stored, settings, choice, stored.unknown(ids) if stored else (), planned)
    return [planned.beyond(planner.plan(chat.transcript, chat.thread)) for chat in chats]


def _count_read(chat: Incoming, plan: Plan) -> None:
    report = chat.report
    report.conversations += bool(plan.messages)
    report.conversation_ids.add(plan.conversation.id)
    report.messages += len(plan.messages)
    report.forgotten += plan.forgotten
    report.skip(REPEATED, plan.repeated)
    report.skip(OUT_OF_TIME, plan.out_of_time)
    report.skip(TWICE, len(chat.transcript.turns) - plan.repeated - plan.out_of_time - len(plan.messages))


def _count_changes(plan: Plan, report: InputReport) -> None:
    report.new_messages += plan.new_count
    report.edited_messages += plan.edited_count
    report.completed_messages += plan.completed
    report.removed_messages += plan.removed_count


def _chat(plan: Plan) -> ChatReport:
    return ChatReport(
        title=plan.called,
        participants=tuple(dict.fromkeys(message.speaker for message in plan.messages)),
        messages=len(plan.messages),
        new_messages=plan.new_count,
        edited_messages=plan.edited_count,
        removed_messages=plan.removed_count,
        first=min(message.said_at for message in plan.messages),
        last=max(message.said_at for message in plan.messages),
    )


def _groups(parts: Sequence[Plan]) -> Iterator[list[Plan]]:
    """Steps in order, in groups of about a slice."""
    group: list[Plan] = []
    messages = 0
    for part in parts:
        group.append(part)
        messages += len(part.new)
        if messages >= SLICE:
            yield group
            group, messages = [], 0
    if group:
        yield group
