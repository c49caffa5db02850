"""stdin, stdout and stderr: always there, no way to steer the terminal, and in one line why they cannot be used."""

import errno
import fcntl
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from typing import BinaryIO, TextIO

from evermem_cli.errors import EvermemError, InputError
from evermem_cli.terminal.visible import visible

# A standard stream that was closed is opened again the wrong way round: to use it fails as before, and no file that is
# opened later, as memory itself, takes its number and gets what is printed.
WRONG_WAY = (os.O_WRONLY, os.O_RDONLY, os.O_RDONLY)


class Outlet(io.TextIOWrapper):
    """Text to a standard stream as `shown` makes it; `layout` takes text that was made visible before it was laid out.

    Where nothing can be written, `optional` text is lost; else EvermemError is raised, and BrokenPipeError where the
    reader of a pipe has seen enough.
    """

    def __init__(
        self, buffer: BinaryIO, encoding: str, *, optional: bool, shown: Callable[[str], str] = visible
    ) -> None:
        prompt = optional or buffer.isatty()
        super().__init__(buffer, encoding, "backslashreplace", line_buffering=prompt, write_through=True)
        self.layout: TextIO = self if shown is str else Outlet(buffer, encoding, optional=optional, shown=str)
        self._optional = optional
        self._shown = shown

    def write(self, text: str) -> int:
        try:
            return super().write(self._shown(text))
        except OSError as error:
            self._failed(error)
            return 0

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self._failed(error)

    def _failed(self, error: OSError) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())  # what still waits to be written is lost, too
        if self._optional:
            return
        if isinstance(error, BrokenPipeError):
            raise error
        reason = "stdout is closed" if error.errno == errno.EBADF else error.strerror
        raise EvermemError(f"cannot write: {reason}", "free some space" * (error.errno == errno.ENOSPC)) from error


def guard() -> None:
    """Opens what the shell has closed, and puts outlets in the place of stdout and stderr."""
    for number, way in enumerate(WRONG_WAY):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, way)
    coded = [stream.encoding if stream else "utf-8" for stream in (sys.stdin, sys.stdout, sys.stderr)]
    sys.stdin = io.TextIOWrapper(open(0, "rb", closefd=False), coded[0], "replace")  # noqa: SIM115
    sys.stdout = Outlet(open(1, "wb", closefd=False), coded[1], optional=False)  # noqa: SIM115
    sys.stderr = Outlet(open(2, "wb", closefd=False), coded[2], optional=True)  # noqa: SIM115


def layout(stream: TextIO) -> TextIO:
    """Where text is written to `stream` that was made visible before it was laid out."""
    return stream.layout if isinstance(stream, Outlet) else stream


def bytes_in() -> BinaryIO:
    """What comes on stdin. Raises InputError where nothing can."""
    number = sys.stdin.fileno()
    if stat.S_ISDIR(os.fstat(number).st_mode):
        raise InputError("standard input is a directory", "give its path instead")
    if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY:
        raise InputError("standard input is closed", "pipe something into it")
    return sys.stdin.buffer


def lines_in() -> Iterator[str]:
    """The lines of it."""
    bytes_in()
    yield from sys.stdin
