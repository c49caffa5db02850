"""The steps of the commands that read chats, with their notes on stderr."""

import io
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from evermem_cli import transcripts
from evermem_cli.cli.shared import hook_failure
from evermem_cli.cli.shared.options import path_of
from evermem_cli.cli.shared.progress import working
from evermem_cli.cli.shared.session import Session
from evermem_cli.config import Settings
from evermem_cli.errors import ExitCode, UsageError
from evermem_cli.follow import Following, Watch, arrivals
from evermem_cli.ingest import Ingestion, progress_totals, survey
from evermem_cli.intake.chosen import every_chat
from evermem_cli.intake.own_names import completed, unknown_names
from evermem_cli.intake.reports import Choice, InputReport
from evermem_cli.memory import Action, ActionKind, Transcript
from evermem_cli.naming.names import begins_with
from evermem_cli.store import Keys, Store
from evermem_cli.terminal.stopping import at_once, gently
from evermem_cli.terminal.streams import bytes_in
from evermem_cli.transcripts import ReadOptions, Skip

OF_THE_COMMAND = ("db", "llm", "embedder", "user", "me", "tz", "policy", "boundary")  # settings that have an option
SHOWN_LINKS = 3  # links that are told by name
BESIDE_SECONDS = 5.0  # seconds between checks for topics that have ended


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """The chats to read: where they are, how to read them, and which of them."""

    session: Session
    paths: tuple[Path, ...]
    stdin: bool
    options: ReadOptions
    choice: Choice
    action: Action = field(default_factory=lambda: Action(kind=ActionKind.INGEST))
    noted: set[str] = field(default_factory=set)  # the notes about names, each of which is shown once

    @classmethod
    def of(cls, session: Session, paths: Sequence[str], options: ReadOptions, choice: Choice) -> "Intake":
        """The intake for the command line's arguments, where "-" is standard input."""
        named = tuple(path_of(path) for path in paths if path != "-")
        return cls(session=session, paths=named, stdin="-" in paths, options=options, choice=choice)

    def ingest(self) -> list[InputReport]:
        """Runs tier 1 on all inputs; reports what was unusable and what stays forgotten."""
        session = self.session
        sources = self._sources()
        settings = self._completed(session.settings, self._chats(sources))
        watched = session.stderr.is_terminal  # counting reads the files once more, which only a progress bar justifies
        counted = watched and not self.stdin
        totals = progress_totals(transcripts.find(self.paths), self.options, self.choice) if counted else {}
        with working(session.stderr) as progress:
            ingestion = Ingestion(
                session.store, session.embedder, settings, progress, self.choice, totals, action=self.action
            )
            inputs = ingestion.run(sources, self.options)
        tell(session, inputs)
        done = (str(Path(report.path).absolute()) for report in inputs if report.status != "failed")
        hook_failure.settle(settings, *done)
        return inputs

    def survey(self) -> list[InputReport]:
        """What `ingest` would read; writes nothing."""
        session = self.session
        sources = self._sources()
        settings = completed(session.settings, session.store, self._chats(sources))
        inputs = survey(sources, self.options, session.store, settings, self.choice)
        tell(session, inputs)
        return inputs

    def follow(self, *, beside: bool) -> tuple[list[InputReport], bool]:
        """Reads standard input as it arrives, until it ends or Ctrl-C (then True); may form memories `beside` that."""
        following = Following(self._ingestion(), self.options, self._completed)
        forming = BackgroundEnrichment(self.session.settings, beside)
        try:
            with gently() as stop:
                for lines in arrivals(bytes_in(), lambda: stop.asked):
                    following.take(lines)
                    forming.go_on()
                if following.lines or not stop.asked:
                    following.take([], ended=True)
        finally:
            forming.stop()
            tell(self.session, [following.report])
        return [following.report], stop.asked

    def watch(self, *, with_llm: bool) -> list[InputReport]:
        """Reads chats that appear and grow at the paths, until Ctrl-C, and forms their memories.

        With the language model, a process beside this one forms them.
        """
        _refuse_pipes(self.paths)
        for missing in (path for path in self.paths if not path.exists()):
            self.session.note(f"{missing} does not exist yet; evermem waits for it")
        watch = Watch(self._ingestion(), self.options, self.paths, self._completed)
        beside = BackgroundEnrichment(self.session.settings, with_llm)
        try:
            with at_once():
                while True:
                    reports = watch.look()
                    tell(self.session, reports)
                    if reports and not with_llm:
                        self.session.form()
                    beside.go_on()
                    time.sleep(watch.pause)
        except KeyboardInterrupt:
            return list(watch.reports.values())
        finally:
            beside.stop()

    def _ingestion(self) -> Ingestion:
        session = self.session
        ingestion = Ingestion(
            session.store, session.embedder, session.settings, lambda *_: None, self.choice, action=self.action
        )
        ingestion.prepare()
        return ingestion

    def _completed(self, settings: Settings, chats: Iterable[Transcript]) -> Settings:
        """The settings, with the speakers of the chats that names of the user mean; notes which are new."""
        settings = completed(settings, self.session.store, chats)
        self._tell_names(settings)
        return settings

    def _chats(self, sources: Iterable[Path | BinaryIO]) -> Iterator[Transcript]:
        """The chats of all inputs, of which a stream in RAM stays unread."""
        copies = (io.BytesIO(source.getvalue()) if isinstance(source, io.BytesIO) else source for source in sources)
        return every_chat(copies, self.options, self.choice)

    def _tell_names(self, settings: Settings) -> None:
        """Notes which names that are given are taken for the user's besides those that memory knows."""
        session = self.session
        if not session.store.exists:
            return
        with session.store.read() as reader:
            known = reader.names.ownership(settings.user)
        owned = known.names
        given = (name for name in settings.own_names if not any(begins_with(own, name) for own in owned))
        new = sorted(
            name for name in given if not any(begins_with(meant, name) for meant in settings.own_names - {name})
        )
        if not new or not owned:
            return
        others, own = ", ".join(new), ", ".join(known.names)
        undo = f"`evermem me {shlex.join(known.names)}` undoes that"
        everywhere = f"`evermem me {shlex.join([*known.names, *new])}` makes earlier messages yours, too"
        earlier = f"; {everywhere}" * any(name in known.others for name in new)
        note = f"in these chats you are {others} as well as {own}: {undo}{earlier}"
        if note not in self.noted:
            self.noted.add(note)
            session.note(note)

    def _sources(self) -> list[Path | BinaryIO]:
        passed_over: dict[Skip, list[Path]] = {reason: [] for reason in Skip}
        files = list(transcripts.find(self.paths, lambda path, reason: passed_over[reason].append(path)))
        if hidden := passed_over[Skip.HIDDEN]:
            self.session.note(f"hidden folders are not read: {_by_name(hidden)}; name one to have it read")
        if links := passed_over[Skip.LEADS_OUT]:
            self.session.note(f"links out of the folder are not followed: {_by_name(links)}; name one to have it read")
        if others := passed_over[Skip.NO_CHAT]:
            self.session.note(f"not read: {_by_kind(others)}; `evermem formats` lists what is read")
        return [*files, *([self._stdin()] if self.stdin else [])]

    def _stdin(self) -> BinaryIO:
        """Standard input, kept in RAM where it is read twice because of names of the user that memory does not know."""
        stream = bytes_in()
        return io.BytesIO(stream.read()) if unknown_names(self.session.settings, self.session.store) else stream


