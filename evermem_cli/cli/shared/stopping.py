"""How what goes on until it is stopped is stopped: by Ctrl-C, a closed terminal, or `kill`."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(slots=True)
class Stop:
    """Whether a stop was asked for."""

    asked: bool = False


@contextmanager
def gently() -> Iterator[Stop]:
    """The first signal only asks, so that what has come is finished; the second interrupts."""
    stop = Stop()

    def ask(number: int, frame: FrameType | None) -> None:
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True

    with _handled(ask):
        yield stop


@contextmanager
def at_once() -> Iterator[None]:
    """Each signal interrupts, as Ctrl-C does."""
    with _handled(signal.default_int_handler):
        yield


@contextmanager
def _handled(handler: "signal._HANDLER") -> Iterator[None]:
    """A signal that is ignored stays so: `nohup`, and a shell for its jobs in the background, want that."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number, known in before.items():
        if known is not signal.SIG_IGN:
            signal.signal(number, handler)
    try:
        yield
    finally:
        for number, known in before.items():
            signal.signal(number, known)
