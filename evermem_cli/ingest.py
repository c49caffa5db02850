"""The workflow from file to stored memory: tier 1 makes every message searchable, tier 2 takes MemCells through the model."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from evermem_cli import transcripts
from evermem_cli.config import Settings
from evermem_cli.engines import Embedder, Llm
from evermem_cli.errors import GenerationError, InputError
from evermem_cli.formation.extract import form_traces
from evermem_cli.formation.segment import segment
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
        if self.error:
            return "partial" if self.conversations else "failed"
        if self.problems:
            return "partial"
        return "ok" if self.new_messages else "unchanged"


@dataclass(slots=True)
class Enrichment:
    """What tier 2 made, and what it cost."""

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
        for cost in ("dropped", "llm_calls", "prompt_tokens", "output_tokens"):
            setattr(self, cost, getattr(self, cost) + getattr(traces, cost))


def ingest(
    sources: Iterable[Path | BinaryIO],
    store: Store,
    embedder: Embedder,
    settings: Settings,
    options: ReadOptions,
    progress: Progress,
) -> list[InputReport]:
    """Tier 1: reads, stores, segments, embeds and indexes every message; no language model.

    What is already known is not stored again. Each slice is committed on its own, so an interruption loses at most the
    slice in work. Raises StoreError, StoreBusy; what is wrong with an input is in its report.
    """
    store.create(embedder.name, embedder.dimension)
    with store.read() as reader:
        reader.check_embedder(embedder.name, embedder.dimension)
    index = _IndexPace()
    reports = [_ingest_one(source, store, embedder, settings, options, progress, index) for source in sources]
    _finish_index(store)
    return reports


def enrich(
    store: Store, embedder: Embedder, load_llm: Callable[[], Llm], settings: Settings, progress: Progress
) -> Enrichment:
    """Tier 2: takes every MemCell that waits for it, or failed in it, through the language model, one by one.

    The file is held only to store what was made. A reply that is unusable marks its MemCell as failed and the work goes
    on. The model is loaded only when something waits. Raises StoreError, StoreBusy, ModelError.
    """
    result = Enrichment()
    with store.read() as reader:
        reader.check_embedder(embedder.name, embedder.dimension)
        pending = reader.pending_ids()
    if not pending:
        return result
    llm = load_llm()
    index = _IndexPace()
    for done, event_id in enumerate(pending):
        progress("memories", done, len(pending))
        _enrich_one(event_id, store, embedder, llm, settings, result, index)
    progress("memories", len(pending), len(pending))
    _finish_index(store)
    return result


def _ingest_one(
    source: Path | BinaryIO,
    store: Store,
    embedder: Embedder,
    settings: Settings,
    options: ReadOptions,
    progress: Progress,
    index: "_IndexPace",
) -> InputReport:
    report = InputReport(path=str(source) if isinstance(source, Path) else "-")
    try:
        for transcript in transcripts.read(source, options, report.problems.append):
            _remember(transcript, store, embedder, settings, report, progress, index)
    except InputError as error:
        report.error = f"{error.message}; {error.hint}" if error.hint else error.message
    return report


def _remember(
    transcript: Transcript,
    store: Store,
    embedder: Embedder,
    settings: Settings,
    report: InputReport,
    progress: Progress,
    index: "_IndexPace",
) -> None:
    """Stores what is new in one conversation, slice by slice."""
    with store.read() as reader:
        conversation, messages = identify(transcript, settings.user, settings.me, reader.message_ids)
        known = set(reader.message_ids(conversation.id))
    new = [message for message in messages if message.id not in known]
    new = [replace(message, ordinal=place) for place, message in enumerate(new, start=len(known) + 1)]
    report.format = transcript.format
    report.conversations += 1
    report.messages += len(messages)
    for part in _slices(new):
        vectors = embedder.embed([message.search_text for message in part])
        with store.write() as writer:
            writer.add_conversation(conversation)
            writer.add_messages(part, vectors)
            report.memcells += _segment_tail(writer, conversation, settings)
            index.keep(writer)
        report.new_messages += len(part)
        progress("messages", report.new_messages, 0)


def _segment_tail(writer: Writer, conversation: Conversation, settings: Settings) -> int:
    """Cuts the messages since the last closed MemCell into topics anew; returns how many MemCells that makes."""
    messages, vectors = writer.open_messages(conversation.id)
    found = segment(messages, vectors, boundary=settings.boundary, max_messages=settings.max_messages)
    cells = [
        _memcell(conversation, messages[part.start : part.stop], part.reason, part.open, settings) for part in found
    ]
    return writer.put_open_cells(conversation.id, cells)


def _memcell(
    conversation: Conversation, messages: Sequence[Message], reason: str, is_open: bool, settings: Settings
) -> MemCell:
    return MemCell(
        event_id=content_id("cell", *(message.id for message in messages)),
        conversation_id=conversation.id,
        group_id=conversation.group_id,
        kind=conversation.kind,
        messages=tuple(messages),
        boundary_reason=reason,
        open=is_open,
        policy=settings.policy,
    )


def _enrich_one(
    event_id: str,
    store: Store,
    embedder: Embedder,
    llm: Llm,
    settings: Settings,
    result: Enrichment,
    index: "_IndexPace",
) -> None:
    with store.read() as reader:
        cells = reader.memcells([event_id])
    if not cells:  # it was still open and another process has added to it
        return
    try:
        traces = form_traces(cells[0], llm, settings)
    except GenerationError as error:
        result.failed[event_id] = error.message
        with store.write() as writer:
            writer.mark_failed(event_id, error.message)
        return
    made = [*traces.episodes, *traces.facts, *traces.foresights]
    vectors = embedder.embed([item.search_text for item in made])
    with store.write() as writer:
        if not writer.memcells([event_id]):
            return
        writer.put_traces(cells[0], traces, vectors, llm.name)
        index.keep(writer)
    result.add(traces)


def _slices(messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    return (messages[i : i + SLICE] for i in range(0, len(messages), SLICE))


def _finish_index(store: Store) -> None:
    with store.read() as reader:
        stale = reader.status().unindexed
    if stale:
        with store.write() as writer:
            writer.build_index()


@dataclass(slots=True)
class _IndexPace:
    """Rebuilds the static keyword index now and then, so that new memories are found while more are coming in."""

    finished: float = field(default_factory=time.monotonic)
    seconds: float = 0.0

    def keep(self, writer: Writer) -> None:
        """Rebuilds if the last rebuild was long enough ago for its cost."""
        start = time.monotonic()
        if start - self.finished >= self.seconds / INDEX_SHARE:
            writer.build_index()
            self.finished = time.monotonic()
            self.seconds = self.finished - start
