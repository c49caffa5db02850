"""Text as it may be printed: what steers a terminal, or hides or turns round what is beside it, is shown escaped."""

import json
import re
from typing import Any

# Controls but the layout of tab and newline; what is drawn as nothing (soft hyphen, fillers, zero-width space, tags);
# marks, overrides and isolates of direction; line separators; halves of surrogate pairs, which no encoding can print.
# Joiners and variation selectors belong to scripts and emoji: one shapes its neighbour, a row of them hides text.
_HIDDEN = re.compile(
    "(?P<flag>\U0001f3f4\U000e0067\U000e0062[\U000e0061-\U000e007a]{3}\U000e007f)"  # of England, Scotland, Wales
    "|[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
    "|(?<=[\u200c\u200d])[\u200c\u200d]"
    "|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
_HALVES = re.compile("[\ud800-\udfff]")
_LAYOUT = re.compile("[\t\n]")


def visible(text: str) -> str:
    r"""`text` with an escape, as "\x1b", for each character that would not be seen; tabs and newlines stay."""
    return _HIDDEN.sub(_escape, text)


def one_line(text: str) -> str:
    """The same of what must not begin a line of its own, as a name or a title."""
    return _LAYOUT.sub(_escape, visible(text))


def is_text(text: str) -> bool:
    """Whether `text` can be stored and embedded: bytes that are not UTF-8 come as halves of surrogate pairs."""
    return not _HALVES.search(text)


def whole(text: str) -> str:
    """`text` with U+FFFD for what is none."""
    return _HALVES.sub("\ufffd", text)


def json_line(document: Any, *, ascii_only: bool = False) -> str:
    """`document` as JSON on one line, in which nothing is hidden and everything can be read back."""
    return _HIDDEN.sub(_json_escape, json.dumps(document, ensure_ascii=ascii_only))


def _escape(match: re.Match[str]) -> str:
    return match[0] if _is_flag(match) else match[0].encode("unicode_escape").decode("ascii")


def _json_escape(match: re.Match[str]) -> str:
    return match[0] if _is_flag(match) else json.dumps(match[0])[1:-1]


def _is_flag(match: re.Match[str]) -> bool:
    return bool(match.groupdict().get("flag"))
