"""The workflow from file to stored memory, tier 1: every message is stored, cut into topics and searchable."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, pairwise
from pathlib import Path
from typing import BinaryIO

from evermem_cli import transcripts
from evermem_cli.config import Settings
from evermem_cli.engines import Embedder
from evermem_cli.errors import InputError
from evermem_cli.formation.pieces import spoken_pieces
from evermem_cli.formation.segment import BoundaryReason, Segment, segment
from evermem_cli.identity import identify
from evermem_cli.memory import Conversation, Finding, MemCell, Message, Problem, Skipped, Transcript, content_id
from evermem_cli.store import Store, Writer
from evermem_cli.transcripts import ReadOptions
from evermem_cli.upkeep import IndexPace, Progress, finish_index

# Messages embedded and committed together: a few seconds of work, so that little is lost to an interruption.
SLICE = 1000


@dataclass(slots=True)
class InputReport:
    """What became of one input. `status` is ok, unchanged, partial (some of it was unusable) or failed.

    `guesses` is what was inferred or assumed to read it.
    """

    path: str
    format: str = ""
    conversations: int = 0
    messages: int = 0
    new_messages: int = 0
    memcells: int = 0
    forgotten: int = 0  # messages left out because the user had them forgotten
    error: str | None = None
    problems: list[Problem] = field(default_factory=list)
    guesses: dict[str, None] = field(default_factory=dict)  # an ordered set
    skipped: dict[str, int] = field(default_factory=dict)  # messages that are no conversation, by what they are

    def hear(self, finding: Finding) -> None:
        """Takes down what reading tells beside the conversations."""
        match finding:
            case Problem():
                self.problems.append(finding)
            case Skipped():
                self.skipped[finding.reason] = finding.messages

    def remarks(self) -> Iterator[str]:
        """What was guessed, left out or unusable, a line each."""
        if self.guesses:
            yield f"{self.path}: {'; '.join(self.guesses)}"
        if self.skipped:
            kinds = ", ".join(f"{messages} {reason}" for reason, messages in self.skipped.items())
            yield f"{self.path}: left out {kinds}"
        for problem in self.problems:
            line = "" if problem.line is None else f":{problem.line}"
            yield f"{problem.path}{line}: {problem.reason}"
        if self.problems and not self.error:
            yield f"{self.path}: export or mend it and ingest it again; what is known is not added twice"
        if self.error:
            yield self.error
        if self.forgotten:
            yield f"{self.path}: {self.forgotten} messages stay forgotten; --again takes them in"

    @property
    def status(self) -> str:
        """One word for the outcome."""
        if self.error and not self.conversations:
            return "failed"
        if self.error or self.problems:
            return "partial"
        return "ok" if self.new_messages else "unchanged"


@dataclass(frozen=True, slots=True)
class Ingestion:
    """Tier 1: reads, stores, segments, embeds and indexes every message; no language model.

    What is already known is not stored again. Each slice is committed on its own, so an interruption loses at most the
    slice in work. What the user had forgotten stays so, unless it is to be taken in `again`.
    """

    store: Store
    embedder: Embedder
    settings: Settings
    progress: Progress
    again: bool = False
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
            for transcript in transcripts.read(source, options, report.hear):
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
            gone = reader.forgotten_places(conversation.id)
        report.format = transcript.format
        report.guesses |= dict.fromkeys(transcript.guesses)
        report.conversations += 1
        report.messages += len(messages)
        places = count(len(known) + 1)
        unseen = [message for message in messages if message.id not in known or (self.again and message.id in gone)]
        new = [replace(message, ordinal=gone.get(message.id) or next(places)) for message in unseen]
        report.forgotten += sum(message.id in gone for message in messages) * (not self.again)
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


def _slices(messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    return (messages[i : i + SLICE] for i in range(0, len(messages), SLICE))
