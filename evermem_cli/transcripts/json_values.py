"""Takes JSON apart: one value, or the items of arrays one by one, however long these are and even where broken."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

CHUNK = 1 << 20  # characters read at once
MAX_ITEM = 1 << 26  # characters of one item; a conversation has less, and an array without an end would fill the memory
MAX_TRIES = 1000  # places behind a break at which the next item is looked for
LONG_PAST = 1 << 16  # characters behind, from which on they may be dropped
MARGIN = 16  # characters before the end of a text within which an error may be due to what is still to come

_SPACE = re.compile(r"[\s,\ufeff\x00]*")
_HEX_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\x([0-9A-Fa-f]{2})")
# What JSON does not know between values; within strings it is cleaned to the same later.
_ODD_SPACES = (
    dict.fromkeys("\u00a0\u202f\u2009", " ")
    | dict.fromkeys("\v\f\u0085\u2028\u2029", "\n")
    | dict.fromkeys("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "")
)
_FIRST_KEY = re.compile(r'\{\s*("(?:[^"\\]|\\.){0,200}")\s*:')

# Control characters within strings are let through: they are cleaned from the text later.
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class Broken:
    """A part of an array that is no JSON; `line`, where it begins, counts from 1."""

    reason: str
    line: int


def parse_json(text: str) -> Any:
    r"""The value of `text`. Raises ValueError or, for endless nesting, RecursionError.

    Telegram writes control characters as "\x0B", which JSON does not have; that is read, too.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError:
        repaired = _HEX_ESCAPE.sub(r"\1\\u00\2", text)
        if repaired == text:
            raise
        return _DECODER.decode(repaired)


def why_no_json(error: Exception) -> str:
    """Why `parse_json` raised `error`, in one line without the line number."""
    if isinstance(error, json.JSONDecodeError):
        return f"broken or cut-off JSON: {error.msg} at column {error.colno}"
    return f"JSON that cannot be read: {error}"


def array_items(chunks: Iterator[str]) -> Iterator[Any | Broken]:
    """The items of the array that `chunks` are the text of, in memory one at a time.

    Behind a part that is broken the array goes on with the next item that looks like the one before: it begins with the
    same key and shares most keys. (A well-kept streaming parser, ijson, took 1.7 times as long and stops at the break.)
    """
    window = _Window(map(_spaced, chunks))
    window.at = window.text.index("[") + 1
    last: object = None
    while window.skip_space():
        if window.text[window.at] == "]":
            line = window.line()
            window.at += 1
            if not window.skip_space():
                return
            yield Broken("broken JSON: the list ends, the file does not", line)
            if window.text[window.at] == "{":
                continue
        else:
            try:
                last = window.decode()
                yield last
                continue
            except (ValueError, RecursionError) as error:
                yield Broken(_reason(error), window.line())
        item = _next_like(last, window)
        if item is None:
            return
        last = item
        yield item
    yield Broken("cut-off JSON: the list has no end", window.line())


def listed_items(chunks: Iterator[str], names: frozenset[str], most: int) -> Iterator[Any | Broken]:
    """The items of `list` in each member called one of `names` of the object that `chunks` are the text of.

    They are in memory one at a time, each of up to `most` characters. No chunk may end within a "\\x0B" (`parse_json`).
    """
    window = _Window((_spaced(_HEX_ESCAPE.sub(r"\1\\u00\2", chunk)) for chunk in chunks), most)
    window.at = window.text.index("{") + 1
    depth = 1
    while depth and window.skip_space():
        if window.text[window.at] == "}":
            depth -= 1
            window.at += 1
            continue
        try:
            name, begin = window.member()
            if (depth == 1 and name in names and begin == "{") or (depth > 1 and name == "list" and begin == "["):
                window.at += 1
                depth += begin == "{"
                yield from _nested(window) if begin == "[" else ()
            else:
                window.decode()
        except (ValueError, RecursionError) as error:
            yield Broken(_reason(error), window.line())
            return
    if depth:
        yield Broken("cut-off JSON: the file ends too early", window.line())


def _spaced(chunk: str) -> str:
    for odd, plain in _ODD_SPACES.items():
        chunk = chunk.replace(odd, plain)
    return chunk


