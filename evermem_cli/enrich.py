"""The workflow that forms memories from waiting topics, a few at a time: by code at once, then by the model."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from evermem_cli.config import Doer, Settings, TaskName
from evermem_cli.consolidate import Consolidation
from evermem_cli.consolidation.corrections import corrected_traces
from evermem_cli.consolidation.doubts import DOUBTFUL, doubts
from evermem_cli.engines import Completion, Embedder, Llm
from evermem_cli.errors import GenerationError
from evermem_cli.formation.extract import CellReplies, complete, draft, finish
from evermem_cli.memory import MemCell, Traces
from evermem_cli.progress import Progress
from evermem_cli.reading.highlighter import Highlighter
from evermem_cli.reflect import Reflection, ReflectReport
from evermem_cli.store import Store

_TOGETHER = 8  # MemCells whose requests go to the model together; an interruption loses these
_BY_CODE_TOGETHER = 64  # MemCells that code forms before it stores them
CODE = "code"  # names who formed a MemCell's memories, in the place of a model
# What the model may do while memories are formed.
MODEL_TASKS: tuple[TaskName, ...] = ("titles", "statements", "foresights", "narratives")
_ALL_BY_CODE: Mapping[TaskName, Doer] = dict.fromkeys(MODEL_TASKS, "code")


def has_model_tasks(tasks: Mapping[TaskName, Doer]) -> bool:
    """Whether the model does anything while memories are formed: titles unless `tasks` say otherwise."""
    return tasks.get("titles") != "code" or any(tasks.get(task) == "model" for task in MODEL_TASKS)


@dataclass(slots=True)
class EnrichReport:
    """What was formed, what it cost, and which MemCells failed and why."""

    memcells: int = 0
    episodes: int = 0
    facts: int = 0
    foresights: int = 0
    interactions: int = 0
    rules: int = 0
    waiting: int = 0  # formed by code, with something left for the model
    dropped: int = 0
    verdicts: int = 0
    llm_calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was formed, judged or tried in vain."""
        return not (self.memcells or self.verdicts or self.failed)

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

    def followed_by(self, later: "EnrichReport") -> "EnrichReport":
        """The report of this run and of a later one, in which the model went through the same MemCells."""
        formed = later if later.memcells >= self.memcells else self
        return replace(
            formed,
            interactions=self.interactions + later.interactions,
            rules=self.rules + later.rules,
            waiting=0,
            dropped=later.dropped,
            verdicts=later.verdicts,
            llm_calls=later.llm_calls,
            prompt_tokens=later.prompt_tokens,
            output_tokens=later.output_tokens,
            failed=later.failed,
        )

    def learned(self, report: ReflectReport) -> None:
        """Counts what was learned from chats with assistants."""
        self.interactions += report.interactions
        self.rules += report.rules


@dataclass(frozen=True, slots=True)
class Enrichment:
    """Forms the memories of MemCells, oldest first; `settings` say which tasks the model does.

    Without `load_llm`, code alone forms those that have no memories yet (tier 1); where the model has tasks, they go on
    waiting for it. With it (tier 2), all that wait or have failed are formed. The memory file is locked only to store
    results, not while the model works. An unusable reply marks its MemCell as failed, to be tried again later, and the
    work continues.
    """

    store: Store
    embedder: Embedder
    load_llm: Callable[[], Llm] | None
    settings: Settings
    progress: Progress
    closed: bool = False  # leave out topics that may still grow
    chats: Collection[str] | None = None  # ids of the only conversations to do; None for all
    by_code: bool = False  # the model also goes through what code alone has formed
    highlighter: Highlighter = field(default_factory=Highlighter)

    def run(self) -> EnrichReport:
        """Forms the waiting MemCells, oldest first. Raises StoreError, StoreBusy, ModelError."""
        report = EnrichReport()
        if not has_model_tasks(self.settings.tasks):
            self._end_waiting()
        with self.store.read() as reader:
            reader.meta.check_embedder(self.embedder.name, self.embedder.dimension)
            waiting = reader.topics.pending_ids(
                closed=self.closed,
                chats=self.chats,
                unformed=self.load_llm is None,
                formed_by=CODE if self.by_code and self._model_works else "",
            )
        together = _TOGETHER if self._model_works else _BY_CODE_TOGETHER
        for done in range(0, len(waiting), together):
            self.progress("memories", done, len(waiting))
            self._form(waiting[done : done + together], report)
        if waiting:
            self.progress("memories", len(waiting), len(waiting))
        self._judge_earlier(report)
        Consolidation(self.store, self.settings).run()
        report.learned(Reflection(self.store, self.embedder, self.progress).run())
        return report

    def _end_waiting(self) -> None:
        """Ends the waiting of what is formed and waits for a model that has no task any more, or failed at one."""
        with self.store.read() as reader:
            waiting = set(reader.topics.pending_ids()) - set(reader.topics.pending_ids(unformed=True))
        if waiting:
            with self.store.write() as writer:
                writer.topics.end_waiting(waiting)

    @property
    def _model_works(self) -> bool:
        return self.load_llm is not None and has_model_tasks(self.settings.tasks)

    def _form(self, event_ids: Sequence[str], report: EnrichReport) -> None:
        with self.store.read() as reader:
            cells = reader.topics.memcells(event_ids)  # leaves out those that were open and have grown meanwhile
        failed = self._judge(cells, report)
        cells = [cell for cell in cells if cell.event_id not in failed]
        with self.store.read() as reader:
            corrections = reader.corrections.of()
            read = reader.statements.of(message.id for cell in cells for message in cell.messages)
        settings = self.settings if self._model_works else replace(self.settings, tasks=dict(_ALL_BY_CODE))
        drafts = draft(cells, settings, self.highlighter, read)
        llm = self.load_llm() if self.load_llm and self._model_works else None
        replies = complete(drafts, llm) if llm else [CellReplies()] * len(drafts)
        formed: list[tuple[MemCell, Traces]] = []
        for made, given in zip(drafts, replies, strict=True):
            try:
                formed.append((made.cell, corrected_traces(made.cell, finish(made, given, settings), corrections)))
            except GenerationError as error:
                self._fail(made.cell, error.message, report)
        self._keep(formed, llm.name if llm else CODE, report)

    def _judge_earlier(self, report: EnrichReport) -> None:
        """Has doubtful statements judged in MemCells that were formed when the model did not have this task."""
        if not self._model_works or self.settings.tasks.get("statements") != "model":
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
        if self.load_llm is None or self.settings.tasks.get("statements") != "model":
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

    def _keep(self, formed: Sequence[tuple[MemCell, Traces]], model: str, report: EnrichReport) -> None:
        """Stores what was formed, in one transaction; not of MemCells that are gone meanwhile."""
        vectors = self.embedder.embed([item.search_text for _, traces in formed for item in traces.memories])
        waits = self.load_llm is None and has_model_tasks(self.settings.tasks)
        with self.store.write() as writer:
            there = {cell.event_id for cell in writer.reader.topics.memcells([cell.event_id for cell, _ in formed])}
            if self.load_llm is None:  # another process may have formed them meanwhile, with a model
                there &= set(writer.reader.topics.pending_ids(unformed=True))
            kept = [(cell, traces) for cell, traces in formed if cell.event_id in there]
            rows = [cell.event_id in there for cell, traces in formed for _ in traces.memories]
            if kept:
                writer.topics.put_traces(kept, vectors[np.array(rows, dtype=bool)], model, waits=waits)
        for _, traces in kept:
            report.add(traces)
            report.waiting += waits
        for cell, traces in formed:
            if traces.failure:
                self._fail(cell, traces.failure, report)
