"""Opens memory for the one who reads: its owner, its owner without private memories, or an agent."""

from collections.abc import Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import numpy as np

from evermem_cli.engines import Vectors
from evermem_cli.errors import DiskFull, StoreError, UsageError
from evermem_cli.memory import Access, Filter, Tier
from evermem_cli.store.file import connection
from evermem_cli.store.file.database import Connection, holder
from evermem_cli.store.file.faults import explained
from evermem_cli.store.file.journal import Journal
from evermem_cli.store.file.keys import Key, Keys
from evermem_cli.store.privacy.counts import WithheldReader
from evermem_cli.store.privacy.withheld import define_for_owner, hide_withheld
from evermem_cli.store.read.meta import MetaReader
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.search.entries import VisibleEntries, fits, load, visible_to
from evermem_cli.store.search.hidden_entries import HiddenEntries, hidden_from
from evermem_cli.store.search.searcher import Searcher

Withheld = tuple[tuple[Tier, ...], frozenset[tuple[str, Tier]]]
Version = tuple[int, ...]


@dataclass
class OpenMemory:
    """An open memory file, for the agent who asks and for the owner, each with a transaction of its own.

    Temporary views belong to one connection, so the owner's connection has none of the agent's. A connection is kept
    with its views for the next opening, which uses it where the file still has the same `version`.
    """

    _opened: Connection
    _asks: Access | None
    _version: Version | None
    _seen: dict[Withheld | None, Connection] = field(default_factory=dict)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, raised: type[BaseException] | None, *_: object) -> None:
        """Keeps the connections with their views, unless an error may have left them incomplete."""
        for withheld, cursor in self._seen.items():
            if raised is None and self._version is not None:
                cursor.execute("commit")
                self._kept[self._version, withheld] = cursor
            else:
                cursor.close()

    def seen(self, access: Access | None, withheld: Withheld | None) -> Connection:
        """The transaction without withheld rows. Raises UsageError for an agent other than the one who asked."""
        if access not in (None, self._asks):
            raise UsageError("another agent has opened this memory", "open it anew")
        if withheld not in self._seen:
            self._seen[withheld] = self._begun(withheld)
        return self._seen[withheld]

    def entries_in_memory(self, withheld: Withheld | None) -> VisibleEntries | None:
        """The entries that are in memory for searches; None where they are not."""
        self._drop_outdated()
        visible = holder(self._opened).entries.get((self._version, withheld))
        return visible if isinstance(visible, VisibleEntries) else None

    def load_entries(self, access: Access | None, withheld: Withheld | None) -> None:
        """Reads what searches look through, unless it is in memory already, too large, or about to change."""
        owner, asker = self.seen(None, None), self.seen(access, withheld)
        if self._version is None or self.entries_in_memory(withheld) or not fits(owner):
            return
        entries = holder(self._opened).entries
        own = self.entries_in_memory(None)
        everything = own.all if own else load(owner)
        entries[self._version, None] = own or visible_to(owner, everything)
        entries[self._version, withheld] = visible_to(asker, everything) if withheld else entries[self._version, None]

    def hidden_entries(self, access: Access | None, withheld: Withheld | None) -> HiddenEntries:
        """The entries that are hidden from the asker, in the owner's transaction."""
        own, seen = self.entries_in_memory(None), self.entries_in_memory(withheld)
        owner = self.seen(None, None)
        if own and seen:
            return HiddenEntries(owner, np.flatnonzero(own.is_visible & ~seen.is_visible), own.all)
        return HiddenEntries(owner, hidden_from(self.seen(access, withheld)), None)

    @property
    def _kept(self) -> dict[Hashable, Connection]:
        return holder(self._opened).cursors

    def _drop_outdated(self) -> None:
        entries = holder(self._opened).entries
        for outdated in [key for key in entries if isinstance(key, tuple) and key[0] != self._version]:
            del entries[outdated]

    def _begun(self, withheld: Withheld | None) -> Connection:
        self._drop_outdated()
        for outdated in [key for key in self._kept if isinstance(key, tuple) and key[0] != self._version]:
            self._kept.pop(outdated).close()
        cursor = self._kept.pop((self._version, withheld), None)
        if cursor is not None:
            cursor.execute("begin")
            return cursor
        cursor = holder(self._opened).connection.cursor()
        cursor.execute("use evermem")
        cursor.execute("begin")
        if withheld is None:
            define_for_owner(cursor)
        else:
            hide_withheld(cursor, withheld[0], dict(withheld[1]))
        return cursor


