"""Starts the server: the file and the model are opened while the protocol's SDK is loaded, which takes as long."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import BaseModel

from evermem_cli.config import Settings
from evermem_cli.mcp.host import MemoryHost

# While modules are loaded, the thread that opens the file waits this long for its turn after each statement. Python's
# own 5 ms would make that as long as the loading itself.
SWITCH_SECONDS = 0.0005


def serve(settings: Settings) -> None:
    """Serves one client until it disconnects."""
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.disable()  # loaded modules are no garbage, and collecting among them takes a sixth of the start
    host = MemoryHost(settings)
    host.prepare()
    with _models_built_when_used():
        from evermem_cli.mcp import server
    gc.freeze()
    gc.enable()
    server.run(host)


@contextmanager
def _models_built_when_used() -> Iterator[None]:
    """Has pydantic build the validators of the SDK's models when one is used: a client needs few of them."""
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]
