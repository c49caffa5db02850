"""The workflow of tier 2: memories are formed from waiting topics, a few at a time."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from evermem_cli.config import Settings
from evermem_cli.consolidate import Consolidation
from evermem_cli.consolidation.corrections import corrected_traces
from evermem_cli.consolidation.doubts import DOUBTFUL, doubts
from evermem_cli.engines import Completion, Embedder, Llm
from evermem_cli.errors import GenerationError
from evermem_cli.formation.extract import complete, draft, finish
from evermem_cli.memory import MemCell, Traces
from evermem_cli.progress import Progress
from evermem_cli.reading.highlighter import Highlighter
from evermem_cli.reflect import Reflection, ReflectReport
from evermem_cli.store import Store

_TOGETHER = 8  # MemCells whose requests go to the model together; an interruption loses these


@dataclass(slots=True)
class EnrichReport:
    """What tier 2 formed, what it cost, and which MemCells failed and why."""

    memcells: int = 0
    episodes: int = 0
    facts: int = 0
    foresights: int = 0
    interactions: int = 0
    rules: int = 0
    dropped: int = 0
    verdicts: int = 0
    llm_calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    failed: dict[str, str] = field(default_factory=dict)

    def add(self, traces: Traces) -> None:
        """Counts what was formed from one MemCell."""
        self.memcells += 1
        self.episodes += len(traces.episodes)
        self.facts += len(traces.facts)
        self.foresights += len(traces.foresights)
        self.dropped += traces.dropped
        self.llm_calls += traces.llm_calls
        self.prompt_tokens += traces.prompt_tokens
        self.output_tokens += traces.output_tokens

    def judged(self, replies: Sequence[Completion], verdicts: int) -> None:
        """Counts what was asked about doubtful statements, and the verdicts."""
        self.verdicts += verdicts
        self.llm_calls += len(replies)
        self.prompt_tokens += sum(reply.prompt_tokens for reply in replies)
        self.output_tokens += sum(reply.output_tokens for reply in replies)

    def learned(self, report: ReflectReport) -> None:
        """Counts what was learned from chats with assistants."""
        self.interactions += report.interactions
        self.rules += report.rules


@dataclass(frozen=True, slots=True)
class Enrichment:
    """Tier 2: forms the memories of the MemCells that wait or have failed, oldest first; the model does its tasks.

    The memory file is locked only to store results, not while the model works. An unusable reply marks its MemCell as
    failed, to be tried again later, and the work continues.
    """

    store: Store
    embedder: Embedder
    load_llm: Callable[[], Llm]
    settings: Settings
    progress: Progress
    closed: bool = False  # leave out topics that may still grow
    chats: Collection[str] | None = None  # ids of the only conversations to do; None for all
    highlighter: Highlighter = field(default_factory=Highlighter)

    def run(self) -> EnrichReport:
        """Forms the waiting MemCells, oldest first. Raises StoreError, StoreBusy, ModelError."""
        report = EnrichReport()
        with self.store.read() as reader:
            reader.meta.check_embedder(self.embedder.name, self.embedder.dimension)
            pending = reader.topics.pending_ids(closed=self.closed, chats=self.chats)
        if pending:
            llm = self.load_llm()  # loaded only now, since a second ingest of the same files needs no model
            for done in range(0, len(pending), _TOGETHER):
                self.progress("memories", done, len(pending))
                self._form(pending[done : done + _TOGETHER], llm, report)
            self.progress("memories", len(pending), len(pending))
        self._judge_earlier(report)
        Consolidation(self.store, self.settings).run()
        report.learned(Reflection(self.store, self.embedder, self.progress).run())
        return report

    def _form(self, event_ids: Sequence[str], llm: Llm, report: EnrichReport) -> None:
        with self.store.read() as reader:
            cells = reader.topics.memcells(event_ids)  # leaves out those that were open and have grown meanwhile
        failed = self._judge(cells, report)
        cells = [cell for cell in cells if cell.event_id not in failed]
        with self.store.read() as reader:
            corrections = reader.corrections.of()
            read = reader.statements.of(message.id for cell in cells for message in cell.messages)
        drafts = [draft(cell, self.settings, self.highlighter, read) for cell in cells]
        for made, replies in zip(drafts, complete(drafts, llm), strict=True):
            try:
                traces = corrected_traces(made.cell, finish(made, replies, self.settings), corrections)
                self._keep(made.cell, traces, llm.name, report)
                if traces.failure:
                    self._fail(made.cell, traces.failure, report)
            except GenerationError as error:
                self._fail(made.cell, error.message, report)

    def _judge_earlier(self, report: EnrichReport) -> None:
        """Has doubtful statements judged in MemCells that were formed when the model did not have this task."""
        if self.settings.tasks.get("statements") != "model":
            return
        with self.store.read() as reader:
            waiting = reader.statements.doubtful_cells(*DOUBTFUL, self.chats)
        for done in range(0, len(waiting), _TOGETHER):
            self.progress("statements", done, len(waiting))
            with self.store.read() as reader:
                cells = reader.topics.memcells(waiting[done : done + _TOGETHER])
            self._judge(cells, report)
        if waiting:
            self.progress("statements", len(waiting), len(waiting))

    def _judge(self, cells: Sequence[MemCell], report: EnrichReport) -> set[str]:
        """Asks the model, if it has this task, about the doubtful statements of these MemCells.

        Returns the ids of the MemCells about which it gave an unusable reply.
        """
        if self.settings.tasks.get("statements") != "model":
            return set()
        with self.store.read() as reader:
            read = reader.statements.of(message.id for cell in cells for message in cell.messages)
        asked = [(cell, doubt) for cell in cells for doubt in doubts(cell, read)]
        if not asked:
            return set()
        llm = self.load_llm()
        replies = llm.complete([doubt.request for _, doubt in asked])
        verdicts, failed = [], set()
        for (cell, doubt), reply in zip(asked, replies, strict=True):
            try:
                verdicts.append(doubt.verdict(reply.text))
            except GenerationError as error:
                self._fail(cell, error.message, report)
                failed.add(cell.event_id)
        with self.store.write() as writer:
            writer.consolidation.put_verdicts(verdicts, llm.name)
        report.judged(replies, len(verdicts))
        return failed

    def _fail(self, cell: MemCell, reason: str, report: EnrichReport) -> None:
        """Notes an unusable reply, so that the MemCell waits again."""
        report.failed[cell.event_id] = reason
        with self.store.write() as writer:
            writer.topics.mark_failed(cell.event_id, reason)

    def _keep(self, cell: MemCell, traces: Traces, model: str, report: EnrichReport) -> None:
        vectors = self.embedder.embed([item.search_text for item in traces.memories])
        with self.store.write() as writer:
            if writer.reader.topics.memcells([cell.event_id]):
                writer.topics.put_traces(cell, traces, vectors, model)
                report.add(traces)
