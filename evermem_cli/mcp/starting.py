"""Starts the server: the file and the model are opened while the protocol's SDK is loaded, which takes as long."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
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
# What the SDK's server imports for HTTP alone. On stdin and stdout only their names occur, as types.
FOR_HTTP = (
    "starlette",
    "sse_starlette",
    "mcp.server.auth",
    "mcp.server.streamable_http",
    "mcp.server.transport_security",
)


class _NamesOnly(MetaPathFinder, Loader):
    """Finds the modules for HTTP as modules in which every name is a class of its own, which nothing can be made of."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if any(name == package or name.startswith((f"{package}.", f"{package}_")) for package in FOR_HTTP):
            self.names.append(name)
            return ModuleSpec(name, self, is_package=True)
        return None

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__getattr__"] = lambda name: type(name, (), {"__new__": None})


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
        with _without_http():
            return import_module(SERVER)
    except (ImportError, AttributeError, TypeError):  # a release of the SDK that is laid out otherwise
        for name in [name for name in sys.modules if name == SERVER or name.split(".")[0] == WHOLE[0]]:
            del sys.modules[name]
        return import_module(SERVER)


@contextmanager
def _without_http() -> Iterator[None]:
    """Imports no more of the modules for HTTP than their names; whoever imports them later gets the modules."""
    finder = _NamesOnly()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in finder.names:
            sys.modules.pop(name, None)


@contextmanager
def _models_built_when_used() -> Iterator[None]:
    """Has pydantic build the validators of the SDK's models when one is used: a client needs few of them."""
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]
