"""The workflow from file to stored memory: tier 1 makes messages searchable, tier 2 takes topics through the model."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from evermem_cli import transcripts
from evermem_cli.config import Settings
from evermem_cli.engines import Embedder, Llm
from evermem_cli.errors import GenerationError, InputError
from evermem_cli.formation.extract import form_traces
from evermem_cli.formation.pieces import spoken_pieces
from evermem_cli.formation.segment import BoundaryReason, Segment, segment
from evermem_cli.identity import identify
from evermem_cli.memory import Conversation, MemCell, Message, Problem, Traces, Transcript, content_id
from evermem_cli.store import Store, Writer
from evermem_cli.transcripts import ReadOptions

# Messages embedded and committed together: a few seconds of work, so that little is lost to an interruption.
SLICE = 1000
# Largest part of the time that may go into rebuilding the keyword index while more is coming in.
INDEX_SHARE = 0.05

Progress = Callable[[str, int, int], None]  # what is being done, how many are done, of how many (0: unknown)


@dataclass(slots=True)
class InputReport:
    """What became of one input. `status` is ok, unchanged, partial (some of it was unusable) or failed."""

    path: str
    format: str = ""
    conversations: int = 0
    messages: int = 0
    new_messages: int = 0
    memcells: int = 0
    error: str | None = None
    problems: list[Problem] = field(default_factory=list)

    @property
    def status(self) -> str:
        """One word for the outcome."""
        if self.error and not self.conversations:
            return "failed"
        if self.error or self.problems:
            return "partial"
        return "ok" if self.new_messages else "unchanged"


@dataclass(slots=True)
class EnrichReport:
    """What tier 2 made, what it cost, and why which MemCells failed."""

    memcells: int = 0
    episodes: int = 0
    facts: int = 0
    foresights: int = 0
    dropped: int = 0
    llm_calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    failed: dict[str, str] = field(default_factory=dict)

    def add(self, traces: Traces) -> None:
        """Counts what was made of one MemCell."""
        self.memcells += 1
        self.episodes += len(traces.episodes)
        self.facts += len(traces.facts)
        self.foresights += len(traces.foresights)
        self.dropped += traces.dropped
        self.llm_calls += traces.llm_calls
        self.prompt_tokens += traces.prompt_tokens
        self.output_tokens += traces.output_tokens


@dataclass(slots=True)
class IndexPace:
    """Rebuilds the static keyword index now and then, so that new memories are found while more are coming in."""

    finished: float = field(default_factory=time.monotonic)
    seconds: float = 0.0

    def keep(self, writer: Writer) -> None:
        """Rebuilds if the last rebuild was long enough ago for what it cost."""
        start = time.monotonic()
        if start - self.finished >= self.seconds / INDEX_SHARE:
            writer.build_index()
            self.finished = time.monotonic()
            self.seconds = self.finished - start


@dataclass(frozen=True, slots=True)
class Ingestion:
    """Tier 1: reads, stores, segments, embeds and indexes every message; no language model.

    What is already known is not stored again. Each slice is committed on its own, so an interruption loses at most the
    slice in work.
    """

    store: Store
    embedder: Embedder
    settings: Settings
    progress: Progress
    pace: IndexPace = field(default_factory=IndexPace)

    def run(self, sources: Iterable[Path | BinaryIO], options: ReadOptions) -> list[InputReport]:
        """Takes in files and streams; what is wrong with one is in its report. Raises StoreError, StoreBusy."""
        self.store.create(self.embedder.name, self.embedder.dimension)
        with self.store.read() as reader:
            reader.check_embedder(self.embedder.name, self.embedder.dimension)
        reports = [self._take_in(source, options) for source in sources]
        finish_index(self.store)
        return reports

    def _take_in(self, source: Path | BinaryIO, options: ReadOptions) -> InputReport:
        report = InputReport(path=str(source) if isinstance(source, Path) else "-")
        try:
            for transcript in transcripts.read(source, options, report.problems.append):
                named = transcript if transcript.title else replace(transcript, title=Path(report.path).stem)
                self._remember(named, report)
        except InputError as error:
            report.error = f"{error.message}; {error.hint}" if error.hint else error.message
        return report

    def _remember(self, transcript: Transcript, report: InputReport) -> None:
        """Stores what is new in one conversation, slice by slice."""
        with self.store.read() as reader:
            conversation, messages = identify(transcript, self.settings.user, self.settings.me, reader.message_ids)
            known = set(reader.message_ids(conversation.id))
        report.format = transcript.format
        report.conversations += 1
        report.messages += len(messages)
        unseen = (message for message in messages if message.id not in known)
        new = [replace(message, ordinal=place) for place, message in enumerate(unseen, start=len(known) + 1)]
        before = {later.id: earlier for earlier, later in pairwise(messages)}
        for part in _slices(new):
            pieces = [spoken_pieces(message, before.get(message.id)) for message in part]
            vectors = self.embedder.embed([piece for parts in pieces for piece in parts])
            with self.store.write() as writer:
                writer.add_conversation(conversation)
                writer.add_messages(part, [len(parts) for parts in pieces], vectors)
                report.memcells += self._segment_tail(writer, conversation)
                self.pace.keep(writer)
            report.new_messages += len(part)
            self.progress("messages", report.new_messages, len(new))

    def _segment_tail(self, writer: Writer, conversation: Conversation) -> int:
        """Cuts the messages since the last closed MemCell into topics anew; returns how many MemCells are new."""
        messages, vectors = writer.open_messages(conversation.id)
        found = segment(
            messages,
            vectors,
            boundary=self.settings.boundary,
            max_messages=self.settings.max_messages,
            continues_sitting=writer.last_reason(conversation.id) not in (None, BoundaryReason.TIME_GAP),
            embedder=self.embedder.name,
        )
        return writer.put_open_cells(conversation.id, [self._memcell(conversation, messages, part) for part in found])

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


@dataclass(frozen=True, slots=True)
class Enrichment:
    """Tier 2: takes every MemCell that waits for it, or failed in it, through the language model, one by one.

    The memory file is never held while the model works, only to store what it made. A reply that is unusable marks its
    MemCell as failed, for the next time, and the work goes on.
    """

    store: Store
    embedder: Embedder
    load_llm: Callable[[], Llm]
    settings: Settings
    progress: Progress
    pace: IndexPace = field(default_factory=IndexPace)

    def run(self) -> EnrichReport:
        """Forms all that is pending, oldest first. Raises StoreError, StoreBusy, ModelError."""
        report = EnrichReport()
        with self.store.read() as reader:
            reader.check_embedder(self.embedder.name, self.embedder.dimension)
            pending = reader.pending_ids()
        if pending:
            llm = self.load_llm()  # only now: a second ingest of the same files needs no model
            for done, event_id in enumerate(pending):
                self.progress("memories", done, len(pending))
                self._form(event_id, llm, report)
            self.progress("memories", len(pending), len(pending))
        finish_index(self.store)
        return report

    def _form(self, event_id: str, llm: Llm, report: EnrichReport) -> None:
        with self.store.read() as reader:
            cells = reader.memcells([event_id])
        if not cells:  # it was open, and another process has added to it
            return
        try:
            traces = form_traces(cells[0], llm, self.settings)
        except GenerationError as error:
            report.failed[event_id] = error.message
            with self.store.write() as writer:
                writer.mark_failed(event_id, error.message)
            return
        vectors = self.embedder.embed([item.search_text for item in traces.memories])
        with self.store.write() as writer:
            if writer.memcells([event_id]):
                writer.put_traces(cells[0], traces, vectors, llm.name)
                self.pace.keep(writer)
                report.add(traces)


def finish_index(store: Store) -> None:
    """Builds the keyword index if anything was written since it was built."""
    with store.read() as reader:
        stale = reader.status().unindexed
    if stale:
        with store.write() as writer:
            writer.build_index()


def _slices(messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    return (messages[i : i + SLICE] for i in range(0, len(messages), SLICE))
