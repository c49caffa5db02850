"""A memory file as a server holds it: its settings, the models while they are needed, and a call for each question."""

import ctypes
import gc
import re
import threading
import time
from dataclasses import dataclass, field, replace

from evermem_cli.cli.shared.session import Session
from evermem_cli.config import Settings
from evermem_cli.mcp.lookups import Call
from evermem_cli.store import let_go

UNNAMED = "unnamed client"
LONGEST_NAME = 80  # characters of a client's name that the access log keeps
IDLE_SECONDS = 60.0  # without a call, after which models are let go; loading the embedder again takes 0.2 s
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


@dataclass
class MemoryHost:
    """Where clients come in. Models are loaded once, on first need, and let go after a rest.

    Nothing is fetched from a network here: whoever waits for a tool would not see it.
    """

    settings: Settings
    idle_seconds: float = IDLE_SECONDS
    _owner: Session | None = None
    _asked: float = field(default_factory=time.monotonic)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def call(self, client: str, reason: str, tool: str) -> Call:
        """A call on behalf of this client, which is the agent that privacy and the access log know."""
        with self._turn:
            self._asked = time.monotonic()
            self._owner = self._owner or Session(replace(self.settings, agent="", reason="", offline=True), "mcp")
            agent = self.settings.agent or _name(client)
            return Call(self._owner.on_behalf_of(agent, reason or self.settings.reason, f"mcp {tool}"))

    def prepare(self) -> None:
        """Loads the libraries of the first question, no model, while the client is still busy with other things."""
        from evermem_cli.engines.onnx import silence_onnxruntime
        from evermem_cli.recollection import search  # noqa: F401

        silence_onnxruntime()

    def seconds_until_idle(self) -> float:
        """How long until the models may be let go, if nothing is asked meanwhile."""
        return max(self._asked + self.idle_seconds - time.monotonic(), 1.0)

    def release_idle(self) -> None:
        """Lets go of the models where nothing has been asked for so long."""
        with self._turn:
            if self._owner is None or time.monotonic() - self._asked < self.idle_seconds:
                return
            self._owner = None
        let_go()
        gc.collect()
        _give_back()


def _name(client: str) -> str:
    """A client's name on one line, never empty: who has no name is an agent all the same."""
    return " ".join(_UNPRINTABLE.sub(" ", client).split())[:LONGEST_NAME] or UNNAMED


def _give_back() -> None:
    """Gives free memory back to the system, where the C library can."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError):
        return
