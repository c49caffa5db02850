"""Sessions of Claude Code: `~/.claude/projects/*/*.jsonl`, one event per line.

Events name their predecessor. If the user went back and said something else, the earlier branch stays in the file
although the session no longer shows it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ValidationError

from evermem_cli.memory import ChatKind, Transcript
from evermem_cli.transcripts.assemble import MACHINERY, Chat, MessageDraft, assemble
from evermem_cli.transcripts.assistants.thread import BETWEEN_AGENTS, BRANCHES
from evermem_cli.transcripts.records import Content, Identifier, Name, first_error, text_of
from evermem_cli.transcripts.source import Format, Source, Value

AGAIN = "said before in the file"

# Events that name the session, the most reliable last.
_TITLES = {"summary": "summary", "ai-title": "aiTitle", "custom-title": "customTitle"}
_SILENT = frozenset({"system", "progress", "file-history-snapshot", "queue-operation", *_TITLES})
_EVENTS = _SILENT | {"user", "assistant"}
# Of events that do not name their session, what each refers to.
_REFERS = {"summary": "leafUuid", "file-history-snapshot": "messageId"}
_BY_MACHINES = frozenset({"task-notification", "coordinator"})  # prompts that nobody typed
_BEGINNING = ""  # the predecessor of the first prompt
_INSERTED = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
# Text that the program writes in the user's name: commands, their output, and interruptions.
_BY_PROGRAM = re.compile(
    r"\s*(?:<(?:command-(?:name|message|args)|local-command-\w+|bash-(?:input|stdout|stderr)|task-notification)\b"
    r"|Caveat: The messages below were generated|\[Request interrupted by user)"
)


class _ClaudeCodeRemark(BaseModel):
    role: str
    content: Content


class _Origin(BaseModel):
    kind: Name = ""


class _Event(BaseModel):
    type: str
    sessionId: Identifier | None = None
    uuid: Identifier | None = None
    timestamp: Any = None
    isSidechain: bool = False
    isMeta: bool = False
    isCompactSummary: bool = False
    origin: _Origin = _Origin()
    message: _ClaudeCodeRemark


def _matches(source: Source) -> bool:
    return source.is_json_lines and any(
        isinstance(value, dict)
        and (kind := str(value.get("type"))) in _EVENTS
        and ("sessionId" in value or _REFERS.get(kind) in value)
        for value in source.peek()
    )


def _read(source: Source) -> Iterator[Transcript]:
    """One conversation per session, without messages between tools and agents and without discarded branches."""
    chats: dict[str | None, Chat] = {}
    seen: set[tuple[str | None, str]] = set()
    order = _Order()
    titles: dict[str, str] = {}
    silent = 0
    for item in source.values():
        event = item.value if isinstance(item.value, dict) else {}
        order.add(event)
        kind = str(event.get("type"))
        if isinstance(title := event.get(_TITLES.get(kind, "")), str):
            titles[kind] = title
        silent += kind in _SILENT
        if kind in ("user", "assistant") and (said := _event(item, source)):
            if said.uuid and (said.sessionId, said.uuid) in seen:
                source.skip(AGAIN)
                continue
            seen.add((said.sessionId, said.uuid or ""))
            chat = chats.setdefault(
                said.sessionId, Chat("claude-code", key=said.sessionId or None, kind=ChatKind.ASSISTANT)
            )
            chat.drafts.append(_draft(said, item))
        elif not isinstance(item.value, dict):
            source.problem("not an event of a session: not a JSON object", item.line)
    source.skip(MACHINERY, silent * (not chats))
    for chat in chats.values():
        chat.title = next((titles[kind] for kind in reversed(_TITLES) if titles.get(kind)), "")
        shown = order.shown(chat.drafts)
        source.skip(BRANCHES, len(chat.drafts) - len(shown))
        chat.drafts = shown
        yield from assemble(chat, source)


@dataclass(slots=True)
class _Order:
    """The predecessors of all events of a file: which have none, and which are steps of the conversation, by id."""

    parents: dict[str, str] = field(default_factory=dict)
    first: set[str] = field(default_factory=set)
    steps: set[str] = field(default_factory=set)

    def add(self, event: dict[str, Any]) -> None:
        """Adds one event; the first of an id counts."""
        name, parent = event.get("uuid"), event.get("parentUuid") or event.get("logicalParentUuid")
        if isinstance(name, str) and isinstance(parent, str):
            self.parents.setdefault(name, parent)
        elif isinstance(name, str) and "parentUuid" in event and parent is None:
            self.first.add(name)
        if isinstance(name, str) and event.get("type") in ("user", "assistant"):
            self.steps.add(name)

    def shown(self, drafts: Sequence[MessageDraft]) -> list[MessageDraft]:
        """The events without discarded branches: of prompts after the same step only the last one and its successors.

        A prompt whose predecessor is unknown is kept, since continued sessions begin with one. So is a first prompt
        without successors, since other programs write sessions without predecessors.
        """
        last: dict[str, str] = {}
        taken_back: set[str] = set()
        followed = set(self.parents.values())
        for draft in drafts:
            name = draft.external_id if draft.label == "user" else None
            step = self._step_before(name) if name else None
            if name and step is not None:
                if step in last and (step != _BEGINNING or last[step] in followed):
                    taken_back.add(last[step])
                last[step] = name
        hidden = self._with_all_that_follows(taken_back)
        return [draft for draft in drafts if draft.external_id not in hidden]

    def _step_before(self, name: str) -> str | None:
        """The step before an event, skipping other events; None where it is missing or the links form a circle."""
        passed: set[str] = set()
        at: str | None = name
        while at is not None and at not in passed:
            if at in self.first:
                return _BEGINNING
            passed.add(at)
            at = self.parents.get(at)
            if at in self.steps:
                return at
        return None

    def _with_all_that_follows(self, names: set[str]) -> set[str]:
        followers: dict[str, list[str]] = {}
        for name, parent in self.parents.items():
            followers.setdefault(parent, []).append(name)
        following: set[str] = set()
        waiting = list(names)
        while waiting:
            if (name := waiting.pop()) not in following:
                following.add(name)
                waiting += followers.get(name, [])
        return following


def _event(item: Value, source: Source) -> _Event | None:
    """The message of an event; None where it has none, which is counted, or is unusable, which is reported."""
    try:
        event = _Event.model_validate(item.value)
    except ValidationError as error:
        source.problem(f"{first_error(error)}", item.line)
        return None
    if event.isSidechain:
        source.skip(BETWEEN_AGENTS)
    elif event.isMeta or event.isCompactSummary or event.origin.kind in _BY_MACHINES or not _text(event).strip():
        source.skip(MACHINERY)
    else:
        return event
    return None


def _text(event: _Event) -> str:
    text = _INSERTED.sub("", text_of(event.message.content))
    return "" if event.type == "user" and _BY_PROGRAM.match(text) else text


def _draft(event: _Event, item: Value) -> MessageDraft:
    return MessageDraft(event.type, _text(event), event.timestamp, None, event.uuid or None, item.line)


FORMAT = Format(
    "claude-code",
    "Claude Code session (JSONL)",
    "evermem ingest ~/.claude/projects",
    frozenset({".jsonl"}),
    _matches,
    _read,
)
