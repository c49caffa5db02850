"""How many messages there are in an export of known shape, counted without the parsers: none may go silently."""

import json
from collections.abc import Iterator
from typing import Any

from evermem_cli.transcripts.cleaning import clean


def sizes(form: str, data: bytes) -> list[int] | None:
    """The number of messages of each part that one report may be of; None where that is not known."""
    try:
        text = clean(data.decode("utf-8-sig"))
    except UnicodeError:
        return None
    try:
        values = [json.loads(text, strict=False)]
    except (ValueError, RecursionError):
        try:
            values = [json.loads(line, strict=False) for line in text.split("\n") if line.strip()]
        except (ValueError, RecursionError):
            return None
    if len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    counting = _COUNTING.get(form)
    return None if counting is None else list(counting(values))


def _chatgpt(values: list[Any]) -> Iterator[int]:
    for each in values:
        nodes = each.get("mapping") if isinstance(each, dict) else None
        if isinstance(nodes, dict):
            yield sum(isinstance(node, dict) and node.get("message") is not None for node in nodes.values())
        else:
            yield 1


def _lists(key: str, values: list[Any]) -> Iterator[int]:
    for each in values:
        messages = each.get(key) if isinstance(each, dict) else None
        yield len(messages) if isinstance(messages, list) else 1


def _telegram(values: list[Any]) -> Iterator[int]:
    for each in values:
        if isinstance(each, dict) and isinstance(each.get("messages"), list):
            yield len(each["messages"])
        elif isinstance(each, dict):
            lists = [each[name].get("list") for name in ("chats", "left_chats") if isinstance(each.get(name), dict)]
            for chats in lists:
                yield from _lists("messages", chats if isinstance(chats, list) else [])


def _one_by_one(values: list[Any]) -> Iterator[int]:
    yield from (1 for _ in values)


def _document(key: str) -> Any:
    """One list in one document: each report is of one of its messages."""
    return lambda values: [1] * sum(_lists(key, values)) if len(values) == 1 else [10**9]


def _jsonl(values: list[Any]) -> Iterator[int]:
    for each in values:
        lists = [each.get(key) for key in ("messages", "conversations")] if isinstance(each, dict) else [each]
        yield next((len(found) for found in lists if isinstance(found, list)), 1)


def _claude_code(values: list[Any]) -> Iterator[int]:
    yield from (1 for each in values if isinstance(each, dict) and each.get("type") in ("user", "assistant"))


_COUNTING: dict[str, Any] = {
    "chatgpt": _chatgpt,
    "claude": lambda values: _lists("chat_messages", values),
    "telegram": _telegram,
    "discord": _document("messages"),
    "messenger": _document("messages"),
    "evermemos": _document("conversation_list"),
    "jsonl": _jsonl,
    "slack": _one_by_one,
    "claude-code": _claude_code,
}
