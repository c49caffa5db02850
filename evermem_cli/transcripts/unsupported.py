"""Exports of known apps in unsupported forms, recognised by their beginning, with what to do instead."""

import re
from collections.abc import Iterable

_AS_JSON = "export it again in the format JSON"
PAGES = f"its chats are web pages; {_AS_JSON}"
_BEGINNINGS = (
    (
        re.compile(r'\{"type": "(?:memory|sync)", "'),
        "it is evermem's own; `evermem import` reads exports, and `evermem sync` the files of a shared folder",
    ),
    (re.compile(r"<(?:!doctype html|html)\b", re.IGNORECASE), f"it is a web page; {_AS_JSON} or as text"),
    (re.compile(r"AuthorID,Author,Date,Content\b"), f"it is DiscordChatExporter's CSV; {_AS_JSON}"),
    (re.compile(r"={62}\nGuild: "), f"it is DiscordChatExporter's plain text; {_AS_JSON}"),
    (
        re.compile(r"\d+:\d\d:\d\d\.\d{3},\d+:\d\d:\d\d\.\d{3}\n"),
        "it is captions in SBV; download them as .vtt or .srt",
    ),
)


def instead_of(beginning: str) -> str | None:
    """What to do instead of reading a file with this beginning; None if it is not known to be unsupported."""
    return next((advice for mark, advice in _BEGINNINGS if mark.match(beginning.lstrip())), None)


def instead_of_files(names: Iterable[str]) -> str | None:
    """What to do instead of reading a folder or zip with these files; None if it is not known to be unsupported."""
    suffixes = {name.rpartition(".")[2].lower() for name in names}
    if "zip" in suffixes:
        return "unpack the zip that is in it and name that"
    return PAGES if "html" in suffixes else None
