"""One sync, step by step: read the bundles, compare them with memory, take in the news, write this machine's bundle."""

import json
import os
import secrets
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from evermem_cli.errors import DISK_IS_FULL, DiskFull, InputError, UsageError
from evermem_cli.ingest import Ingestion
from evermem_cli.store import Sharing, Store
from evermem_cli.sync import bundles
from evermem_cli.sync.bundles import SyncBundle, SyncDraft
from evermem_cli.sync.lines import SyncLine, Tables, entry
from evermem_cli.sync.meeting import Meeting, held
from evermem_cli.sync.publishing import Publishing
from evermem_cli.sync.taking import take_in


@dataclass(frozen=True, slots=True)
class Machine:
    """Another machine by its name and its bundle; `stale` counts messages in it that are forgotten here."""

    name: str
    bundle: SyncBundle
    stale: int


@dataclass(slots=True)
class SyncReport:
    """The result of a sync: what this memory got and gave, the machines whose bundles were read, and the problems.

    `snapshot` is that of a shared memory which this memory holds all of, if it is known.
    """

    replica: str = ""
    machines: list[Machine] = field(default_factory=list)
    problems: list[InputError] = field(default_factory=list)
    came: Counter[str] = field(default_factory=Counter)
    went: Counter[str] = field(default_factory=Counter)
    snapshot: int | None = None


@dataclass(frozen=True, slots=True)
class FolderNote:
    """What a memory records about a folder: its own bundle, and the present and former hashes of that bundle."""

    replica: str
    hashes: tuple[str, ...] = ()

    @classmethod
    def of(cls, sharing: Sharing, folder: Path) -> "FolderNote":
        """The stored record; a new one with a new name if there is none."""
        text = sharing.note_of(str(folder))
        if not text:
            return cls(secrets.token_hex(8))
        noted = json.loads(text)
        return cls(noted["replica"], tuple(noted["hashes"]))

    @property
    def text(self) -> str:
        """The text that is stored."""
        return json.dumps({"replica": self.replica, "hashes": self.hashes})


