"""Guards stdin, stdout and stderr: opens missing ones, escapes control characters, and reports errors on one line."""

import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from typing import BinaryIO, TextIO

from evermem_cli.errors import EvermemError, InputError
from evermem_cli.terminal.visible import visible

# A closed standard stream is reopened for the opposite direction. Using it still fails, but no file that is opened
# later, such as the memory file, gets its number and thus its output.
WRONG_WAY = (os.O_WRONLY, os.O_RDONLY, os.O_RDONLY)


class ReaderGoneError(Exception):
    """The reader of a pipe has closed it, as `head` does. It is no OSError, which Typer would make a failure of."""


class Outlet(io.TextIOWrapper):
    """A standard stream that passes text through `shown`. `layout` is for text that was made visible before its layout.

    If nothing can be written, `optional` text is dropped. Otherwise EvermemError is raised, or ReaderGoneError.
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())  # drops the text that is still buffered, too
        if self._optional:
            return
        if isinstance(error, BrokenPipeError):
            raise ReaderGoneError from error
        reason = "stdout is closed" if error.errno == errno.EBADF else error.strerror
        raise EvermemError(f"cannot write: {reason}", "free some space" * (error.errno == errno.ENOSPC)) from error


def guard() -> None:
    """Opens the standard streams that the shell has closed, and replaces stdout and stderr by outlets."""
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
    """The stream for text that was made visible before its layout."""
    return stream.layout if isinstance(stream, Outlet) else stream


def bytes_in() -> BinaryIO:
    """The bytes of stdin. Raises InputError if stdin cannot be read."""
    number = sys.stdin.fileno()
    if stat.S_ISDIR(os.fstat(number).st_mode):
        raise InputError("standard input is a directory", "give its path instead")
    try:
        os.read(number, 0)
    except OSError as error:
        raise InputError("standard input is closed", "pipe something into it") from error
    return sys.stdin.buffer


def lines_in() -> Iterator[str]:
    """The lines of stdin. Raises InputError if stdin cannot be read."""
    bytes_in()
    yield from sys.stdin
