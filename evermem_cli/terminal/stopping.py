"""Stops long-running commands on Ctrl-C, a closed terminal, or `kill`."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from evermem_cli.errors import ExitCode

# Windows has no SIGHUP; there a closed terminal ends its processes.
SIGNALS = tuple(signal.Signals[name] for name in ("SIGINT", "SIGTERM", "SIGHUP") if name in signal.Signals.__members__)

INTERRUPTED_QUERY = "Query interrupted"  # what DuckDB raises for Ctrl-C, as a RuntimeError


@dataclass(slots=True)
class Stop:
    """Whether a stop was requested."""

    asked: bool = False


@contextmanager
def gently() -> Iterator[Stop]:
    """The first signal requests a stop, so that received input is processed. The second one interrupts."""
    stop = Stop()

    def ask(number: int, frame: FrameType | None) -> None:
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True

    with _handled(ask):
        yield stop


@contextmanager
def at_once() -> Iterator[None]:
    """Every signal interrupts, as Ctrl-C does."""
    with _handled(signal.default_int_handler):
        yield


def is_interruption(error: BaseException) -> bool:
    """Whether this is what Ctrl-C raises."""
    return isinstance(error, KeyboardInterrupt) or (isinstance(error, RuntimeError) and str(error) == INTERRUPTED_QUERY)


@contextmanager
def when_interrupted(tell: Callable[[], None]) -> Iterator[None]:
    """An interruption ends the command after `tell`, which says what was done and what is still to do."""
    try:
        yield
    except (KeyboardInterrupt, RuntimeError) as error:
        if not is_interruption(error):
            raise
        tell()
        sys.exit(ExitCode.INTERRUPTED)


@contextmanager
def _handled(handler: "signal._HANDLER") -> Iterator[None]:
    """Handles a signal unless it is ignored, as `nohup` and shells do for background jobs."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number, known in before.items():
        if known is not signal.SIG_IGN:
            signal.signal(number, handler)
    try:
        yield
    finally:
        for number, known in before.items():
            signal.signal(number, known)
