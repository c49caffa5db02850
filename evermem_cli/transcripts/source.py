"""One input, from bytes to lines or JSON values, with the context that all readers need."""

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import Any, BinaryIO

from evermem_cli.errors import InputError
from evermem_cli.memory import Finding, Problem, Skipped, Transcript
from evermem_cli.transcripts.cleaning import clean
from evermem_cli.transcripts.decoding import HEAD_BYTES, Replay, decoded, why_no_text
from evermem_cli.transcripts.json_values import (
    CHUNK,
    Broken,
    array_items,
    listed_items,
    parse_json,
    why_no_json,
)
from evermem_cli.transcripts.options import ReadOptions
from evermem_cli.transcripts.times import day_like, named_day

SAMPLE_LINES = 50  # non-empty lines, or values, examined for detection
SAMPLE_CHARACTERS = 1 << 20  # characters examined where an export is one line

_JSON_START = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*[\[{\"\]])")


@dataclass(frozen=True, slots=True)
class Format:
    """A chat format: how to detect it in a source, and how to read it.

    `steps` tells how to get such an export. `suffixes` only select the files of a directory, since a format is detected
    by content.
    """

    name: str
    summary: str
    steps: str
    suffixes: frozenset[str]
    matches: Callable[["Source"], bool]
    read: Callable[["Source"], Iterator[Transcript]]


@dataclass(frozen=True, slots=True)
class InputContext:
    """The context shared by all parts of one input: options, report, and counts of left-out messages by reason."""

    options: ReadOptions
    report: Callable[[Finding], None]
    skipped: Counter[str] = field(default_factory=Counter)

    def conclude(self, path: str) -> None:
        """Reports what was left out of the whole input."""
        for reason, messages in self.skipped.items():
            self.report(Skipped(path=path, reason=reason, messages=messages))

    def left_out(self) -> str:
        """What was left out so far, as the end of a sentence; "" if nothing was."""
        return "; ".join(["", *(f"{messages} {reason}" for reason, messages in self.skipped.items())])


@dataclass(frozen=True, slots=True)
class Value:
    """A JSON value of the input: a line, or an item of an array, which has a position but no line."""

    value: Any
    line: int | None = None
    prefix: str = ""


class Source:
    """An input as clean text: a sample for detection, then once all lines, all JSON values, or the JSON object.

    `path` is a file, or the path within a folder or zip; None for a stream. Creating it raises InputError for an empty
    or binary stream.
    """

    def __init__(self, stream: BinaryIO, path: Path | None, reading: InputContext) -> None:
        self.path = path
        self.reading = reading
        head = stream.read(HEAD_BYTES)
        if refusal := why_no_text(head):
            raise self.error(*refusal)
        self._bytes = Replay(head, stream)
        self._text = decoded(self._bytes)
        self._first = self._sampled()
        self._bytes.forget()
        self._peeked: list[Value] = []
        self.sample = [line for line in map(_clean_line, self._first) if line.strip()]
        if not self.sample:
            raise self.error("the file is empty", "export the chat again")

    @property
    def options(self) -> ReadOptions:
        """The user's options for reading."""
        return self.reading.options

    @property
    def first_lines(self) -> list[str]:
        """The lines of `sample`, including empty ones; the last may be cut off."""
        return [_clean_line(line) for line in self._first]

    @property
    def name(self) -> str:
        """The input's name in messages to the user."""
        return str(self.path or "standard input")

    @property
    def day(self) -> date:
        """The day of a transcript without dates: from the file's name, else its modification time, else today.

        For files in a zip the modification time is that of the zip.
        """
        return self._assumed_day[0]

    @property
    def day_origin(self) -> str:
        """Where `day` is from, in words."""
        return self._assumed_day[1]

    @cached_property
    def no_day(self) -> str:
        """What in the file's name has the form of a day and is none; "" where the name has a day or nothing like it."""
        name = self.path.stem if self.path else ""
        return "" if named_day(name) else day_like(name)

    @cached_property
    def _assumed_day(self) -> tuple[date, str]:
        now = datetime.now(self.options.tz)
        if self.path and (named := named_day(self.path.stem)):
            return named, "from the file's name"
        files = (self.path, *self.path.parents) if self.path else ()
        file = next((path for path in files if path.is_file()), None)
        if file is None:
            return now.date(), "today"
        changed = datetime.fromtimestamp(file.stat().st_mtime, self.options.tz).date()
        return changed, "the day of the file's last change" + (
            f', since "{self.no_day}" is none' if self.no_day else ""
        )

    @cached_property
    def is_json_lines(self) -> bool:
        """Whether each line is a JSON object; a few damaged lines are tolerated."""
        objects = sum(line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in self.sample)
        return objects * 2 >= len(self.sample)

    @cached_property
    def is_json(self) -> bool:
        """Whether the input is JSON, whole or in lines."""
        return self.is_json_lines or _JSON_START.match("".join(self.sample[:3])) is not None

    @cached_property
    def is_array(self) -> bool:
        """Whether the input is a JSON array."""
        return self.is_json and not self.is_json_lines and self.sample[0].lstrip().startswith("[")

    @cached_property
    def document(self) -> dict[str, Any] | None:
        """The JSON object that is the whole input; None where it is an array, JSON lines or no JSON.

        Raises InputError with the line of the error.
        """
        if not self.is_json or self.is_array or (self.is_json_lines and len(self.sample) > 1):
            return None
        try:
            value: dict[str, Any] = parse_json("".join(line for _, line in self.lines()))
            return value
        except json.JSONDecodeError as error:
            raise self.error(why_no_json(error), "export the chat again", line=error.lineno) from error
        except (ValueError, RecursionError) as error:
            raise self.error(why_no_json(error), "export the chat again") from error

    @cached_property
    def text(self) -> list[str]:
        """All lines, without line ends and trailing blanks."""
        return [line.rstrip() for _, line in self.lines()]

    def lines(self) -> Iterator[tuple[int, str]]:
        r"""All lines with their number from 1; each ends in "\n" except perhaps the last. Can be read once."""
        return ((number, _clean_line(line)) for number, line in self.raw_lines())

    def raw_lines(self) -> Iterator[tuple[int, str]]:
        """Like `lines`, but before cleaning, for a format in which marks have a meaning."""
        if not self._first[-1].endswith("\n"):
            self._first[-1] += self._text.readline()
        return zip(count(1), chain(self._first, self._text), strict=False)

    def raw_bytes(self) -> io.BufferedReader:
        """All bytes before decoding, for a format that states its own encoding; instead of lines and values."""
        return self._bytes.again()

    def peek(self) -> Iterator[Any]:
        """The first JSON values, for detection; nothing if the input is no JSON."""
        yield from (value.value for value in self._peeked)
        while len(self._peeked) < SAMPLE_LINES and (value := next(self._values, None)):
            self._peeked.append(value)
            yield value.value

    def values(self) -> Iterator[Value]:
        """All JSON values: the items of an array, the values of JSON lines, or the one object. Can be read once.

        Damaged parts are reported and the rest is read. Raises InputError if nothing is left.
        """
        return chain(self._peeked, self._values)

    def listed(self, names: frozenset[str], most: int) -> Iterator[Value]:
        """The items of `list` in the members `names` of the object that is the input; damaged ones are reported."""
        lines = (line for _, line in self.raw_lines())
        for number, item in enumerate(listed_items(lines, names, most), 1):
            if isinstance(item, Broken):
                self.problem(f"item {number}: {item}", item.line)
            else:
                yield Value(item, None, f"item {number}: ")

    def problem(self, reason: str, line: int | None = None) -> None:
        """Reports a part of this input that could not be used."""
        self.reading.report(Problem(path=self.name, reason=reason, line=line))

    def skip(self, reason: str, messages: int = 1) -> None:
        """Counts messages that are left out; `reason` describes them, as "without text"."""
        if messages:
            self.reading.skipped[reason] += messages

    def error(self, message: str, hint: str = "", line: int | None = None) -> InputError:
        """An error that names this input."""
        return InputError(message, hint, path=self.path, line=line)

    @cached_property
    def _values(self) -> Iterator[Value]:
        if self.is_array:
            return self._items()
        if self.is_json_lines and len(self.sample) > 1:
            return self._line_values()
        return iter([Value(self.document, 1 if self.is_json_lines else None)] if self.document is not None else [])

    def _items(self) -> Iterator[Value]:
        """The items of the array, numbered including damaged ones, which are reported once a good item follows."""
        broken: list[tuple[int, Broken]] = []
        good = False
        rest = iter(lambda: self._text.read(CHUNK), "")
        for number, item in enumerate(array_items(chain(["".join(self._first)], rest)), 1):
            if isinstance(item, Broken):
                broken.append((number, item))
            else:
                good = True
                yield Value(item, None, f"item {number}: ")
            while good and broken:
                self._tell_broken(*broken.pop(0))
        if broken:
            raise self.error(broken[0][1].reason, "export the chat again", line=broken[0][1].line)

    def _tell_broken(self, number: int, item: Broken) -> None:
        self.problem(f"item {number}: {item}", item.line)

    def _line_values(self) -> Iterator[Value]:
        for number, line in self.lines():
            if not line.strip():
                continue
            try:
                yield Value(parse_json(line), number)
            except (ValueError, RecursionError) as error:
                self.problem(why_no_json(error), number)

    def _sampled(self) -> list[str]:
        """The first lines, up to SAMPLE_LINES that are not empty or SAMPLE_CHARACTERS; the last may be cut off."""
        first: list[str] = []
        filled = read = 0
        while filled < SAMPLE_LINES and read < SAMPLE_CHARACTERS and (line := self._text.readline(SAMPLE_CHARACTERS)):
            # JSON lines can be recognised only with their ends
            if line.lstrip().startswith("{") and not line.endswith("\n"):
                line += self._text.readline()
            first.append(line)
            filled += bool(_clean_line(line).strip())
            read += len(line)
        return first


def _clean_line(line: str) -> str:
    return clean(line) if line[-1] != "\n" else clean(line[:-1]) + "\n"
