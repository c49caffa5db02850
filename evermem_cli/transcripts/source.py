"""One input on its way from bytes to lines or JSON, with what the readers of all formats need to know about it."""

import codecs
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import BinaryIO

from evermem_cli.errors import InputError
from evermem_cli.memory import Problem, Transcript
from evermem_cli.transcripts.cleaning import clean
from evermem_cli.transcripts.options import ReadOptions
from evermem_cli.transcripts.times import find_day

HEAD_BYTES = 1 << 16  # what is looked at to tell text from binary
SAMPLE_LINES = 50  # non-empty lines that detection looks at (FORMATS section 0)
MAX_CONTROL_SHARE = 0.01  # a broken line of a log holds a few control characters, a binary file many
MAX_FOREIGN_SHARE = 0.25  # bytes above 127 that are not UTF-8: a few in Western text, most in other old code pages

_CONTROL_BYTES = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b") | {127})
_JSON_START = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*[\[{\"\]])")


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    """Decodes what is not UTF-8 as Windows-1252, so that one odd byte does not garble the rest of the file."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


# Control characters within strings are let through: they are cleaned from the text later. Raises ValueError or, for
# endless nesting, RecursionError.
parse_json = json.JSONDecoder(strict=False).decode

codecs.register_error("evermem.cp1252", _as_cp1252)


@dataclass(frozen=True, slots=True)
class Format:
    """One chat format: how to see that a source has it, and how to read it.

    `steps` tells how to get such an export. `suffixes` only select the files of a directory; a format is detected by
    content.
    """

    name: str
    summary: str
    steps: str
    suffixes: frozenset[str]
    matches: Callable[["Source"], bool]
    read: Callable[["Source"], Iterator[Transcript]]


def why_no_json(error: Exception) -> str:
    """Why `parse_json` raised `error`, in one line without the line number."""
    if isinstance(error, json.JSONDecodeError):
        return f"broken or cut-off JSON: {error.msg} at column {error.colno}"
    return f"JSON that cannot be read: {error}"


class Source:
    """An input as clean text: a sample for detection, then all lines, once; or the JSON document that it is.

    Raises InputError when it is made from an empty or binary stream.
    """

    def __init__(
        self, stream: BinaryIO, path: Path | None, options: ReadOptions, report: Callable[[Problem], None]
    ) -> None:
        self.path = path
        self.options = options
        self.skipped = 0
        self._report = report
        self._rest = self._decoded(stream)
        self._first = self._sampled()
        self.sample = [line for line in map(_clean_line, self._first) if line.strip()]
        if not self.sample:
            raise self.error("the file is empty", "export the chat again")

    @property
    def name(self) -> str:
        """What messages to the user call this input."""
        return str(self.path or "standard input")

    @property
    def day(self) -> date:
        """The day of a transcript that says nothing: of the file's name, else when it was last written, else today."""
        if self.path is None:
            return datetime.now(self.options.tz).date()
        written = datetime.fromtimestamp(self.path.stat().st_mtime, self.options.tz)
        return find_day(self.path.stem) or written.date()

    @cached_property
    def is_json_lines(self) -> bool:
        """Whether each line is a JSON object; a few broken lines do not matter."""
        objects = sum(line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in self.sample)
        return objects * 2 >= len(self.sample)

    @cached_property
    def is_json(self) -> bool:
        """Whether this is JSON, whole or in lines."""
        return self.is_json_lines or _JSON_START.match("".join(self.sample[:3])) is not None

    @cached_property
    def document(self) -> object:
        """The JSON value that the whole input is; None where it is JSON lines or no JSON.

        Raises InputError with the line where the JSON breaks.
        """
        if not self.is_json or (self.is_json_lines and len(self.sample) > 1):
            return None
        try:
            return parse_json("".join(line for _, line in self.lines()))
        except json.JSONDecodeError as error:
            raise self.error(why_no_json(error), "export the chat again", line=error.lineno) from error
        except (ValueError, RecursionError) as error:
            raise self.error(why_no_json(error), "export the chat again") from error

    @cached_property
    def text(self) -> list[str]:
        """All lines, without their ends and what is blank before these."""
        return [line.rstrip() for _, line in self.lines()]

    def lines(self) -> Iterator[tuple[int, str]]:
        r"""All lines with their number from 1; each ends in "\n" but perhaps the last. Can be read once."""
        return ((number, _clean_line(line)) for number, line in self.raw_lines())

    def raw_lines(self) -> Iterator[tuple[int, str]]:
        """As `lines`, but before cleaning, for a format in which marks mean something."""
        return zip(count(1), chain(self._first, self._rest), strict=False)

    def problem(self, reason: str, line: int | None = None) -> None:
        """Reports a part of this input that could not be used."""
        self._report(Problem(path=self.name, reason=reason, line=line))

    def error(self, message: str, hint: str = "", line: int | None = None) -> InputError:
        """An error that names this input."""
        return InputError(message, hint, path=self.path, line=line)

    def _sampled(self) -> list[str]:
        """The first lines, up to SAMPLE_LINES that are not empty."""
        first: list[str] = []
        filled = 0
        for line in self._rest:
            first.append(line)
            filled += bool(_clean_line(line).strip())
            if filled == SAMPLE_LINES:
                break
        return first

    def _decoded(self, stream: BinaryIO) -> Iterator[str]:
        """Lines of `stream`."""
        head = stream.read(HEAD_BYTES)
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            encoding, errors = "utf-16", "replace"
        else:
            encoding, errors = "utf-8-sig", "evermem.cp1252"
            self._refuse_binary(head)
        return io.TextIOWrapper(io.BufferedReader(_Replay(head, stream)), encoding, errors)

    def _refuse_binary(self, head: bytes) -> None:
        controls = len(head) - len(head.translate(None, _CONTROL_BYTES))
        if controls > len(head) * MAX_CONTROL_SHARE:
            raise self.error("not a text file", "give a chat exported as text, Markdown or JSON")
        foreign = len(head) - len(head.decode("utf-8", "ignore").encode())
        if foreign > len(head) * MAX_FOREIGN_SHARE:
            raise self.error("neither UTF-8, UTF-16 nor Windows-1252 text", "convert the file to UTF-8")


def _clean_line(line: str) -> str:
    return clean(line) if line[-1] != "\n" else clean(line[:-1]) + "\n"


class _Replay(io.RawIOBase):
    """A stream whose first bytes were already taken; it is not closed with this one."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = io.BytesIO(head)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        block = self._head.read(len(buffer)) or self._rest.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)
