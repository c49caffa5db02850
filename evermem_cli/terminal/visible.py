"""Makes text safe to print: escapes characters that control a terminal, or hide or reverse the text beside them."""

import json
import re
from typing import Any

# Control characters except tab and newline; invisible characters (soft hyphen, fillers, zero-width space, tags); marks
# of direction; line separators; lone surrogates, which no encoding can print. A single joiner or variation selector
# shapes its neighbour and is allowed; several in a row can hide text.
_HIDDEN = re.compile(
    "(?P<flag>\U0001f3f4\U000e0067\U000e0062[\U000e0061-\U000e007a]{3}\U000e007f)"  # flags of England, Scotland, Wales
    "|[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
    "|(?<=[\u200c\u200d])[\u200c\u200d]"
    "|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
_HALVES = re.compile("[\ud800-\udfff]")
_LAYOUT = re.compile("[\t\n]")


def visible(text: str) -> str:
    r"""`text` with an escape such as "\x1b" for each invisible character; tabs and newlines stay."""
    return _HIDDEN.sub(_escape, text)


def one_line(text: str) -> str:
    """`text` as `visible` returns it, with tabs and newlines escaped too, for names and titles."""
    return _LAYOUT.sub(_escape, visible(text))


def is_text(text: str) -> bool:
    """Whether `text` can be stored and embedded. Python decodes invalid UTF-8 arguments to lone surrogates."""
    return not _HALVES.search(text)


def whole(text: str) -> str:
    """`text` with U+FFFD in place of lone surrogates."""
    return _HALVES.sub("\ufffd", text)


def json_line(document: Any, *, ascii_only: bool = False) -> str:
    """`document` as one line of JSON, with invisible characters escaped so that it can be parsed back unchanged."""
    return _HIDDEN.sub(_json_escape, json.dumps(document, ensure_ascii=ascii_only))


def _escape(match: re.Match[str]) -> str:
    return match[0] if _is_flag(match) else match[0].encode("unicode_escape").decode("ascii")


def _json_escape(match: re.Match[str]) -> str:
    return match[0] if _is_flag(match) else json.dumps(match[0])[1:-1]


def _is_flag(match: re.Match[str]) -> bool:
    return bool(match.groupdict().get("flag"))
