"""The memory file: all SQL, and the only importer of duckdb. Opened for one short transaction at a time."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from evermem_cli.errors import StoreBusy
from evermem_cli.memory import Fading, Forgotten, Selection, Tier
from evermem_cli.store.file import connection, drafts, replies
from evermem_cli.store.file.backup import backup
from evermem_cli.store.file.connection import SCHEMA_VERSION
from evermem_cli.store.file.database import Connection, let_go
from evermem_cli.store.file.journal import Access as Shown
from evermem_cli.store.file.journal import Journal
from evermem_cli.store.file.keys import Key, Keys, sealed, unsealed
from evermem_cli.store.file.renewal import carry_over_all, renewed
from evermem_cli.store.file.replies import Replies
from evermem_cli.store.lifecycle.forget import Forgetter
from evermem_cli.store.lifecycle.strength import Restorer, StrengthReader, merge_journal
from evermem_cli.store.privacy.access import Accessed, Sitting
from evermem_cli.store.privacy.tiers import Privacy
from evermem_cli.store.privacy.veil import veil
from evermem_cli.store.read.stored_chat import Known
from evermem_cli.store.search.candidates import Searcher
from evermem_cli.store.transfer.exchange import Exchanged, Exchanger, Placed, Sharing
from evermem_cli.store.transfer.portable import EXPLAINED, Column, Loader, Portable, Table
from evermem_cli.store.transfer.replacement import replacement
from evermem_cli.store.transfer.salvage import Salvage, Survey, salvaged
from evermem_cli.store.write.experience import ExperienceReader, ExperienceWriter
from evermem_cli.store.write.repair import Repairer as Writer
from evermem_cli.store.write.writer import Item

Aged = TypeVar("Aged", bound=StrengthReader)

__all__ = [
    "EXPLAINED",
    "SCHEMA_VERSION",
    "Column",
    "Exchanged",
    "Exchanger",
    "ExperienceReader",
    "ExperienceWriter",
    "Item",
    "Key",
    "Keys",
    "Known",
    "Loader",
    "Placed",
    "Replies",
    "Searcher",
    "Sharing",
    "Sitting",
    "Store",
    "Survey",
    "Table",
    "Writer",
    "let_go",
]


def _say_nothing(line: str) -> None:
    """Where notes go that nobody reads."""


@dataclass(frozen=True, slots=True)
class Store(Accessed):
    """A memory file by its path, as whoever asks may see it. `note` takes what its owner should know."""

    fading: Fading = field(default_factory=Fading)
    note: Callable[[str], None] = field(default=_say_nothing, compare=False, repr=False)

    @property
    def exists(self) -> bool:
        """Whether there is a file."""
        return self.path.exists()

    @property
    def is_encrypted(self) -> bool:
        """Whether the file is encrypted; not where there is none yet."""
        return connection.is_encrypted(self.path)

    @property
    def replies(self) -> Replies | None:
        """What a model has replied to its owner, who sees all; agents have no part in it."""
        return None if self.access or self.public is not None else Replies.of(self.path, self._keys)

    def create(self, embedder: str, dimension: int) -> None:
        """Makes the file unless it is there, encrypted where a key file is named. Raises StoreError where it cannot."""
        if not self.exists:
            connection.create(self.path, dimension, embedder, connection.newest_key(self.path, self.keys))

    @contextmanager
    def read(self) -> Iterator[Searcher]:
        """A read transaction; any number of processes can read at once. Raises StoreError, StoreBusy."""
        with self._seen() as opened:
            yield self._aged(Searcher(opened))

    @contextmanager
    def read_if_there(self) -> Iterator[Searcher | None]:
        """As `read`; None where there is no file yet."""
        if not self.exists:
            yield None
            return
        with self.read() as reader:
            yield reader

    @contextmanager
    def write(self) -> Iterator[Writer]:
        """A write transaction, alone on the file; committed at the end of the block.

        Raises DiskFull, StoreError, StoreBusy.
        """
        self.refuse_agent()
        with connection.attached(self.path, write=True, timeout=self.timeout, keys=self.keys) as opened:
            with connection.transaction(opened):
                noted, shown = self._noted()
                merge_journal(opened, shown, self.fading)
                yield Writer(opened)
            self.journal.drop(noted)  # while nobody else can write and take it in again

    def note_access(self, ids: Collection[str]) -> None:
        """Notes that these memories were shown, without waiting for anybody."""
        if not ids:
            return
        self.journal.append(ids)
        if self.journal.is_long:
            try:
                with replace(self, access=None, timeout=0.0).write():
                    pass
            except StoreBusy:
                return  # whoever has the file will do it, or the next who reads

    def restore(self, ids: Iterable[str]) -> int:
        """Brings archived memories back, by the beginnings of their ids; returns how many with all that they cover.

        Raises StoreError, StoreBusy, UsageError.
        """
        with self._own(write=True) as opened:
            return sum(Restorer(opened).restore(each) for each in ids)

    @property
    def journal(self) -> Journal:
        """The accesses that the file does not know of yet."""
        return Journal.of(self.path, self._keys)

    @contextmanager
    def privacy(self, *, write: bool) -> Iterator[Privacy]:
        """A transaction on tiers and the access log. Raises StoreError, StoreBusy."""
        with self._own(write=write) as opened:
            yield Privacy(opened)

    def would_forget(self, selection: Selection) -> Forgotten:
        """What `forget` would take away. Raises StoreError, StoreBusy, UsageError."""
        with self._own(write=False) as opened:
            return Forgetter(opened).select(selection)

    def forget(self, selection: Selection) -> Forgotten:
        """Takes the selection and all that rests on it away for good: the file is written anew without it.

        Raises DiskFull, StoreError, StoreBusy, UsageError.
        """
        with self._renewed(connection.newest_key(self.path, self.keys)) as opened:
            forgetter = Forgetter(opened)
            forgotten = forgetter.select(selection)
            forgetter.carry_over(selection)
        return forgotten

    def take_away(self, messages: Collection[str], unnoted: Collection[str]) -> Forgotten:
        """As `forget`, of these messages by their whole ids; those that are `unnoted` come again with their chat."""
        with self._renewed(connection.newest_key(self.path, self.keys)) as opened:
            forgetter = Forgetter(opened)
            forgotten = forgetter.select_messages(messages)
            forgetter.carry_over(Selection(user_id=""), unnoted)
        return forgotten

    def encrypt(self, key: Key | None) -> int:
        """Writes the file anew, encrypted with this key and no other, or plain without one; returns how many rows.

        What is beside the file goes. Raises DiskFull, StoreError, StoreBusy; the memory is then as it was.
        """
        with self._renewed(key) as opened:
            return carry_over_all(opened, self.path)

    def backup(self, target: Path, *, force: bool) -> dict[str, int]:
        """Copies the file; how many rows each table has. Raises StoreError, StoreBusy; UsageError for a file there."""
        self.refuse_agent()
        return backup(self.path, target, self.timeout, self.keys, force=force)

    @contextmanager
    def carry_out(self, public: Mapping[str, Tier] | None = None) -> Iterator[Portable]:
        """A read transaction for all that the file holds; with the tiers of domains, all but what is private.

        Raises StoreError, StoreBusy.
        """
        with self._own(write=False) as opened:
            if public is not None:
                veil(opened, [Tier.PRIVATE], public)
            yield Portable(opened)

    @contextmanager
    def share(self) -> Iterator[Sharing]:
        """A read transaction for what machines exchange. Raises StoreError, StoreBusy."""
        with self._own(write=False) as opened:
            yield Sharing(opened)

    @contextmanager
    def exchange(self) -> Iterator[Exchanger]:
        """A write transaction for what other machines know. Raises DiskFull, StoreError, StoreBusy."""
        with self._own(write=True) as opened:
            yield Exchanger(opened)

    def seal(self, line: bytes, purpose: str) -> bytes:
        """A line for a file that is as secret as this one: as it is where this one is plain."""
        return sealed(self._keys, line, purpose)

    def unseal(self, line: bytes, purpose: str) -> bytes | None:
        """What was sealed with a key of this file; None where it was with none."""
        return unsealed(self._keys, line, purpose) if self._keys else None

    @contextmanager
    def salvage(self) -> Iterator[Salvage]:
        """Whatever can be read of a file that may be damaged. Raises DiskFull, StoreError, StoreBusy."""
        self.refuse_agent()
        with salvaged(self.path, self.timeout, self.keys) as opened:
            yield opened

    @contextmanager
    def load(self) -> Iterator[Loader]:
        """A write transaction that takes rows as they are. Raises StoreError, StoreBusy."""
        with self._own(write=True) as opened:
            yield Loader(opened)

    @contextmanager
    def draft(self, embedder: str, dimension: int) -> Iterator["Store"]:
        """A new memory file that takes this one's place when the block ends well; this one must hold no chats.

        Raises UsageError where it does, StoreError, StoreBusy.
        """
        self.refuse_agent()
        with replacement(self.path, self.timeout, self.keys, embedder, dimension) as path:
            yield Store(path, self.timeout, keys=self.keys)

    @contextmanager
    def drafted(self, target: Path) -> Iterator[Path]:
        """A name for what is to appear at `target` and tells of this memory; no leftover of it stays."""
        with drafts.drafted(target, self.path) as draft:
            yield draft

    def publish(self, draft: Path, target: Path) -> None:
        """Has a draft appear at `target`, in place of what is there. Raises OSError."""
        drafts.put_in_place(draft, target, replace=True)

    @contextmanager
    def read_experience(self) -> Iterator[ExperienceReader]:
        """A read transaction that knows interactions and rules. Raises StoreError, StoreBusy."""
        with self._seen() as opened:
            yield self._aged(ExperienceReader(opened))

    @contextmanager
    def write_experience(self) -> Iterator[ExperienceWriter]:
        """A write transaction for interactions and rules. Raises StoreError, StoreBusy, UsageError."""
        with self._own(write=True) as opened:
            yield ExperienceWriter(opened)

    def _aged(self, reader: Aged) -> Aged:
        """A reader that knows how memories fade, and the accesses that the file does not know of yet."""
        reader.fading, (_, reader.journal) = self.fading, self._noted()
        return reader

    @contextmanager
    def _renewed(self, key: Key | None) -> Iterator[Connection]:
        """As `renewal.renewed`; nothing of what the file has been stays beside it."""
        self.refuse_agent()
        with renewed(self.path, self.timeout, self.keys, key) as opened:
            replies.clear(self.path)  # first: they are worth less than what must not stay
            noted, shown = self._noted()
            merge_journal(opened, shown, self.fading)
            self.journal.drop(noted)
            yield opened
        replies.clear(self.path)
        for draft in drafts.sweep(self.path.resolve()):
            self.note(f"{draft}: what a killed command has left there is out of reach; it goes when it can be reached")

    def _noted(self) -> tuple[bytes, list[Shown]]:
        return self.journal.understood(self.note)
