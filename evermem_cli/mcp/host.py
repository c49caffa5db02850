"""Hosts a memory file for a server: its settings, its models while they are in use, and one `Call` per request."""

import ctypes
import gc
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

from evermem_cli.cli.shared.session import Session
from evermem_cli.config import Settings
from evermem_cli.errors import EvermemError
from evermem_cli.mcp.lookups import Call
from evermem_cli.memory.privacy import REASON_LENGTH
from evermem_cli.store import let_go

Result = TypeVar("Result")

UNNAMED = "unnamed client"
LONGEST_NAME = 80  # characters of a client's name in the access log
IDLE_SECONDS = 60.0  # idle time after which the models are released; loading the embedder again takes 0.2 s
# The settings of glibc's mallopt: blocks of at least a megabyte go back to the system as soon as they are free, and
# threads share two heaps, so that little of one is in use when the models are released.
MALLOC_SETTINGS = {-3: 1 << 20, -8: 2}  # M_MMAP_THRESHOLD, M_ARENA_MAX
EXPLAINED = "x" * (REASON_LENGTH + 1)  # a reason that unlocks what is sensitive
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


@dataclass
class MemoryHost:
    """Takes the calls of clients. Models are loaded once, when first needed, and released when idle.

    Nothing is downloaded here, since a client would not see why it waits.
    """

    settings: Settings
    idle_seconds: float = IDLE_SECONDS
    _owner: Session | None = None
    _asked: float = field(default_factory=time.monotonic)
    _running: int = 0  # calls that have not ended
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def call(self, client: str, reason: str, tool: str) -> Call:
        """A call on behalf of a client. The client is the agent for privacy and the access log."""
        with self._turn:
            self._asked = time.monotonic()
            self._owner = self._owner or self._session()
            agent = self.settings.agent or _name(client)
            return Call(self._owner.on_behalf_of(agent, reason or self.settings.reason, f"mcp {tool}"))

    def run(self, work: Callable[[], Result]) -> Result:
        """Does the work of a call, during which the models stay."""
        with self._turn:
            self._running += 1
        try:
            return work()
        finally:
            with self._turn:
                self._running -= 1
                self._asked = time.monotonic()

    def prepare(self) -> None:
        """Opens the file in a thread of its own, as the first search needs it. Whatever fails is told by the search.

        No model is loaded before a call needs one: most clients start the server with each session, and few sessions
        ask memory. The embedder then loads while the file is searched for words, so that the call hardly waits for it.
        """
        _keep_little_memory()
        threading.Thread(target=self._prepare, daemon=True).start()

    def _prepare(self) -> None:
        with self._turn:
            self._owner = owner = self._owner or self._session()
        with suppress(EvermemError):
            replace(owner.on_behalf_of(UNNAMED, EXPLAINED, "mcp").store, timeout=0.0).prepare()
            from evermem_cli.recollection.search import find  # noqa: F401

    def _session(self) -> Session:
        return Session(replace(self.settings, agent="", reason="", offline=True, lake=None), "mcp")

    def seconds_until_idle(self) -> float:
        """How long until the models can be released, if no call arrives."""
        return max(self._asked + self.idle_seconds - time.monotonic(), 1.0)

    def release_idle(self) -> None:
        """Releases the models and what is in memory of the file if no call has run for long enough."""
        from evermem_cli.recollection.search.ranking import forget_texts

        with self._turn:
            if self._owner is None or self._running or time.monotonic() - self._asked < self.idle_seconds:
                return
            owner, self._owner = self._owner, None
        owner.engines.close()  # what llama.cpp holds is not freed with the objects of Python
        del owner
        let_go()
        forget_texts()  # they lie all over the heap
        gc.unfreeze()  # what was loaded during the start is part of cycles, too
        gc.collect()
        gc.freeze()
        _give_back()


def _name(client: str) -> str:
    """The client's name on one line. A client without a name is called `UNNAMED`."""
    return " ".join(_UNPRINTABLE.sub(" ", client).split())[:LONGEST_NAME] or UNNAMED


def _keep_little_memory() -> None:
    """Has the C library keep little free memory, where it can."""
    try:
        for setting, value in MALLOC_SETTINGS.items():
            ctypes.CDLL(None).mallopt(setting, value)
    except (OSError, AttributeError):
        return


def _give_back() -> None:
    """Returns free memory to the system, where the C library can."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError):
        return
