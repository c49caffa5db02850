"""Exports of known apps in a shape that is not read: what to do instead, by how they begin."""

import re
from collections.abc import Iterable

_AS_JSON = "export it again in the format JSON"
_PAGES = f"its chats are web pages; {_AS_JSON}"
_BEGINNINGS = (
    (re.compile(r"<(?:!doctype html|html)\b", re.IGNORECASE), f"it is a web page; {_AS_JSON} or as text"),
    (re.compile(r"AuthorID,Author,Date,Content\b"), f"it is DiscordChatExporter's CSV; {_AS_JSON}"),
    (re.compile(r"={62}\nGuild: "), f"it is DiscordChatExporter's plain text; {_AS_JSON}"),
    (
        re.compile(r"\d+:\d\d:\d\d\.\d{3},\d+:\d\d:\d\d\.\d{3}\n"),
        "it is captions in SBV; download them as .vtt or .srt",
    ),
)


def instead_of(beginning: str) -> str | None:
    """What to do instead of reading a file that begins so; None if that is no known mistake."""
    return next((advice for mark, advice in _BEGINNINGS if mark.match(beginning.lstrip())), None)


def instead_of_files(names: Iterable[str]) -> str | None:
    """What to do instead of reading a folder or zip with files of these names; None if that is no known mistake."""
    suffixes = {name.rpartition(".")[2].lower() for name in names}
    if "zip" in suffixes:
        return "unpack the zip that is in it and name that"
    return _PAGES if "html" in suffixes else None
