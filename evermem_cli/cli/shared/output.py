"""The one writer of results to stdout: a JSON document or a screen. stderr belongs to progress, notes and errors."""

import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from evermem_cli.errors import DISK_IS_FULL, DiskFull, UsageError
from evermem_cli.terminal.visible import json_line

if TYPE_CHECKING:
    from rich.console import RenderableType

PAGE_WIDTH = 100  # longer lines of prose are hard to read
PIPED_WIDTH = 10_000  # a pipe has no width: nothing is wrapped or cut for whoever reads it

_PADDING = re.compile(r" +$", re.MULTILINE)  # that tables fill up their lines with


def show(
    document: Mapping[str, Any],
    screen: "RenderableType | Callable[[], RenderableType]",
    *,
    as_json: bool,
    withheld: int | None = None,
    archived: int | None = None,
) -> None:
    """Prints one line of JSON, or the screen; without colour where stdout is no terminal or NO_COLOR is set.

    A screen that is to be made first is only made where it is printed. `withheld` is how much an agent was not shown,
    `archived` how much nobody was: part of the document, else said on stderr.
    """
    left_out = {"withheld": withheld, "archived": archived}
    counted = {name: count for name, count in left_out.items() if count is not None}
    if withheld and not as_json:
        what = "result is" if withheld == 1 else "results are"
        sys.stderr.write(f"{withheld} {what} withheld\n")
    if archived and not as_json:
        what = "memory is" if archived == 1 else "memories are"
        sys.stderr.write(f"{archived} {what} archived; --archived has them\n")
    if as_json:
        print_json({**document, **counted})
    else:
        _print(screen() if callable(screen) else screen)
    sys.stdout.flush()


def print_json(document: Mapping[str, Any]) -> None:
    """One line of JSON."""
    can_all = sys.stdout.encoding.lower().replace("-", "") == "utf8"
    sys.stdout.write(json_line(document, ascii_only=not can_all) + "\n")


@contextmanager
def destination(
    path: Path | None, drafted: Callable[[Path], AbstractContextManager[Path]], *, force: bool, spill: bool
) -> Iterator[TextIO]:
    """Where a long text goes: a file that appears when it is whole, under a name that is `drafted` first, or stdout.

    What goes to stdout is gathered first: whoever reads a pipe slowly must not hold up whoever writes to memory.
    Without `spill` it is gathered in memory, and no disk has it.
    Raises UsageError where the file is there and not to be replaced, DiskFull.
    """
    if path is None:
        with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") if spill else io.StringIO() as gathered:
            yield gathered
            gathered.seek(0)
            _pass_on(gathered)
        return
    if path.exists() and not force:
        raise UsageError(f"{path} is there already", "name another file, or --force")
    try:
        with drafted(path) as draft:
            with draft.open("x", encoding="utf-8", newline="") as out:
                yield out
            draft.replace(path)
    except OSError as error:
        if error.errno in DISK_IS_FULL:
            raise DiskFull.at(path, str(error.strerror)) from error
        raise UsageError(f"{path}: {error.strerror}", "name another file") from error


def _pass_on(gathered: TextIO) -> None:
    shutil.copyfileobj(gathered, sys.stdout)
    sys.stdout.flush()


def page(text: str) -> None:
    """Shows Markdown: laid out in the pager of a terminal, as it is written where stdout is none.

    PAGER names another pager; `less` is told to keep colours and to leave at once if everything fits the screen.
    """
    if not sys.stdout.isatty():
        write(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    os.environ.setdefault("LESS", "FRX")
    console = Console(width=min(shutil.get_terminal_size().columns, PAGE_WIDTH))
    with console.pager(styles=not console.no_color):
        console.print(Markdown(text, hyperlinks=False))


def write(text: str) -> None:
    """A piece of an answer, as soon as it is there."""
    sys.stdout.write(text)
    sys.stdout.flush()


def ignore(text: str) -> None:
    """Where a piece of an answer goes when the whole is printed as JSON."""


def _print(screen: "RenderableType") -> None:
    from evermem_cli.cli.shared.terminal import Terminal

    if sys.stdout.isatty():
        Terminal(sys.stdout).print(screen)
        return
    console = Terminal(sys.stdout, PIPED_WIDTH)
    with console.capture() as printed:
        console.print(screen)
    sys.stdout.write(_PADDING.sub("", printed.get()))
