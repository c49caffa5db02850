"""Sessions of Claude Code: `~/.claude/projects/*/*.jsonl`, an event per line."""

import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from evermem_cli.memory import ChatKind, Transcript
from evermem_cli.transcripts.assemble import MACHINERY, Chat, Draft, transcripts
from evermem_cli.transcripts.records import Content, Identifier, first_error, text_of
from evermem_cli.transcripts.source import Format, Source, Value

SIDE = "between agents"
AGAIN = "said before in the file"

_EVENTS = frozenset({"user", "assistant", "system", "progress", "summary", "file-history-snapshot", "queue-operation"})
_INSERTED = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
# What the program writes in the user's name: commands, their output, and that a reply was stopped.
_BY_PROGRAM = re.compile(
    r"\s*(?:<(?:command-(?:name|message|args)|local-command-\w+|bash-(?:input|stdout|stderr)|task-notification)\b"
    r"|Caveat: The messages below were generated|\[Request interrupted by user)"
)


class _Said(BaseModel):
    role: str
    content: Content


class _Event(BaseModel):
    type: str
    sessionId: Identifier | None = None
    uuid: Identifier | None = None
    timestamp: Any = None
    isSidechain: bool = False
    isMeta: bool = False
    isCompactSummary: bool = False
    message: _Said


def _matches(source: Source) -> bool:
    return source.is_json_lines and any(
        isinstance(value, dict) and "sessionId" in value and str(value.get("type")) in _EVENTS
        for value in source.peek()
    )


def _read(source: Source) -> Iterator[Transcript]:
    """A conversation per session; what tools and agents say to each other is skipped."""
    chats: dict[str | None, Chat] = {}
    seen: set[tuple[str | None, str]] = set()
    title = ""
    for item in source.values():
        event = item.value if isinstance(item.value, dict) else {}
        if event.get("type") == "summary" and isinstance(event.get("summary"), str):
            title = event["summary"]
        if event.get("type") in ("user", "assistant") and (said := _event(item, source)):
            if said.uuid and (said.sessionId, said.uuid) in seen:
                source.skip(AGAIN)
                continue
            seen.add((said.sessionId, said.uuid or ""))
            chat = chats.setdefault(
                said.sessionId, Chat("claude-code", key=said.sessionId or None, kind=ChatKind.ASSISTANT)
            )
            chat.drafts.append(_draft(said, item))
        elif not isinstance(item.value, dict):
            source.problem("no event of a session: not a JSON object", item.line)
    for chat in chats.values():
        chat.title = title
        yield from transcripts(chat, source)


def _event(item: Value, source: Source) -> _Event | None:
    """What somebody says; None if nobody does, which is counted, or if it is unusable, which is reported."""
    try:
        event = _Event.model_validate(item.value)
    except ValidationError as error:
        source.problem(f"{first_error(error)}", item.line)
        return None
    if event.isSidechain:
        source.skip(SIDE)
    elif event.isMeta or event.isCompactSummary or not _text(event).strip():
        source.skip(MACHINERY)
    else:
        return event
    return None


def _text(event: _Event) -> str:
    text = _INSERTED.sub("", text_of(event.message.content))
    return "" if event.type == "user" and _BY_PROGRAM.match(text) else text


def _draft(event: _Event, item: Value) -> Draft:
    return Draft(event.type, _text(event), event.timestamp, None, event.uuid or None, item.line)


FORMAT = Format(
    "claude-code",
    "Claude Code session (JSONL)",
    "evermem ingest ~/.claude/projects",
    frozenset({".jsonl"}),
    _matches,
    _read,
)