def _nested(window: "_Window") -> Iterator[Any | Broken]:
    """The items of the array that `window` stands in, which then stands behind it."""
    last: object = None
    while window.skip_space() and window.text[window.at] != "]":
        try:
            last = window.decode()
        except (ValueError, RecursionError) as error:
            yield Broken(_reason(error), window.line())
            last = _next_like(last, window)
            if last is None:
                return
        yield last
    window.at += 1


def _reason(error: Exception) -> str:
    return f"broken or cut-off JSON: {error.msg}" if isinstance(error, json.JSONDecodeError) else why_no_json(error)


def _next_like(last: object, window: "_Window") -> dict[str, Any] | None:
    """The next item like `last` behind a break, where `window` then stands; None if there is none."""
    key = json.dumps(next(iter(last), "")) if isinstance(last, dict) else window.first_key()
    begin = re.compile(rf",\s*(?=\{{\s*{re.escape(key)}\s*:)")
    for _ in range(MAX_TRIES):
        if not window.find(begin):
            return None
        try:
            item = window.decode()
        except (ValueError, RecursionError):
            continue
        if isinstance(item, dict) and (not isinstance(last, dict) or 2 * len(item.keys() & last.keys()) > len(last)):
            return item
    return None


class _Window:
    """The part of a text that is in memory: it grows at its end, and what lies before `at` is let go."""

    def __init__(self, chunks: Iterator[str], most: int = MAX_ITEM) -> None:
        self._chunks = chunks
        self._most = most
        self._line = 1
        self._counted = 0  # up to here the ends of lines are counted in `_line`
        self.text = next(chunks, "")
        self.at = 0

    def line(self) -> int:
        """The number of the line that `at` is in."""
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def skip_space(self) -> bool:
        """Goes on to what is neither space nor comma; False at the end."""
        while True:
            match = _SPACE.match(self.text, self.at)
            assert match is not None
            self.at = match.end()
            if self.at < len(self.text):
                self._let_go()
                return True
            if not self._grow():
                return False

    def decode(self) -> Any:
        """The value at `at`, and goes behind it; stays where there is none and raises ValueError or RecursionError."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self.text, self.at)
                if end < len(self.text) or isinstance(value, dict | list | str) or not self._grow():
                    self.at = end
                    return value
            except json.JSONDecodeError as error:
                cut_off = error.pos >= len(self.text) - MARGIN or error.msg.startswith("Unterminated string")
                if not cut_off or not self._grow():
                    raise

    def member(self) -> tuple[str, str]:
        """The name of the member of an object at `at`, and the first character of its value, at which it then is."""
        name = self.decode()
        self.skip_space()
        if not isinstance(name, str) or self.text[self.at : self.at + 1] != ":":
            raise ValueError("an object whose member has no name or no value")
        self.at += 1
        self.skip_space()
        return name, self.text[self.at : self.at + 1]

    def first_key(self) -> str:
        """The first key of the object at `at`, in quotes."""
        match = _FIRST_KEY.match(self.text, self.at)
        return match[1] if match else '""'

    def find(self, pattern: re.Pattern[str]) -> bool:
        """Goes behind the next match of `pattern`; False, and to the end, if there is none."""
        while True:
            match = pattern.search(self.text, self.at)
            if match:
                self.at = match.end()
                return True
            self.at = max(self.at, len(self.text) - 2 * MARGIN - 200)
            if not self._grow():
                return False

    def _let_go(self) -> None:
        """Drops what lies before `at` once it is most of the text: a decoder looks through all of it to say where."""
        if self.at > LONG_PAST and 2 * self.at > len(self.text):
            self.line()
            self.text, self.at, self._counted = self.text[self.at :], 0, 0

    def _grow(self) -> bool:
        """Reads on, as much again as is in use, so that a long item is not tried too often; False at the end."""
        kept = self.text[self.at :]
        if len(kept) > self._most:
            raise ValueError(f"an item of more than {self._most >> 20} million characters")
        parts = [kept]
        wanted = max(1, len(kept))
        while wanted > 0 and (chunk := next(self._chunks, "")):
            parts.append(chunk)
            wanted -= len(chunk)
        if len(parts) == 1:
            return False
        self.line()
        self.text, self.at, self._counted = "".join(parts), 0, 0
        return True
