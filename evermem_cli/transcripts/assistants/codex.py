"""Sessions of Codex: `~/.codex/sessions/2026/02/14/rollout-….jsonl`, one event per line.

The user's prompts are in events of their own. The messages to the model also contain instructions, files and the
machine's state in the user's name. Sessions of the first versions have only these messages.
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

_EVENTS = {"user_message": "user", "agent_message": "assistant"}
_ITEMS = {"UserMessage": "user", "AgentMessage": "assistant"}
# Sessions without a person: those started by agents, and reviews of other sessions.
_BY_AGENTS = frozenset({"subagent", "internal"})
_THREADS_OF_AGENTS = frozenset({"subagent", "guardian_review", "memory_consolidation"})
# Text that the program writes in the user's name: instructions, the machine's state, and open files.
_BY_PROGRAM = re.compile(r"\s*(?:<[a-z_]+[ >]|<INSTRUCTIONS>|# \S+ instructions for )")
_EDITOR = re.compile(r"\A\s*# Context from my IDE setup:.*?^## My request for Codex:\s*$\s*", re.DOTALL | re.MULTILINE)


class _CodexMessage(BaseModel):
    id: Identifier | None = None
    role: Name = ""
    content: Content = ""
    message: Name = ""


@dataclass(slots=True)
class _CodexSession:
    """A session from its lines: the text in events, and in messages to and from the model."""

    id: str = ""
    by_agents: bool = False
    events: list[MessageDraft] = field(default_factory=list)
    messages: list[MessageDraft] = field(default_factory=list)


def _matches(source: Source) -> bool:
    return source.is_json_lines and any(isinstance(value, dict) and _begins(value) for value in source.peek())


def _begins(value: dict[str, Any]) -> bool:
    """Whether this is the first line of a session, of current versions or the first ones."""
    if value.get("type") == "session_meta":
        return isinstance(value.get("payload"), dict)
    return {"id", "timestamp", "instructions"} <= value.keys()


def _read(source: Source) -> Iterator[Transcript]:
    session = _CodexSession()
    for item in source.values():
        if not isinstance(item.value, dict):
            source.problem("not an event of a session: not a JSON object", item.line)
            continue
        try:
            _add(item.value, item, session)
        except ValidationError as error:
            source.problem(first_error(error), item.line)
    drafts = _typed(session)
    if session.by_agents:
        source.skip(BETWEEN_AGENTS, len(drafts))
        drafts = []
    said = [draft for draft in drafts if not (draft.label == "user" and _BY_PROGRAM.match(draft.text))]
    source.skip(MACHINERY, len(drafts) - len(said))
    shown = [draft for draft in said if draft.text]
    source.skip(BRANCHES, len(said) - len(shown))
    yield from assemble(Chat("codex", shown, key=session.id or None, kind=ChatKind.ASSISTANT), source)


def _add(value: dict[str, Any], item: Value, session: _CodexSession) -> None:
    """Adds one line."""
    kind, stamp = value.get("type"), value.get("timestamp")
    payload = value["payload"] if isinstance(value.get("payload"), dict) else value
    event = str(payload.get("type"))
    if kind == "session_meta" or _begins(value):
        session.id = session.id or str(payload.get("id") or "")
        source = payload.get("source")
        of_agents = str(payload.get("thread_source")) in _THREADS_OF_AGENTS
        session.by_agents |= of_agents or (isinstance(source, dict) and bool(source.keys() & _BY_AGENTS))
    elif kind == "event_msg" and event == "thread_rolled_back":
        for drafts in (session.events, session.messages):
            _take_back(drafts, payload.get("num_turns"))
    elif kind == "event_msg" and event in _EVENTS:
        said = _CodexMessage.model_validate(payload)
        session.events.append(_draft(_EVENTS[event], said.message, stamp, None, item))
    elif kind == "event_msg" and event == "item_completed" and isinstance(payload.get("item"), dict):
        if (role := _ITEMS.get(str(payload["item"].get("type")))) is not None:
            said = _CodexMessage.model_validate(payload["item"])
            session.events.append(_draft(role, _joined(said), stamp, said.id, item))
    elif kind in ("response_item", "message") and event == "message":
        said = _CodexMessage.model_validate(payload)
        session.messages.append(_draft(said.role, text_of(said.content), stamp, said.id, item))


def _joined(said: _CodexMessage) -> str:
    """The text of a message in several parts, without pictures."""
    parts = said.content if isinstance(said.content, list) else [said.content]
    return "".join(part if isinstance(part, str) else part.text or "" for part in parts)


def _draft(role: str, text: str, stamp: Any, name: str | None, item: Value) -> MessageDraft:
    return MessageDraft(role, _EDITOR.sub("", text) if role == "user" else text, stamp, None, name or None, item.line)


def _take_back(drafts: list[MessageDraft], turns: object) -> None:
    """Discards everything from the prompt `turns` before the end, which the session no longer shows."""
    left = turns if isinstance(turns, int) else 0
    for draft in reversed(drafts):
        if left <= 0:
            return
        if draft.text and draft.label == "user":
            left -= 1
        draft.text = ""


def _typed(session: _CodexSession) -> Sequence[MessageDraft]:
    """Each text once: from events, or from messages where a side has no events."""
    sides = {draft.label for draft in session.events}
    drafts = [*session.events, *(draft for draft in session.messages if draft.label not in sides)]
    return sorted(drafts, key=lambda draft: draft.line or 0)


FORMAT = Format(
    "codex",
    "Codex session (JSONL)",
    "evermem ingest ~/.codex/sessions",
    frozenset({".jsonl"}),
    _matches,
    _read,
)
