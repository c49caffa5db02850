"""Starts the server: the file and the model are opened while the protocol's SDK is loaded, which takes as long."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType

from pydantic import BaseModel

from evermem_cli.config import Settings
from evermem_cli.mcp.host import MemoryHost

# While modules are loaded, the thread that opens the file waits this long for its turn after each statement. Python's
# own 5 ms would make that as long as the loading itself.
SWITCH_SECONDS = 0.0005
SERVER = "evermem_cli.mcp.server"
# Importing these packages as a whole also loads clients, HTTP and a second kind of server, which takes a third of the
# time and a quarter of the memory.
WHOLE = ("mcp", "mcp.server")


def serve(settings: Settings) -> None:
    """Serves one client until it disconnects."""
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.disable()  # loaded modules contain no garbage, and searching them for it takes a sixth of the start
    host = MemoryHost(settings)
    host.prepare()
    with _models_built_when_used():
        server = load_server()
    gc.freeze()
    gc.enable()
    server.run(host)


def load_server() -> ModuleType:
    """The module of the server, with those modules of the SDK that it names and what these need."""
    for name in WHOLE:
        if name not in sys.modules and (spec := find_spec(name)):
            sys.modules[name] = module_from_spec(spec)
    try:
        return import_module(SERVER)
    except ImportError:  # a release of the SDK that is laid out otherwise
        for name in [name for name in sys.modules if name == SERVER or name.split(".")[0] == WHOLE[0]]:
            del sys.modules[name]
        return import_module(SERVER)


@contextmanager
def _models_built_when_used() -> Iterator[None]:
    """Has pydantic build the validators of the SDK's models when one is used: a client needs few of them."""
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]
