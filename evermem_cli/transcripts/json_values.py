"""Incremental JSON parsing: one value, or the items of arrays one by one, however long or damaged they are."""

import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any

CHUNK = 1 << 20  # characters read at once
# maximum characters of one item; a conversation has fewer, and an unterminated array would fill the memory
MAX_ITEM = 1 << 26
MAX_TRIES = 1000  # positions after an error at which the next item is tried
LONG_PAST = 1 << 16  # characters behind the position, from which on they may be dropped
MARGIN = 16  # characters before the end of a text in which an error may be due to missing input

_SPACE = re.compile(r"[\s,]*")
_HEX_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\x([0-9A-Fa-f]{2})")
# Characters between values that JSON does not allow. Strings are cleaned of them later.
_CONTROLS = "".join(chr(code) for code in (*range(9), *range(14, 32), *range(127, 160)) if code != ord("\u0085"))
_ODD_SPACES = (
    dict.fromkeys("\u00a0\u202f\u2009", " ")
    | dict.fromkeys("\v\f\u0085\u2028\u2029", "\n")
    | dict.fromkeys(f"\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff{_CONTROLS}", "")
)
_ODD = re.compile(f"[{re.escape(''.join(_ODD_SPACES))}]")
_FIRST_KEY = re.compile(r'\{\s*("(?:[^"\\]|\\.){0,200}")\s*:')

# Control characters are allowed in strings, which are cleaned later.
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class Broken:
    """A damaged part of an array; `line`, where it begins, counts from 1. The array is read on behind it, if at all."""

    reason: str
    line: int
    is_last: bool = False

    def __str__(self) -> str:
        return f"{self.reason}; {'nothing behind it' if self.is_last else 'the next'} is read"


def parse_json(text: str) -> Any:
    r"""The value of `text`. Raises ValueError or, for endless nesting, RecursionError.

    Telegram writes control characters as "\x0B", which JSON does not allow; they are accepted too.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError:
        repaired = _HEX_ESCAPE.sub(r"\1\\u00\2", text)
        if repaired == text:
            raise
        return _DECODER.decode(repaired)


def why_no_json(error: Exception) -> str:
    """Why `parse_json` raised `error`, on one line without the line number."""
    if isinstance(error, json.JSONDecodeError):
        return f"broken or cut-off JSON: {error.msg} at column {error.colno}"
    return f"JSON that cannot be read: {error}"


def array_items(chunks: Iterator[str]) -> Iterator[Any | Broken]:
    """The items of the array in `chunks`, with one item in memory at a time.

    After a damaged part the array continues with the next item that resembles the one before: it begins with the same
    key and shares most keys. (ijson, a well-maintained streaming parser, took 1.7 times as long and stops at damage.)
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
            reason = "broken JSON: the list ends, the file does not"
            if window.text[window.at] == "{":
                yield Broken(reason, line)
                continue
        else:
            try:
                last = window.decode()
                yield last
                continue
            except (ValueError, RecursionError) as error:
                reason, line = _reason(error), window.line()
        item = _next_like(last, window)
        yield Broken(reason, line, is_last=item is None)
        if item is None:
            return
        last = item
        yield item
    yield Broken("cut-off JSON: the list has no end", window.line(), is_last=True)


def listed_items(chunks: Iterator[str], names: frozenset[str], most: int) -> Iterator[Any | Broken]:
    r"""The items of `list` in each member called one of `names` of the object in `chunks`.

    One item of at most `most` characters is in memory at a time. No chunk may end within a "\x0B" (`parse_json`).
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
                if begin == "[" and not (yield from _nested(window)):
                    return
            else:
                window.decode()
        except (ValueError, RecursionError) as error:
            yield Broken(_reason(error), window.line(), is_last=True)
            return
    if depth:
        yield Broken("cut-off JSON: the file ends too early", window.line(), is_last=True)


def _spaced(chunk: str) -> str:
    return _ODD.sub(lambda odd: _ODD_SPACES[odd[0]], chunk)


def _nested(window: "_Window") -> Generator[Any | Broken, None, bool]:
    """The items of the array at the position of `window`, which moves behind it; False where it is read to no end."""
    last: object = None
    while window.skip_space() and window.text[window.at] != "]":
        try:
            last = window.decode()
        except (ValueError, RecursionError) as error:
            reason, line = _reason(error), window.line()
            last = _next_like(last, window)
            yield Broken(reason, line, is_last=last is None)
            if last is None:
                return False
        yield last
    window.at += 1
    return True


def _reason(error: Exception) -> str:
    return f"broken or cut-off JSON: {error.msg}" if isinstance(error, json.JSONDecodeError) else why_no_json(error)


def _next_like(last: object, window: "_Window") -> dict[str, Any] | None:
    """The next item like `last` after an error, with `window` moved to it; None if there is none."""
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
    """The part of a text that is in memory: it grows at the end, and what is before `at` is dropped."""

    def __init__(self, chunks: Iterator[str], most: int = MAX_ITEM) -> None:
        self._chunks = chunks
        self._most = most
        self._line = 1
        self._counted = 0  # line ends are counted in `_line` up to here
        self.text = next(chunks, "")
        self.at = 0

    def line(self) -> int:
        """The number of the line at the position."""
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def skip_space(self) -> bool:
        """Moves to the next character that is neither space nor comma; False at the end."""
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
        """The value at the position, which moves behind it.

        Stays and raises ValueError or RecursionError on an error.
        """
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
        """The name of the member at the position and the first character of its value, to which the position moves."""
        name = self.decode()
        self.skip_space()
        if not isinstance(name, str) or self.text[self.at : self.at + 1] != ":":
            raise ValueError("an object whose member has no name or no value")
        self.at += 1
        self.skip_space()
        return name, self.text[self.at : self.at + 1]

    def first_key(self) -> str:
        """The first key of the object at the position, in quotes."""
        match = _FIRST_KEY.match(self.text, self.at)
        return match[1] if match else '""'

    def find(self, pattern: re.Pattern[str]) -> bool:
        """Moves behind the next match of `pattern`; moves to the end and returns False if there is none."""
        while True:
            match = pattern.search(self.text, self.at)
            if match:
                self.at = match.end()
                return True
            self.at = max(self.at, len(self.text) - 2 * MARGIN - 200)
            if not self._grow():
                return False

    def _let_go(self) -> None:
        """Drops what is before the position once that is most of the text, since locating errors scans all of it."""
        if self.at > LONG_PAST and 2 * self.at > len(self.text):
            self.line()
            self.text, self.at, self._counted = self.text[self.at :], 0, 0

    def _grow(self) -> bool:
        """Reads as much again as is in use, so that a long item is not tried too often; False at the end."""
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