def _refuse_pipes(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.exists() and not path.is_file() and not path.is_dir():
            hint = "a pipe or a device does not grow; `evermem ingest - --follow` reads standard input"
            raise UsageError(f"{path}: neither a file nor a folder", hint)


def _by_name(links: Sequence[Path]) -> str:
    """Links in few words: "a/up, b, c and 7 more"."""
    more = f" and {len(links) - SHOWN_LINKS} more" if links[SHOWN_LINKS:] else ""
    return ", ".join(map(str, links[:SHOWN_LINKS])) + more


def _by_kind(files: Sequence[Path]) -> str:
    """Files in few words: "3 .jpg files, notes.pdf"."""
    kinds: dict[str, list[str]] = {}
    for file in files:
        kinds.setdefault(file.suffix.lower(), []).append(file.name)
    said = [names[0] if len(names) == 1 else f"{len(names)} {kind or 'other'} files" for kind, names in kinds.items()]
    return ", ".join(sorted(said))


@dataclass(slots=True)
class BackgroundEnrichment:
    """Forms memories in a process of its own, so that new messages do not wait."""

    settings: Settings
    wanted: bool
    running: subprocess.Popen[bytes] | None = None
    looked: float = 0.0

    def go_on(self) -> None:
        """Forms the topics that have ended, unless the process is still running."""
        ended = self.running.poll() if self.running else ExitCode.OK
        # it reported the reason on stderr, and would do so again
        if ended not in (None, ExitCode.OK, ExitCode.PARTIAL):
            self.wanted = False
        if not self.wanted or ended is None or time.monotonic() - self.looked < BESIDE_SECONDS:
            return
        self.looked = time.monotonic()
        with Store(self.settings.db, self.settings.busy_timeout, keys=Keys(self.settings.key_path)).read() as reader:
            waiting = set(reader.topics.pending_ids(closed=True)) - set(reader.topics.failures())
        if waiting:
            command = [sys.executable, "-m", "evermem_cli", "enrich", "--closed"]
            same = {f"EVERMEM_{name.upper()}": str(getattr(self.settings, name)) for name in OF_THE_COMMAND}
            nothing = subprocess.DEVNULL
            self.running = subprocess.Popen(command, env=os.environ | same, stdin=nothing, stdout=nothing)

    def stop(self) -> None:
        """Stops the process. What it has committed stays."""
        if self.running is not None:
            self.running.terminate()
            self.running.wait()


def tell(session: Session, inputs: Sequence[InputReport]) -> None:
    """Notes on stderr what was guessed, left out or unusable."""
    for report in inputs:
        for line in report.remarks():
            session.note(line)
