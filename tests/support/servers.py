"""Real servers of language models on this machine: llama-cpp-python's own, and llama.cpp's, which xllamacpp ships."""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from pathlib import Path

CONTEXT = 4096  # tokens of one request
_TOGETHER = 4  # requests that llama.cpp's server works on at once; each has its share of the context
_STARTED = 120.0  # seconds to wait for a server
# llama-cpp-python's server without the kernels that `gguf.model_params` leaves out, too.
_LLAMA_CPP_PYTHON = """
import llama_cpp.llama_cpp as engine
from llama_cpp.server.__main__ import main

defaults = engine.llama_model_default_params

def without_amx():
    params = defaults()
    if b"AMX_INT8 = 1" in engine.llama_print_system_info():
        params.use_extra_bufts = False
    return params

engine.llama_model_default_params = without_amx
main()
"""
_LLAMA_SERVER = """
import sys, time
import xllamacpp

path, name, port, context, together, threads = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path, params.model_alias = path, {name}
params.hostnames, params.port = ["127.0.0.1"], int(port)
params.n_ctx, params.n_parallel = int(context) * int(together), int(together)
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(threads)
params.ui = False
server = xllamacpp.Server(params)
while True:
    time.sleep(3600)
"""


def free_port() -> int:
    """A port at which nobody listens."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port: int = unused.getsockname()[1]
        return port


def has_llama_cpp_python() -> bool:
    """Whether llama-cpp-python's server is installed."""
    return all(find_spec(name) for name in ("llama_cpp", "uvicorn", "starlette_context", "sse_starlette"))


def has_llama_server() -> bool:
    """Whether llama.cpp's server is installed."""
    return find_spec("xllamacpp") is not None


@contextmanager
def llama_cpp_python(model: Path, name: str, threads: int = 1) -> Iterator[str]:
    """llama-cpp-python's own server with this model, on a free port."""
    port = str(free_port())
    named = ["--model", str(model), "--model_alias", name, "--host", "127.0.0.1", "--port", port]
    options = ["--n_ctx", str(CONTEXT), "--n_threads", str(threads), "--verbose", "false"]
    with _running([sys.executable, "-c", _LLAMA_CPP_PYTHON, *named, *options], port) as url:
        yield url


@contextmanager
def llama_server(model: Path, name: str, threads: int = 1) -> Iterator[str]:
    """llama.cpp's own server with this model, on a free port."""
    port = str(free_port())
    numbers = map(str, (CONTEXT, _TOGETHER, threads))
    with _running([sys.executable, "-c", _LLAMA_SERVER, str(model), name, port, *numbers], port) as url:
        yield url


@contextmanager
def _running(command: list[str], port: str) -> Iterator[str]:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            deadline = time.monotonic() + _STARTED
            while server.poll() is None and time.monotonic() < deadline:
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", int(port))) == 0:
                        break
                time.sleep(0.2)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()
            server.wait()


SERVERS: Mapping[str, tuple[Callable[[], bool], Callable[[Path, str, int], AbstractContextManager[str]]]] = {
    "llama-cpp-python": (has_llama_cpp_python, llama_cpp_python),
    "llama-server": (has_llama_server, llama_server),
}
