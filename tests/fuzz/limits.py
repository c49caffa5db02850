"""How long one case may take, and how much memory the process has held at most."""

import resource
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

LONGEST = 5.0  # CPU seconds for a file of up to a megabyte or two, or for a question


class HangError(Exception):
    """A case took longer than it may."""


@contextmanager
def limited() -> Iterator[None]:
    """Raises HangError after LONGEST of CPU time."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise HangError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def peak() -> int:
    """The most memory that this process has held, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def place_of(error: Exception) -> str:
    """Where in evermem an error was raised; '' where elsewhere."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "evermem_cli" in frame.filename]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
