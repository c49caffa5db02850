"""Follows chats while they are written: lines of a stream and growing files, ingested within a moment."""

import io
import os
import select
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from evermem_cli import transcripts
from evermem_cli.config import Settings
from evermem_cli.errors import InputError
from evermem_cli.ingest import Ingestion
from evermem_cli.intake.chosen import NOT_CHOSEN, Incoming, every_chat, titled
from evermem_cli.intake.identity import content
from evermem_cli.intake.plan import Thread
from evermem_cli.intake.reports import InputReport
from evermem_cli.memory import UNNAMED, Finding, Problem, TimeSource, Transcript, Turn
from evermem_cli.transcripts import ReadOptions

# A message may arrive in several writes. Lines are read after this many seconds of silence, or after LONGEST.
PAUSE = 0.1
LONGEST = 0.5
IDLE = 1.0  # seconds of silence after which an empty batch is returned, so that the caller can do something else
BLOCK = 1 << 16
# If this many bytes contain no message, the input is not a chat in lines.
MOST_UNREAD = 1 << 22
# Seconds between looks at files. A file is read when it has not changed since the last look. Looking at very many files
# takes at most this share of the time.
POLL = 0.1
LOOKING = 0.1
# A file without a final line end is still being written, unless it has not changed for this many seconds.
UNFINISHED = 0.5
ENDS = b"\n}]"  # characters that may end the last line of a file

Stamp = tuple[int, int]  # size, and modification time in nanoseconds
# Completes the user's names in the settings by the speakers of chats. Raises UsageError where it cannot.
Completing = Callable[[Settings, Iterable[Transcript]], Settings]


def arrivals(stream: BinaryIO, stopped: Callable[[], bool] = lambda: False) -> Iterator[list[bytes]]:
    """The lines of a stream in batches as they arrive, with empty batches between. An unfinished line comes last.

    Once `stopped`, what waits in the pipe is the last batch, without an unfinished line.
    """
    unread, since, descriptor = b"", 0.0, stream.fileno()
    while True:
        waiting = b"\n" in unread
        stopping = stopped()
        if select.select([descriptor], [], [], 0 if stopping else PAUSE if waiting else IDLE)[0]:
            block = os.read(descriptor, BLOCK)
            if not block:
                yield unread.splitlines(keepends=True)
                return
            since = since if waiting else time.monotonic()
            unread += block
            if len(unread) < MOST_UNREAD and (stopping or time.monotonic() - since < LONGEST):
                continue
        whole, end, unread = unread.rpartition(b"\n")
        yield (whole + end).splitlines(keepends=True)
        if stopping:
            return


@dataclass(slots=True)
class Following:
    """A stream of chats whose lines are read once. `lines` are those from the last message on, which may still grow."""

    ingestion: Ingestion
    options: ReadOptions
    completing: Completing
    report: InputReport = field(default_factory=lambda: InputReport(path="-"))
    lines: list[bytes] = field(default_factory=list)
    above: int = 0  # number of lines before these
    reported: int = 0  # the last line that was reported as a problem
    last: Turn | None = None  # the message with which `lines` begin
    last_is_new: bool = False  # whether that message is new since the stream began
    threads: dict[str | None, Thread] = field(default_factory=dict)

    def take(self, fresh: Sequence[bytes], *, ended: bool = False) -> None:
        """Ingests these lines. Lines that form no message yet are kept until more arrive or the stream has `ended`."""
        if not fresh and not ended:
            return
        self.lines += fresh
        findings: list[Finding] = []
        try:
            read = list(transcripts.read(io.BytesIO(b"".join(self.lines)), self.options, findings.append))
        except InputError:
            if ended or sum(map(len, self.lines)) > MOST_UNREAD:
                raise
            return
        turns = [turn for transcript in read for turn in transcript.turns]
        if not ended and any(turn.line is None for turn in turns):  # a JSON document, which is read when it is complete
            return
        self._hear(findings)
        if any(turn.time_source is TimeSource.UNKNOWN for turn in turns) and read[0].format != "jsonl":
            self._take_anew(read)
            return
        pieces = [piece for transcript in read for piece in self._piece(transcript)]
        if pieces:
            self._remember(pieces)
        self.last = max(turns, key=lambda turn: turn.line or 0)
        place = (self.last.line or 1) - 1
        self.lines, self.above = self.lines[place:], self.above + place
        self.options = replace(self.options, format=read[0].format)
        self.report.format = read[0].format

    def _take_anew(self, read: Sequence[Transcript]) -> None:
        """Reads the whole text again: a chat without times can only be recognised as a whole, so all of it is kept."""
        self.report.messages = self.report.conversations = 0
        self.report.format = read[0].format
        before = self.threads.get(None, Thread()).conversation_id
        thread = self.threads[None] = Thread(before if len(read) == 1 else "")
        self.report.skipped.pop(NOT_CHOSEN, None)
        chosen = [named for transcript in read if self._is_chosen(named := titled(transcript, self.report.path))]
        self._remember([(named, thread if len(read) == 1 else None) for named in chosen])

    def _is_chosen(self, named: Transcript, known: int = 0) -> bool:
        """Whether the user selected this chat; its messages count as left out if not, but for those `known` before."""
        is_chosen = self.ingestion.choice.takes_chat(named.title)
        self.report.skip(NOT_CHOSEN, 0 if is_chosen else len(named.turns) - known)
        return is_chosen

    def _remember(self, pieces: Sequence[tuple[Transcript, Thread | None]]) -> None:
        """Stores chats. A message that arrived in parts counts once."""
        report = self.report
        self.ingestion = _completed(self.ingestion, self.completing, (chat for chat, _ in pieces))
        new, completed = report.new_messages, report.completed_messages
        self.ingestion.take_in([Incoming(chat, report, thread) for chat, thread in pieces])
        if self.last_is_new:
            report.edited_messages -= report.completed_messages - completed
        self.last_is_new = report.new_messages > new or (self.last_is_new and report.completed_messages > completed)
        self.report.conversations = max(len(self.threads), 1)

    def _piece(self, transcript: Transcript) -> Iterator[tuple[Transcript, Thread | None]]:
        """The new part of a chat, with the thread that it continues; nothing where nothing is new."""
        first = transcript.turns[0]
        self.report.guesses |= dict.fromkeys(transcript.guesses)
        known = self.last if first.line == 1 else None
        if known and len(transcript.turns) == 1 and first.text == known.text:
            return
        named = titled(transcript, self.report.path)
        if not self._is_chosen(named, known=1 if known else 0):
            return
        if len(transcript.turns) > 1 and len({turn.line for turn in transcript.turns}) == 1:
            yield named, None  # a line that holds a whole chat
            return
        thread = self.threads.setdefault(transcript.key, Thread())
        if known:
            self.report.messages -= 1  # was counted before
            if known.external_id is None:
                thread.seen.subtract([content(known, thread.called or UNNAMED)])
        yield named, thread

    def _hear(self, findings: Sequence[Finding]) -> None:
        """Reports findings in lines that were not read before."""
        for finding in findings:
            if isinstance(finding, Problem) and finding.line is not None:
                if self.above + finding.line <= self.reported:
                    continue
                self.reported = self.above + finding.line
                finding = replace(finding, line=self.reported)
            self.report.record(finding)


