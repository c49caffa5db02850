"""Chats of Cursor: its database `state.vscdb`, and its agents' transcripts, `agent-transcripts/<id>/<id>.jsonl`.

The database has a record per chat that lists its messages in order, and a record per message. Transcripts have no ids
of messages, and the question with its time is between tags, beside additions of the editor. A chat may be in both: its
id is the same, and a message is known by its first words.
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from evermem_cli.memory import ChatKind, Transcript, content_id
from evermem_cli.transcripts.assemble import MACHINERY, Chat, MessageDraft, assemble
from evermem_cli.transcripts.assistants.thread import BETWEEN_AGENTS
from evermem_cli.transcripts.databases import Database
from evermem_cli.transcripts.records import Content, Identifier, Name, first_error, text_of
from evermem_cli.transcripts.source import Format, Source

REDACTED = "[REDACTED]"  # stands for a model's thoughts
_BEGINNING = 48  # characters by which a message is known

_ROLES = {1: "user", 2: "assistant"}
_ASKED = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
_ASKED_AT = re.compile(r"<timestamp>\s*(.*?)\s*</timestamp>", re.DOTALL)
_ADDED = re.compile(r"<([a-z_]+)(?: [^<>]*)?>.*?</\1>\s*", re.DOTALL)


class _CursorRemark(BaseModel):
    content: Content = ""


class _Line(BaseModel):
    role: Name
    message: _CursorRemark


class _Bubble(BaseModel):
    type: int
    text: Name = ""
    createdAt: Any = None


class _Composer(BaseModel):
    composerId: Identifier
    name: Name = ""
    createdAt: Any = None
    subagentInfo: Any = None
    conversation: list[Any] = []


def _matches(source: Source) -> bool:
    return any(isinstance(value, dict) and (_is_line(value) or _is_chat(value)) for value in source.peek())


def _is_line(value: dict[str, Any]) -> bool:
    message = value.get("message")
    return value.get("role") in _ROLES.values() and isinstance(message, dict) and "content" in message


def _is_chat(value: dict[str, Any]) -> bool:
    return "composerId" in value and isinstance(value.get("conversation"), list)


def _read(source: Source) -> Iterator[Transcript]:
    name = source.path.stem if source.path else None
    lines = Chat("cursor", key=name, kind=ChatKind.ASSISTANT)
    for item in source.values():
        try:
            if isinstance(item.value, dict) and _is_chat(item.value):
                yield from _chat(_Composer.model_validate(item.value), source)
            elif isinstance(item.value, dict) and "role" in item.value:
                lines.drafts += _said(_Line.model_validate(item.value), item.line)
            else:
                source.skip(MACHINERY)
        except ValidationError as error:
            source.problem(f"{item.prefix}{first_error(error)}", item.line)
    yield from assemble(_identified(lines), source)


def _said(said: _Line, line: int | None) -> list[MessageDraft]:
    """The messages of a line: the question, where tags mark it, or the answers between calls of tools."""
    content = said.message.content
    if said.role != "user":
        blocks = [content] if isinstance(content, str) else [text_of([block]) for block in content]
        texts = [block.strip().removesuffix(REDACTED) for block in blocks]
        return [MessageDraft(said.role, text, line=line) for text in filter(str.strip, texts)] or [
            MessageDraft(said.role, "", line=line)
        ]
    text = text_of(content)
    asked = _ASKED.findall(text)
    stamp = next(iter(_ASKED_AT.findall(text)), None)
    return [MessageDraft(said.role, "\n".join(asked) if asked else _ADDED.sub("", text), stamp, line=line)]


def _identified(chat: Chat) -> Chat:
    """The chat with ids that are the same in the database and in a transcript, and while an answer grows."""
    seen: Counter[tuple[str, str]] = Counter()
    for draft in chat.drafts:
        words = draft.label, " ".join(draft.text.split())[:_BEGINNING]
        seen[words] += 1
        draft.external_id = content_id("cursor", *words, str(seen[words]))
    return chat


def _chat(composer: _Composer, source: Source) -> Iterator[Transcript]:
    chat = Chat("cursor", key=composer.composerId, title=composer.name, kind=ChatKind.ASSISTANT)
    for number, value in enumerate(composer.conversation, 1):
        try:
            bubble = _Bubble.model_validate(value)
        except ValidationError as error:
            source.problem(f"chat {composer.composerId}, message {number}: {first_error(error)}")
            continue
        label = _ROLES.get(bubble.type)
        if composer.subagentInfo is not None:
            source.skip(BETWEEN_AGENTS)
        elif label is None or not bubble.text.strip():  # steps of tools have no text
            source.skip(MACHINERY)
        else:
            chat.drafts.append(MessageDraft(label, bubble.text, bubble.createdAt))
    if chat.drafts and not any(draft.stamp for draft in chat.drafts):
        chat.drafts[0].stamp = composer.createdAt
    yield from assemble(_identified(chat), source)


def _sessions(database: sqlite3.Connection) -> Iterator[str]:
    """Each chat of the database as JSON, with its messages in the order of the chat's list."""
    rows = database.execute(
        "select value from cursorDiskKV where key >= 'composerData:' and key < 'composerData;' order by key"
    )
    for (value,) in rows:
        chat = _json(value)
        headers = chat.get("fullConversationHeadersOnly")
        if isinstance(headers, list) and headers:
            names = (str(header.get("bubbleId")) for header in headers if isinstance(header, dict))
            keys = (f"bubbleId:{chat.get('composerId')}:{name}" for name in names)
            values = (
                database.execute("select value from cursorDiskKV where key = ?", [key]).fetchone() for key in keys
            )
            chat["conversation"] = [_json(row[0]) for row in values if row]
        if isinstance(chat.get("conversation"), list) and chat["conversation"]:
            yield json.dumps({name: chat.get(name) for name in _Composer.model_fields})


def _json(value: object) -> dict[str, Any]:
    """The JSON object in a value of the database; {} where it is not one."""
    try:
        parsed = json.loads(value) if isinstance(value, str | bytes) else None
    except (ValueError, RecursionError):
        parsed = None
    return parsed if isinstance(parsed, dict) else {}


FORMAT = Format(
    "cursor",
    "Cursor: state.vscdb, or the transcripts of its agents",
    "evermem ingest ~/.config/Cursor/User/globalStorage/state.vscdb (macOS: below ~/Library/Application Support)",
    frozenset({".vscdb", ".jsonl"}),
    _matches,
    _read,
)
DATABASE = Database(FORMAT, frozenset({"cursorDiskKV"}), _sessions)
