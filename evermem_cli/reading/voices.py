"""Which parts of a message somebody else speaks, by the form of the message.

Two forms are certain whatever the words are: direct speech, whose "I" is whoever is quoted, and the text below a
heading that names a side of a chat, which belongs to that chat.
"""

import re
from collections.abc import Iterator

_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|«[^»]*»|「[^」]*」')
FIRST_PERSON = re.compile(r"\b(?:i|my|mine|me|myself|we|our|ours|us)\b|[我咱]", re.IGNORECASE)
_SIDE = re.compile(r"^[ \t]*#+[ \t]*(?:user|human|assistant|ai|用户|助手)[ \t]*:?[ \t]*$", re.IGNORECASE | re.MULTILINE)


def own_words(text: str) -> str:
    """The text with spaces in place of what somebody else speaks."""
    for start, end in _others(text):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def is_of_another(text: str, start: int, end: int) -> bool:
    """Whether somebody else speaks in a part of a text."""
    return any(start < stop and begin < end for begin, stop in _others(text))


def _others(text: str) -> Iterator[tuple[int, int]]:
    yield from (match.span() for match in _QUOTED.finditer(text) if FIRST_PERSON.search(match[0]))
    if side := _SIDE.search(text):
        yield side.end(), len(text)
