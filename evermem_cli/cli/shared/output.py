"""The only writer of results to stdout: a JSON document or a screen. Progress, notes and errors go to stderr."""

import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from evermem_cli.errors import DISK_IS_FULL, DiskFull, UsageError
from evermem_cli.terminal.visible import json_line

if TYPE_CHECKING:
    from rich.console import RenderableType

PAGE_WIDTH = 100  # characters of a line of prose; longer ones are hard to read
PIPED_WIDTH = 10_000  # the width of a pipe, large enough that nothing is wrapped or cut

_PADDING = re.compile(r" +$", re.MULTILINE)  # what tables fill their lines with


def show(
    document: Mapping[str, Any],
    screen: "RenderableType | Callable[[], RenderableType]",
    *,
    as_json: bool,
    withheld: int | None = None,
    archived: int | None = None,
    hint: str = "",
) -> None:
    """Prints one line of JSON or the screen, without colour where stdout is not a terminal or NO_COLOR is set.

    A screen given as a function is made only if it is printed. `withheld` and `archived` are how many memories an
    agent, or anybody, was not shown: in the JSON document, or else in a note on stderr. `hint` says what the agent can
    do about the withheld ones.
    """
    left_out = {"withheld": withheld, "archived": archived}
    counted = {name: count for name, count in left_out.items() if count is not None}
    if withheld and not as_json:
        what = "result is" if withheld == 1 else "results are"
        sys.stderr.write(f"{withheld} {what} withheld{f': {hint}' if hint else ''}\n")
    if archived and not as_json:
        what = "memory is" if archived == 1 else "memories are"
        sys.stderr.write(f"{archived} {what} archived; --archived has them\n")
    if as_json:
        print_json({**document, **counted, **({"withheld_hint": hint} if withheld and hint else {})})
    else:
        _print(screen() if callable(screen) else screen)
    sys.stdout.flush()


def print_json(document: Mapping[str, Any]) -> None:
    """Prints one line of JSON."""
    can_all = sys.stdout.encoding.lower().replace("-", "") == "utf8"
    sys.stdout.write(json_line(document, ascii_only=not can_all) + "\n")


@contextmanager
def destination(
    path: Path | None, temporary_path: Callable[[Path], AbstractContextManager[Path]], *, force: bool, spill: bool
) -> Iterator[TextIO]:
    """The destination of a long text: stdout, or a file that has a name from `temporary_path` until it is complete.

    Output for stdout is collected first, so that a slow reader of a pipe does not block writers to memory; without
    `spill` it is collected in memory and not on disk. Raises UsageError where the file exists and is not to be
    replaced, DiskFull.
    """
    if path is None:
        with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") if spill else io.StringIO() as opened:
            gathered = cast(TextIO, opened)  # a wrapper on Windows
            yield gathered
            gathered.seek(0)
            _pass_on(gathered)
        return
    if path.exists() and not force:
        raise UsageError(f"{path} exists already", "name another file, or add --force")
    try:
        with temporary_path(path) as draft:
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
    """Shows Markdown: formatted in the pager on a terminal, unchanged elsewhere.

    PAGER names another pager. `less` is told to keep colours and to exit at once if everything fits on the screen.
    """
    if not sys.stdout.isatty():
        write(text)
        return
    from rich.console import Console

    from evermem_cli.cli.shared.markdown import TerminalMarkdown

    os.environ.setdefault("LESS", "FRX")
    console = Console(width=min(shutil.get_terminal_size().columns, PAGE_WIDTH))
    with console.pager(styles=not console.no_color):
        console.print(TerminalMarkdown(text))


def write(text: str) -> None:
    """Prints a piece of an answer at once."""
    sys.stdout.write(text)
    sys.stdout.flush()


def ignore(text: str) -> None:
    """Discards a piece of an answer that will be printed as JSON."""


def _print(screen: "RenderableType") -> None:
    from evermem_cli.cli.shared.terminal import Terminal

    if sys.stdout.isatty():
        Terminal(sys.stdout).print(screen)
        return
    console = Terminal(sys.stdout, PIPED_WIDTH)
    with console.capture() as printed:
        console.print(screen)
    sys.stdout.write(_PADDING.sub("", printed.get()))
