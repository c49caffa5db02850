"""Sessions of Gemini CLI: `~/.gemini/tmp/<project>/chats/session-….json`, or `.jsonl` in versions since 2026.

Both have the records of the program's source, `chatRecordingService.ts`. In JSON lines the last record of an id counts,
and `$rewindTo` discards a message and all after it. What the program itself, or a hook, tells the model stands in the
user's name, between tags.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ValidationError

from evermem_cli.memory import ChatKind, Transcript
from evermem_cli.transcripts.assemble import MACHINERY, Chat, MessageDraft, assemble
from evermem_cli.transcripts.assistants.thread import BETWEEN_AGENTS, BRANCHES
from evermem_cli.transcripts.records import Identifier, Name, first_error
from evermem_cli.transcripts.source import Format, Source, Value

_SAID_BY = {"user": "user", "gemini": "Gemini"}
_ADDED = re.compile(r"\s*<(session_context|hook_context)>.*?</\1>\s*", re.DOTALL)


class _GeminiCliPart(BaseModel):
    text: str | None = None
    thought: bool | str | None = None


Parts = str | _GeminiCliPart | list[str | _GeminiCliPart]


class _GeminiCliMessage(BaseModel):
    id: Identifier
    timestamp: Any = None
    type: Name = ""
    content: Parts = ""
    displayContent: Parts | None = None  # the typed text, where `content` contains referenced files


@dataclass(slots=True)
class _GeminiCliSession:
    """A session: its metadata, and its messages by id in order, without discarded ones."""

    about: dict[str, Any] = field(default_factory=dict)
    messages: dict[str, tuple[Any, Value]] = field(default_factory=dict)
    taken_back: int = 0

    def add(self, record: dict[str, Any], item: Value) -> None:
        """Adds one record, or a whole session as in older files."""
        if "$rewindTo" in record:
            names = list(self.messages)
            at = names.index(record["$rewindTo"]) if record["$rewindTo"] in names else 0
            for name in names[at:]:
                del self.messages[name]
                self.taken_back += 1
        elif isinstance(record.get("$set"), dict):
            self._set(record["$set"], item)
        elif "id" in record:
            self.messages[str(record["id"])] = record, item
        else:
            self._set(record, item)

    def _set(self, about: dict[str, Any], item: Value) -> None:
        self.about |= about
        messages = about.get("messages")
        for message in messages if isinstance(messages, list) else ():
            self.messages[str(message.get("id") if isinstance(message, dict) else message)] = message, item


def _matches(source: Source) -> bool:
    return any(isinstance(value, dict) and {"sessionId", "projectHash"} <= value.keys() for value in source.peek())


def _read(source: Source) -> Iterator[Transcript]:
    session = _GeminiCliSession()
    for item in source.values():
        if isinstance(item.value, dict):
            session.add(item.value, item)
        else:
            source.problem("not a record of a session: not a JSON object", item.line)
    source.skip(BRANCHES, session.taken_back)
    if session.about.get("kind") == "subagent":
        source.skip(BETWEEN_AGENTS, len(session.messages))
        return
    name, title = session.about.get("sessionId"), session.about.get("summary")
    chat = Chat("gemini-cli", key=str(name) if name else None, kind=ChatKind.ASSISTANT)
    chat.title = title if isinstance(title, str) else ""
    for value, item in session.messages.values():
        try:
            message = _GeminiCliMessage.model_validate(value)
        except ValidationError as error:
            source.problem(f"{item.prefix}{first_error(error)}", item.line)
            continue
        if message.type in _SAID_BY:
            text = _text(message.displayContent or message.content)
            said = _typed(text) if message.type == "user" else text
            chat.drafts.append(
                MessageDraft(_SAID_BY[message.type], said, message.timestamp, None, message.id, item.line)
            )
        else:
            source.skip(MACHINERY)
    yield from assemble(chat, source)


def _text(content: Parts) -> str:
    """The text of the parts, without the model's thoughts and the tools' results."""
    parts = content if isinstance(content, list) else [content]
    texts = (part if isinstance(part, str) else "" if part.thought else part.text or "" for part in parts)
    return "".join(texts)


def _typed(text: str) -> str:
    """What the user typed, without the tags before it."""
    while added := _ADDED.match(text):
        text = text[added.end() :]
    return text


FORMAT = Format(
    "gemini-cli",
    "Gemini CLI session (JSON or JSONL)",
    "evermem ingest ~/.gemini/tmp/*/chats",
    frozenset({".json", ".jsonl"}),
    _matches,
    _read,
)