@dataclass(slots=True)
class Watch:
    """Files and directories in which chats appear and grow. A changed file is read again."""

    ingestion: Ingestion
    options: ReadOptions
    paths: Sequence[Path]
    completing: Completing
    reports: dict[Path, InputReport] = field(default_factory=dict)
    seen: dict[Path, Stamp] = field(default_factory=dict)
    done: dict[Path, Stamp] = field(default_factory=dict)
    pause: float = POLL  # seconds until the next look

    def look(self) -> list[InputReport]:
        """Reads what has changed since the last look and is complete; returns the reports of these inputs."""
        ready, start = [], time.monotonic()
        for path in transcripts.find(self.paths):
            stamp = _stamp(path)
            if stamp != self.done.get(path) and stamp == self.seen.get(path) and _finished(path, stamp):
                ready.append((path, stamp))
            self.seen[path] = stamp
        self.pause = max(POLL, (time.monotonic() - start) / LOOKING)
        chats = every_chat((path for path, _ in ready), self.options, self.ingestion.choice)
        self.ingestion = _completed(self.ingestion, self.completing, chats) if ready else self.ingestion
        reports = self.ingestion.run([path for path, _ in ready], self.options) if ready else []
        for (path, stamp), report in zip(ready, reports, strict=True):
            self.done[path] = stamp
            self.reports[path] = _joined_reports(self.reports.get(path), report)
        return reports


def _completed(ingestion: Ingestion, completing: Completing, chats: Iterable[Transcript]) -> Ingestion:
    return replace(ingestion, settings=completing(ingestion.settings, chats))


def _stamp(path: Path) -> Stamp:
    """The state of an input that shows changes. For a folder that is one export, the states of all its files."""
    try:
        files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
        states = [file.stat() for file in files]
    except OSError:  # the file has disappeared meanwhile, or is a link to itself
        return 0, 0
    return sum(stat.st_size for stat in states), max((stat.st_mtime_ns for stat in states), default=0)


def _finished(path: Path, stamp: Stamp) -> bool:
    size, changed = stamp
    if not size:
        return False
    if path.is_dir() or time.time() - changed / 1e9 > UNFINISHED:
        return True
    try:
        with path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) in ENDS
    except PermissionError:
        return True  # reading it reports the error
    except OSError:  # the file has disappeared meanwhile, or has become empty
        return False


def _joined_reports(before: InputReport | None, now: InputReport) -> InputReport:
    """The combined report of a file that was read more than once."""
    if before is None:
        return now
    return replace(
        now,
        new_messages=before.new_messages + now.new_messages,
        edited_messages=before.edited_messages + now.edited_messages,
        memcells=before.memcells + now.memcells,
    )
