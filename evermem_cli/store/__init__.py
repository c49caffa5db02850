"""The memory file: all SQL, and the only importer of duckdb. The file is opened for one short transaction at a time."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from evermem_cli.errors import DiskFull, StoreBusy, StoreError
from evermem_cli.memory import Fading, Forgotten, Scale, Selection, Tier
from evermem_cli.store.file import connection, drafts, open_files, replies
from evermem_cli.store.file.backup import backup
from evermem_cli.store.file.connection import SCHEMA_VERSION
from evermem_cli.store.file.database import Connection, let_go
from evermem_cli.store.file.journal import Access as Shown
from evermem_cli.store.file.journal import Journal
from evermem_cli.store.file.keys import Key, Keys, sealed, unsealed
from evermem_cli.store.file.renewal import carry_over_all, renewed
from evermem_cli.store.file.replies import Replies
from evermem_cli.store.lifecycle.forget import Forgetter
from evermem_cli.store.lifecycle.strength import StrengthReader, merge_journal, restore
from evermem_cli.store.privacy.access import Accessed, OpenMemory
from evermem_cli.store.privacy.tiers import Privacy
from evermem_cli.store.privacy.withheld import hide_withheld
from evermem_cli.store.read.chats import ChatReader
from evermem_cli.store.read.experience import ExperienceReader
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.search.searcher import Searcher
from evermem_cli.store.transfer.exchange import Placed, Sharing
from evermem_cli.store.transfer.portable import EXPLAINED, Column, Loader, Portable, Table
from evermem_cli.store.transfer.replacement import replacement
from evermem_cli.store.transfer.salvage import Salvage, Survey, salvaged
from evermem_cli.store.write.entries import Item
from evermem_cli.store.write.experience import ExperienceWriter
from evermem_cli.store.write.machines import Exchanged
from evermem_cli.store.write.transaction import Writer

__all__ = [
    "EXPLAINED",
    "SCHEMA_VERSION",
    "ChatReader",
    "Column",
    "Exchanged",
    "ExperienceReader",
    "ExperienceWriter",
    "Item",
    "Key",
    "Keys",
    "Loader",
    "OpenMemory",
    "Placed",
    "Replies",
    "Searcher",
    "Sharing",
    "Store",
    "Survey",
    "Table",
    "Writer",
    "let_go",
]


@dataclass(frozen=True, slots=True)
class Store(Accessed):
    """A memory file by its path, as the asker may see it. `notify` gets messages for the owner."""

    fading: Fading = field(default_factory=Fading)
    notify: Callable[[str], None] = field(default=lambda line: None, compare=False, repr=False)

    @property
    def exists(self) -> bool:
        """Whether the file exists."""
        return self.path.exists()

    @property
    def is_encrypted(self) -> bool:
        """Whether the file is encrypted; False where there is none yet."""
        return open_files.is_encrypted(self.path)

    @property
    def replies(self) -> Replies | None:
        """The model's stored replies. They belong to the owner, who sees everything; agents do not get them."""
        return None if self.access or self.public is not None else Replies.of(self.path, self._keys)

    def create(self, embedder: str, dimension: int, scale: Scale | None = None) -> None:
        """Creates the file if it is missing, encrypted where a key file is named. Raises StoreError where it cannot."""
        if not self.exists:
            key = connection.newest_key(self.path, self.keys)
            connection.create(self.path, dimension, embedder, key, scale or Scale())

    @contextmanager
    def read(self) -> Iterator[Searcher]:
        """A read transaction. Any number of processes can read at once. Raises StoreError, StoreBusy."""
        with self._searched() as searcher:
            self._age(searcher.strengths)
            yield searcher

    @contextmanager
    def read_if_there(self) -> Iterator[Searcher | None]:
        """Like `read`; None where there is no file yet."""
        if not self.exists:
            yield None
            return
        with self.read() as reader:
            yield reader

    @contextmanager
    def write(self) -> Iterator[Writer]:
        """A write transaction with exclusive access, committed at the end of the block.

        Raises DiskFull, StoreError, StoreBusy.
        """
        self.refuse_agent()
        with connection.attached(self.path, write=True, timeout=self.timeout, keys=self.keys) as opened:
            with connection.transaction(opened, write=True):
                noted = self._take_in(opened)
                yield Writer(opened)
            self.journal.drop(noted)  # while nobody else can write and merge it again

    def note_access(self, ids: Collection[str]) -> None:
        """Records that these memories were shown, without waiting for other processes."""
        if not ids:
            return
        self.journal.append(ids)
        if self.journal.is_long:
            try:
                with replace(self, access=None, timeout=0.0).write():
                    pass
            except (DiskFull, StoreBusy, StoreError):
                return  # the next command that can write to the file will merge the journal

    def restore(self, ids: Iterable[str]) -> int:
        """Restores archived memories, given by prefixes of ids; returns how many, with what they contain.

        Raises StoreError, StoreBusy, UsageError.
        """
        with self._own(write=True) as opened:
            return sum(restore(opened, memory_id, self.fading, self._noted()[1]) for memory_id in ids)

    @contextmanager
    def privacy(self, *, write: bool) -> Iterator[Privacy]:
        """A transaction on privacy tiers and the access log. Raises StoreError, StoreBusy."""
        with self._own(write=write) as opened:
            tiers = Privacy(opened)
            tiers.journal = self.journal.logged(self._noted()[0])
            yield tiers

    def would_forget(self, selection: Selection) -> Forgotten:
        """What `forget` would remove. Raises StoreError, StoreBusy, UsageError."""
        self.refuse_agent()
        self._merge_journal()
        with self._own(write=False) as opened:
            return Forgetter(opened).select(selection)

    def forget(self, selection: Selection) -> Forgotten:
        """Removes the selection and everything derived from it for good: the file is rewritten without it.

        Raises DiskFull, StoreError, StoreBusy, UsageError.
        """
        with self._renewed(connection.newest_key(self.path, self.keys)) as opened:
            forgetter = Forgetter(opened)
            forgotten = forgetter.select(selection)
            forgetter.carry_over(selection)
        return forgotten

    def forget_messages(self, messages: Collection[str], unnoted: Collection[str]) -> Forgotten:
        """Like `forget`, by whole ids of messages; `unnoted` ones are stored again when their chat is read."""
        with self._renewed(connection.newest_key(self.path, self.keys)) as opened:
            forgetter = Forgetter(opened)
            forgotten = forgetter.select_messages(messages)
            forgetter.carry_over(Selection(user_id=""), unnoted)
        return forgotten

    def encrypt(self, key: Key | None) -> int:
        """Rewrites the file, encrypted with this key only, or plain without one; returns the number of rows.

        Files kept beside it are removed. Raises DiskFull, StoreError, StoreBusy; the memory is then unchanged.
        """
        with self._renewed(key) as opened:
            return carry_over_all(opened, self.path)

    def backup(self, target: Path, *, force: bool) -> dict[str, int]:
        """Copies the file; returns the rows of each table. Raises StoreError, StoreBusy, UsageError if it exists."""
        self.refuse_agent()
        self._merge_journal()
        return backup(self.path, target, self.timeout, self.keys, force=force)

    @contextmanager
    def read_for_export(self, public: Mapping[str, Tier] | None = None) -> Iterator[Portable]:
        """A read transaction over the whole file. If the tiers of domains are given, private memories are hidden.

        Raises StoreError, StoreBusy.
        """
        self.refuse_agent()
        self._merge_journal()
        with self._own(write=False) as opened:
            if public is not None:
                hide_withheld(opened, [Tier.PRIVATE], public)
            yield Portable(Sql(opened))

    @contextmanager
    def read_for_sync(self) -> Iterator[Sharing]:
        """A read transaction for what machines exchange. Raises StoreError, StoreBusy."""
        with self._own(write=False) as opened:
            yield Sharing(opened)

    @contextmanager
    def write_for_sync(self) -> Iterator[Writer]:
        """A write transaction for what other machines know. Raises DiskFull, StoreError, StoreBusy."""
        with self._own(write=True) as opened:
            yield Writer(opened)

    def seal(self, line: bytes, purpose: str) -> bytes:
        """The line encrypted with the memory's key; unchanged if the memory is plain."""
        return sealed(self._keys, line, purpose)

    def unseal(self, line: bytes, purpose: str) -> bytes | None:
        """The decrypted line; None if it was not encrypted with a key of this memory."""
        return unsealed(self._keys, line, purpose) if self._keys else None

    @contextmanager
    def salvage(self) -> Iterator[Salvage]:
        """Whatever can be read of a file that may be damaged. Raises DiskFull, StoreError, StoreBusy."""
        self.refuse_agent()
        with salvaged(self.path, self.timeout, self.keys) as opened:
            opened.take_in(self.journal, self.fading, self.notify)
            yield opened

    @contextmanager
    def write_import(self) -> Iterator[Loader]:
        """A write transaction that takes rows unchanged. Raises StoreError, StoreBusy."""
        with self._own(write=True) as opened:
            yield Loader.of(opened)

    @contextmanager
    def new_file(self, embedder: str, dimension: int, scale: Scale) -> Iterator["Store"]:
        """A new memory file that replaces this one, which holds no chats. Raises UsageError, StoreError, StoreBusy."""
        self.refuse_agent()
        with replacement(self.path, self.timeout, self.keys, (embedder, dimension), scale) as path:
            yield Store(path, self.timeout, keys=self.keys)

    @contextmanager
    def temporary_path(self, target: Path) -> Iterator[Path]:
        """A temporary name for a file with memories that will appear at `target`. Raises UsageError if that is ours."""
        with drafts.drafted_apart(target, self.path, self.keys.file) as draft:
            yield draft

    def publish(self, draft: Path, target: Path) -> None:
        """Moves a draft to `target`, replacing an existing file. Raises OSError."""
        drafts.put_in_place(draft, target, replace=True)

    @contextmanager
    def read_experience(self) -> Iterator[ExperienceReader]:
        """A read transaction with interactions and rules. Raises StoreError, StoreBusy."""
        with self._seen() as opened:
            reader = ExperienceReader(opened)
            self._age(reader.strengths)
            yield reader

    @contextmanager
    def write_experience(self) -> Iterator[ExperienceWriter]:
        """A write transaction for interactions and rules. Raises StoreError, StoreBusy, UsageError."""
        with self._own(write=True) as opened:
            yield ExperienceWriter(opened)

    def _age(self, strengths: StrengthReader) -> None:
        """Gives a reader the rate of fading and the accesses that are not in the file yet."""
        strengths.fading, (_, strengths.journal) = self.fading, self._noted()

    @contextmanager
    def _renewed(self, key: Key | None) -> Iterator[Connection]:
        """Like `renewal.renewed`, but also removes earlier copies beside the file."""
        self.refuse_agent()
        with renewed(self.path, self.timeout, self.keys, key) as opened:
            # Before the rewrite: replies may be lost, but forgotten words must not stay in them.
            replies.clear(self.path)
            self.journal.drop(self._take_in(opened))
            yield opened
        replies.clear(self.path)
        for draft in drafts.sweep(self.path.resolve()):
            self.notify(f"{draft}: left by a killed command and cannot be removed now; a later command will remove it")

    def _take_in(self, opened: Connection) -> bytes:
        """Merges the journal into the file; returns the journal's content."""
        noted, shown = self._noted()
        merge_journal(opened, shown, self.fading)
        Privacy(opened).take_in(self.journal.logged(noted))
        return noted

    def _merge_journal(self) -> None:
        """Merges the journal into the file if possible, before a command that looks at the whole file."""
        if self.exists and Journal.of(self.path).read():
            try:
                with self.write():
                    pass
            except (DiskFull, StoreBusy, StoreError) as error:
                self.notify(f"the latest accesses are missing: {error.message}")

    def _noted(self) -> tuple[bytes, list[Shown]]:
        return self.journal.understood(self.notify)