@dataclass(frozen=True)
class Syncing:
    """Exchanges what a memory and the bundles of a folder lack.

    `derive` reads new messages and derives memories from them. `before_forgetting` clears the files that are kept
    beside memory. With `plain` the bundle of an encrypted memory is not encrypted.
    """

    folder: Path
    store: Store
    derive: Callable[[], None]
    before_forgetting: Callable[[], None] = lambda: None
    plain: bool = False
    report: SyncReport = field(default_factory=SyncReport)
    is_lake: ClassVar[bool] = False

    @property
    def place(self) -> str:
        """Where machines meet, as it is shown."""
        return str(self.folder)

    def survey(self) -> SyncReport:
        """Tells what `run` would do, and writes nothing. Raises UsageError, StoreError, StoreBusy."""
        self._look_for_folder()
        with existing(self.store) as store:
            replace(self, store=store)._meet()
        return self.report

    def run(self, ingestion: Ingestion) -> SyncReport:
        """Takes in what is new and writes this machine's bundle.

        Raises UsageError, DiskFull, StoreError, StoreBusy. Nothing is lost then, and the next sync continues.
        """
        self._look_for_folder()
        ingestion.prepare()
        meeting, note, own = self._meet()
        take_in(meeting, ingestion, self.derive, self.before_forgetting)
        if meeting.is_news or not self._is_current(own) or self._was_elsewhere():
            self._publish(meeting, note)
        return self.report

    def _meet(self) -> tuple[Meeting, FolderNote, SyncBundle | None]:
        """The merged state of memory and the bundles, and this machine's own bundle if there is one."""
        with self.store.read_for_sync() as sharing:
            here, note = held(sharing), FolderNote.of(sharing, self.folder.resolve())
            tables = sharing.shared()
        own, others = self._looked_at(note)
        if (
            own and own.sha256 not in note.hashes
        ):  # a copy of this memory writes it, or the file syncer restored an older one
            others, own, note = [*others, own], None, FolderNote(secrets.token_hex(8))
        meeting = Meeting(here)
        for bundle in others:
            self._hear(meeting, bundle, tables)
        meeting.close()
        self.report.replica = note.replica
        self.report.went = Counter({name: count for name, count in here.changed.items() if name})
        self.report.came = meeting.came()
        return meeting, note, own

    def _look_for_folder(self) -> None:
        if not self.folder.is_dir():
            raise UsageError(f"{self.folder}: no such folder", "make it first, or wait until it is mounted")

    def _looked_at(self, note: FolderNote) -> tuple[SyncBundle | None, list[SyncBundle]]:
        readable, others = [], []
        with _explained(self.folder):
            named, strange = bundles.bundles_in(self.folder)
        for path in strange:
            hint = "delete it once every machine has synced"
            self.report.problems.append(InputError("a copy that a file syncer has left", hint, path=path))
        for path in named:
            try:
                readable.append(bundles.look(path))
            except InputError as error:
                if path.name != bundles.name_of(note.replica):
                    self.report.problems.append(error)
        own = [bundle for bundle in readable if bundle.path.name == bundles.name_of(note.replica)]
        others = [bundle for bundle in readable if bundle not in own]
        return (own[0] if own else None), others

    def _hear(self, meeting: Meeting, bundle: SyncBundle, tables: Tables) -> None:
        """Merges a bundle as a whole, or not at all if a line is wrong."""
        try:
            name, entries, chats = bundle.machine(self.store), [], set[str]()
            for number, document in enumerate(bundle.documents(self.store), start=2):
                try:
                    line = entry(document, tables)
                    _check_chat(line, chats)
                except ValueError as error:
                    raise InputError(str(error), "nothing of it was taken in", path=bundle.path, line=number) from error
                entries += [line] * meeting.differs(line)
        except InputError as error:
            self.report.problems.append(error)
            return
        self.report.machines.append(Machine(name, bundle, meeting.merge_lines(entries)))

    def _is_current(self, own: SyncBundle | None) -> bool:
        """Whether this machine's bundle needs no rewriting, apart from news."""
        if own is None or own.is_sealed != self._seals:
            return False
        try:
            own.machine(self.store)
        except InputError:
            return False  # encrypted with an earlier key
        return True

    def _was_elsewhere(self) -> bool:
        """Whether memory was exchanged through another folder since, so that this one lacks what came from there."""
        with self.store.read_for_sync() as sharing:
            return sharing.last_place() not in ("", str(self.folder.resolve()))

    @property
    def _seals(self) -> bool:
        return self.store.is_encrypted and not self.plain

    def _publish(self, meeting: Meeting, note: FolderNote) -> None:
        """Writes this machine's bundle and records its content. Killed between the two, it has both hashes."""
        own = self.folder / bundles.name_of(note.replica)
        with _explained(own), self.store.temporary_path(own) as path:
            with open(path, "xb", opener=partial(os.open, mode=0o600)) as out:
                draft = SyncDraft(out, self.store, self._seals)
                with self.store.read_for_sync() as sharing:
                    changed = Publishing(sharing, meeting).write(draft, note.replica)
                written = FolderNote(note.replica, (draft.end(), *note.hashes[:1]))
                out.flush()
                os.fsync(out.fileno())
            with self.store.write_for_sync() as writer:
                writer.exchange.put_exchanged(changed, str(self.folder.resolve()), written.text)
            self.store.publish(path, own)


def _check_chat(line: SyncLine, chats: set[str]) -> None:
    """Notes the chats of a bundle as they come. Raises ValueError for a message of none of them."""
    kind, name = line.thing
    if kind == "conversation":
        chats.add(name)
    elif kind == "message" and line.mark.is_there and line.row["conversation_id"] not in chats:
        raise ValueError("a message of a chat that has no line before it")


@contextmanager
def existing(store: Store) -> Iterator[Store]:
    """The store; an empty one where its file does not exist yet."""
    if store.exists:
        yield store
        return
    with TemporaryDirectory() as folder:
        empty = replace(store, path=Path(folder) / store.path.name)
        empty.create("none", 384)
        yield empty


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in DISK_IS_FULL:
            raise DiskFull.at(path, str(error.strerror)) from error
        raise UsageError(f"{error.filename or path}: {error.strerror}", "name another folder") from error
