"""For whom memory is read: its owner, its owner while others look on, or an agent."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from evermem_cli.errors import DiskFull, UsageError
from evermem_cli.memory import Access, Tier
from evermem_cli.store.file import connection
from evermem_cli.store.file.database import Connection
from evermem_cli.store.file.keys import Key, Keys
from evermem_cli.store.privacy.tiers import Privacy
from evermem_cli.store.privacy.withheld import define_for_owner, hide_withheld, list_withheld
from evermem_cli.store.read.reader import Reader

Withheld = tuple[Sequence[Tier], Mapping[str, Tier]]
Hide = Callable[[Connection, Sequence[Tier], Mapping[str, Tier]], None]


@dataclass
class OpenMemory:
    """An open memory file, for the agent who asks and for the owner, each with a transaction of its own.

    Temporary views belong to one connection, so the owner's connection has none of the agent's.
    """

    _opened: Connection
    _cursors: ExitStack
    _asks: Access | None
    _seen: list[tuple[Withheld | None, Connection]] = field(default_factory=list)

    def seen(self, access: Access | None, withheld: Withheld | None) -> Connection:
        """The transaction without withheld rows. Raises UsageError for an agent other than the one who asked."""
        if access not in (None, self._asks):
            raise UsageError("another agent has opened this memory", "open it anew")
        for known, cursor in self._seen:
            if known == withheld:
                return cursor
        cursor = self._cursors.enter_context(closing(self._opened.cursor()))
        cursor.execute("use evermem")
        cursor.execute("begin")
        _hide(cursor, withheld, hide_withheld)
        self._seen.append((withheld, cursor))
        return cursor


def _hide(opened: Connection, withheld: Withheld | None, hide: Hide) -> None:
    if withheld is None:
        define_for_owner(opened)
    else:
        hide(opened, *withheld)


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

    @contextmanager
    def read_withheld(self) -> Iterator[Reader]:
        """A read transaction that counts withheld rows, hidden or not. Raises StoreError, StoreBusy."""
        with self._seen(list_withheld) as opened:
            yield Reader(opened)

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

    def _log(self) -> None:
        if self.access and not self._logged:
            try:
                with connection.connected(self.path, write=True, timeout=self.timeout, keys=self.keys) as opened:
                    Privacy(opened).log(self.access)
            except DiskFull as error:
                raise DiskFull(f"an access that cannot be logged is refused: {error.message}", error.hint) from error
            self._logged.append(self.access)

    @contextmanager
    def at_once(self) -> Iterator[OpenMemory]:
        """Opens the file once for all reading within the block, which writes nothing.

        Raises StoreError, StoreBusy.
        """
        self._log()
        with self._connected() as opened, ExitStack() as cursors:
            yield OpenMemory(opened, cursors, self.access)

    @contextmanager
    def _seen(self, hide: Hide = hide_withheld) -> Iterator[Connection]:
        """A transaction that reads what the asker may see."""
        if self.opened is not None:
            yield self.opened.seen(self.access, self._withheld)
            return
        self._log()
        with self._connected() as opened:
            _hide(opened, self._withheld, hide)
            yield opened

    def _connected(self) -> AbstractContextManager[Connection]:
        return connection.connected(self.path, write=False, timeout=self.timeout, keys=self.keys)

    @property
    def _withheld(self) -> Withheld | None:
        """The tiers that are withheld, and those of domains; None where nothing is withheld."""
        if self.access:
            return self.access.hidden, self.access.tiers
        return None if self.public is None else ((Tier.PRIVATE,), self.public)

    @property
    def _keys(self) -> tuple[Key, ...]:
        return connection.keys_of(self.path, self.keys)
