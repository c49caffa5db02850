"""Reads chat exports: one `read` that detects the format by content, `find` for the files of directories."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO

from evermem_cli.errors import InputError, UsageError
from evermem_cli.memory import Problem, Transcript
from evermem_cli.transcripts import evermemos, jsonl, markdown, text, whatsapp
from evermem_cli.transcripts.find import files
from evermem_cli.transcripts.options import DateOrder, ReadOptions, date_order
from evermem_cli.transcripts.source import Format, Source

__all__ = ["FORMATS", "DateOrder", "Format", "ReadOptions", "date_order", "find", "read"]

# In the order of detection: the first that matches is the format.
FORMATS: tuple[Format, ...] = (
    evermemos.FORMAT,
    jsonl.FORMAT,
    whatsapp.FORMAT,
    markdown.FORMAT,
    text.FORMAT,
)

_AS_JSON = "a message needs a role or speaker and content; --help names the formats"
_AS_NOTE = "put `Name: ` before each message, or use --format text to read the file as one note of yours"


def read(source: Path | BinaryIO, options: ReadOptions, report: Callable[[Problem], None]) -> Iterator[Transcript]:
    """The conversations of `source`, one after the other; a stream is read from where it stands and left open.

    Parts that cannot be used go to `report`, and the rest is read. Messages of the system and of tools, and those
    without text, are no conversation and are left out. Times are aware; see `times.fill` for those not stated.

    Raises InputError if nothing can be read or no message is found, UsageError if `options.format` is unknown.
    """
    chosen = _named(options.format) if options.format else None
    path = source if isinstance(source, Path) else None
    try:
        with source.open("rb") if isinstance(source, Path) else nullcontext(source) as stream:
            opened = Source(stream, path, options, report)
            found = False
            for transcript in (chosen or _detected(opened)).read(opened):
                found = True
                yield transcript
    except OSError as error:
        raise _unreadable(error, path) from error
    if not found:
        skipped = f"; {opened.skipped} of the system, of tools or empty" if opened.skipped else ""
        raise opened.error(f"no messages found{skipped}", _AS_JSON if opened.is_json else _AS_NOTE)


def find(paths: Iterable[Path]) -> Iterator[Path]:
    """`paths` with directories replaced by their files that may be chats, sorted; see `find.files`."""
    return files(paths, frozenset().union(*(known.suffixes for known in FORMATS)))


def _named(name: str) -> Format:
    for known in FORMATS:
        if known.name == name:
            return known
    raise UsageError(f"no such format: {name}", f"one of {', '.join(known.name for known in FORMATS)}")


def _detected(source: Source) -> Format:
    for known in FORMATS:
        if known.matches(source):
            return known
    raise source.error("no messages found: JSON of a shape that is not known", _AS_JSON)


def _unreadable(error: OSError, path: Path | None) -> InputError:
    if path and path.is_dir():
        return InputError("no chats in this directory", "name a file to have it tried", path=path)
    return InputError(f"cannot be read: {error.strerror or error}", "check the path and its permissions", path=path)