def _version(path: Path) -> Version | None:
    """Changes with the content of the file, or with another file in its place; None where that is unknown."""
    try:
        return tuple(
            number
            for file in (path, Path(f"{path}.wal"))
            for stat in ([file.stat()] if file.exists() else [])
            for number in (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
        )
    except OSError:
        return None


@dataclass(frozen=True, slots=True)
class Accessed:
    """A memory file by its path, and who asks.

    `timeout` is how many seconds to wait for another process to release it. `keys` tells where the key is, if the file
    is encrypted. With `access` it is read on behalf of an agent: withheld rows are hidden, the first reading is logged,
    and everything but reading is refused. With `public`, the tiers of domains, its owner reads it without private
    memories. With `opened` the file is open already.
    """

    path: Path
    timeout: float
    access: Access | None = None
    keys: Keys = field(default_factory=Keys)
    public: Mapping[str, Tier] | None = None
    opened: OpenMemory | None = field(default=None, compare=False, repr=False)
    _logged: list[Access] = field(default_factory=list, compare=False, repr=False)

    @property
    def embedder(self) -> str | None:
        """The embedder of the file's vectors; None where there is no file. Raises StoreError, StoreBusy."""
        if not self.path.exists():
            return None
        with self._connected() as opened:
            return MetaReader(Sql(opened)).embedder

    @property
    def withheld_domains(self) -> frozenset[str]:
        """The domains whose memories are withheld from the asker, but for single ones that were made visible."""
        hidden, tiers = self._withheld or ((), frozenset())
        return frozenset(domain for domain, tier in tiers if tier in hidden)

    @contextmanager
    def read_withheld(self) -> Iterator[WithheldReader]:
        """A read transaction that counts withheld rows, hidden or not. Raises StoreError, StoreBusy."""
        with self._seen() as opened:
            yield WithheldReader(Sql(opened))

    def count_withheld(self, hidden: tuple[Tier, ...], tiers: Mapping[str, Tier]) -> int:
        """How many messages would be withheld if these tiers were hidden. For the owner; nothing is logged.

        Raises StoreError, StoreBusy, UsageError.
        """
        self.refuse_agent()
        with self.at_once() as memory:
            return WithheldReader(Sql(memory.seen(None, (hidden, frozenset(tiers.items()))))).count_messages()

    def nearest_withheld(self, vectors: Vectors, where: Filter, count: int) -> list[tuple[str, float]]:
        """Ids and cosines of what the asker may not see, nearest to the question first; see `HiddenEntries.nearest`.

        Raises StoreError, StoreBusy.
        """
        if self._withheld is None:
            return []
        if self.opened is None:
            with self.at_once() as memory:
                return replace(self, opened=memory).nearest_withheld(vectors, where, count)
        return self.opened.hidden_entries(self.access, self._withheld).nearest(vectors, where, count)

    @contextmanager
    def _own(self, *, write: bool) -> Iterator[Connection]:
        """A transaction for the owner of the memory only."""
        self.refuse_agent()
        with connection.connected(self.path, write=write, timeout=self.timeout, keys=self.keys) as opened:
            yield opened

    def refuse_agent(self) -> None:
        """Raises UsageError where memory is read on behalf of an agent, since this is for the owner."""
        if self.access:
            raise UsageError(f"{self.access.agent} may only read", "leave out --as and EVERMEM_AGENT")

    @property
    def journal(self) -> Journal:
        """The accesses that are not in the file yet."""
        return Journal.of(self.path, self._keys)

    def _log(self) -> None:
        """Records who reads, once: beside the file, so that readers wait for nobody and the file does not change."""
        if self.access and not self._logged:
            try:
                with explained(self.path):
                    self.journal.log(self.access.entry(datetime.now(UTC)))
            except DiskFull as error:
                raise DiskFull(f"an access that cannot be logged is refused: {error.message}", error.hint) from error
            except OSError as error:
                problem = f"an access that cannot be logged is refused: {self.journal.path}: {error.strerror}"
                raise StoreError(problem, "check what is there, and the disk") from error
            self._logged.append(self.access)

    @contextmanager
    def at_once(self) -> Iterator[OpenMemory]:
        """Opens the file once for all reading within the block, which writes nothing.

        Raises StoreError, StoreBusy.
        """
        with self._held() as memory:
            self._log()
            yield memory

    def prepare(self) -> None:
        """Works out what the asker may see, for the first reading. Logs nothing, since nothing is read.

        Raises StoreError, StoreBusy.
        """
        with self._held() as memory:
            memory.seen(self.access, self._withheld)

    @contextmanager
    def _held(self) -> Iterator[OpenMemory]:
        before = _version(self.path)
        with self._connected() as opened:
            version = _version(self.path)  # nobody writes while the file is open
            with OpenMemory(opened, self.access, version if version == before else None) as memory:
                yield memory

    @property
    def is_in_memory(self) -> bool:
        """Whether searches within `opened` look through entries in memory."""
        return self.opened is not None and self.opened.entries_in_memory(self._withheld) is not None

    def load_entries(self) -> None:
        """Loads the entries for the asker's searches, until the file changes. Raises StoreError, StoreBusy."""
        if self.opened is not None:
            self.opened.load_entries(self.access, self._withheld)
            return
        with self.at_once() as memory:
            memory.load_entries(self.access, self._withheld)

    @contextmanager
    def _searched(self) -> Iterator[Searcher]:
        """A transaction that searches what the asker may see, in the entries in memory where there are any."""
        if self.opened is None and self._withheld is not None:
            with self.at_once() as memory, replace(self, opened=memory)._searched() as searcher:
                yield searcher
            return
        visible = self.opened.entries_in_memory(self._withheld) if self.opened else None
        with self._seen() as opened:
            yield Searcher(opened, visible)

    @contextmanager
    def _seen(self) -> Iterator[Connection]:
        """A transaction that reads what the asker may see."""
        if self.opened is not None:
            yield self.opened.seen(self.access, self._withheld)
        elif self._withheld is not None:
            with self.at_once() as memory:
                yield memory.seen(self.access, self._withheld)
        else:
            with self._connected() as opened:
                define_for_owner(opened)
                yield opened

    def _connected(self) -> AbstractContextManager[Connection]:
        return connection.connected(self.path, write=False, timeout=self.timeout, keys=self.keys)

    @property
    def _withheld(self) -> Withheld | None:
        """The tiers that are withheld, and those of domains; None where nothing is withheld."""
        if self.access:
            return self.access.hidden, frozenset(self.access.tiers.items())
        return None if self.public is None else ((Tier.PRIVATE,), frozenset(self.public.items()))

    @property
    def _keys(self) -> tuple[Key, ...]:
        return connection.keys_of(self.path, self.keys)
