"""Whose eyes memory is read with: its owner's, its owner's where others look on, or those of an agent."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from evermem_cli.errors import DiskFull, UsageError
from evermem_cli.memory import Access, Tier
from evermem_cli.store.file import connection
from evermem_cli.store.file.database import Connection
from evermem_cli.store.file.keys import Key, Keys
from evermem_cli.store.privacy.tiers import Privacy
from evermem_cli.store.privacy.veil import unveiled, veil, withhold
from evermem_cli.store.read.reader import Reader


@dataclass(frozen=True, slots=True)
class Accessed:
    """A memory file by its path, and who asks.

    `timeout` is how many seconds to wait for another process to let go of it, `keys` tells where the key is if it is
    encrypted.

    With `access` it is read on behalf of an agent: what the agent may not see is not there, the first reading is
    logged, and everything but reading is refused. With `public`, the tiers of domains, its owner reads it without what
    is private.
    """

    path: Path
    timeout: float
    access: Access | None = None
    keys: Keys = field(default_factory=Keys)
    public: Mapping[str, Tier] | None = None
    _logged: list[Access] = field(default_factory=list, compare=False, repr=False)

    @contextmanager
    def read_withheld(self) -> Iterator[Reader]:
        """A read transaction that counts what is withheld, and hides nothing. Raises StoreError, StoreBusy."""
        with self._seen(withhold) as opened:
            yield Reader(opened)

    @contextmanager
    def _own(self, *, write: bool) -> Iterator[Connection]:
        """A transaction that only the owner of the memory may have."""
        self.refuse_agent()
        with connection.connected(self.path, write=write, timeout=self.timeout, keys=self.keys) as opened:
            yield opened

    def refuse_agent(self) -> None:
        """Raises UsageError where memory is read on behalf of an agent: this is for its owner."""
        if self.access:
            raise UsageError(f"{self.access.agent} may only read", "leave out --as and EVERMEM_AGENT")

    def _log(self) -> None:
        if self.access and not self._logged:
            try:
                with connection.connected(self.path, write=True, timeout=self.timeout, keys=self.keys) as opened:
                    Privacy(opened).log(self.access)
            except DiskFull as error:
                raise DiskFull(f"what cannot be logged is not read: {error.message}", error.hint) from error
            self._logged.append(self.access)

    @contextmanager
    def _seen(
        self, hide: Callable[[Connection, Sequence[Tier], Mapping[str, Tier]], None] = veil
    ) -> Iterator[Connection]:
        """A transaction that reads what may be seen."""
        self._log()
        with connection.connected(self.path, write=False, timeout=self.timeout, keys=self.keys) as opened:
            if self.access:
                hide(opened, self.access.hidden, self.access.tiers)
            elif self.public is not None:
                hide(opened, [Tier.PRIVATE], self.public)
            else:
                unveiled(opened)
            yield opened

    @property
    def _keys(self) -> tuple[Key, ...]:
        return connection.keys_of(self.path, self.keys)
