"""ChatGPT account exports: `conversations.json`, or `conversations-000.json` and so on, a tree of messages per chat.

tests/golden/chatgpt-* show the structures. Custom instructions look like a user's message in every conversation and are
left out.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from pydantic import BaseModel, ValidationError

from evermem_cli.memory import ChatKind, Transcript
from evermem_cli.transcripts.assemble import MACHINERY, Chat, MessageDraft, assemble
from evermem_cli.transcripts.assistants.thread import BRANCHES, visible
from evermem_cli.transcripts.json_values import parse_json
from evermem_cli.transcripts.records import Identifier, Name, first_error
from evermem_cli.transcripts.source import Format, Source, Value
from evermem_cli.transcripts.speakers import is_machinery

HIDDEN = "hidden from the chat"
INSTRUCTIONS = "of custom instructions"
UNKNOWN = "of a kind that is not known"

_SPOKEN = frozenset({"text", "multimodal_text", "code"})
_INSTRUCTIONS = frozenset({"user_editable_context", "model_editable_context"})
_TOOLS = frozenset(
    {"execution_output", "system_error", "tether_quote", "tether_browsing_display", "tether_browsing_code"}
    | {"sonic_webpage", "thoughts", "reasoning_recap", "computer_output", "app_pairing_content"}
    | {"citable_code_output", "computer_initialize_state", "super_widget"}
)
# What the page renders: a source to click on, a picture, a map. Of places and links it shows the name.
_MARK = re.compile("\ue200(?P<kind>[a-z_]*)\ue202?(?P<rest>[^\ue200\ue201]*)\ue201|[\ue200-\ue206]")


class _ChatGptAuthor(BaseModel):
    role: Name = ""


class _Content(BaseModel):
    content_type: Name = "text"
    parts: list[Any] | None = None
    text: Name = ""


class _ChatGptMessage(BaseModel):
    id: Identifier | None = None
    author: _ChatGptAuthor
    create_time: Any = None
    content: _Content | None = None
    weight: float | None = None
    recipient: Name = ""
    channel: Name = ""
    metadata: dict[str, Any] | None = None


class _Node(BaseModel):
    parent: Identifier | None = None
    message: Any = None


class _ChatGptConversation(BaseModel):
    id: Identifier | None = None
    conversation_id: Identifier | None = None
    title: Name = ""
    create_time: Any = None
    current_node: Identifier | None = None
    mapping: dict[str, Any]


def _matches(source: Source) -> bool:
    return any(isinstance(value, dict) and isinstance(value.get("mapping"), dict) for value in source.peek())


def _read(source: Source) -> Iterator[Transcript]:
    """One conversation per item; unusable ones are reported."""
    for item in source.values():
        try:
            conversation = _ChatGptConversation.model_validate(item.value)
        except ValidationError as error:
            source.problem(f"{item.prefix}not a ChatGPT conversation: {first_error(error)}", item.line)
            continue
        chat = Chat(
            "chatgpt",
            key=conversation.conversation_id or conversation.id or None,
            title=conversation.title,
            kind=ChatKind.ASSISTANT,
        )
        chat.drafts = _drafts(conversation, item, source)
        if chat.drafts and not any(draft.stamp for draft in chat.drafts):
            chat.drafts[0].stamp = conversation.create_time or None
        yield from assemble(chat, source)


def _drafts(conversation: _ChatGptConversation, item: Value, source: Source) -> list[MessageDraft]:
    """The messages of the visible branch."""
    nodes = _nodes(conversation, item, source)
    way = visible({name: node.parent for name, node in nodes.items()}, _leaf(conversation, nodes)) if nodes else []
    if way and nodes[way[0]].parent is not None:
        source.problem(f"{item.prefix}message {way[0]}: what it follows is missing; the thread begins here", item.line)
    source.skip(BRANCHES, sum(nodes[name].message is not None for name in nodes.keys() - set(way)))
    drafts = []
    for name in way:
        if nodes[name].message is None:
            continue
        try:
            message = _ChatGptMessage.model_validate(nodes[name].message)
        except ValidationError as error:
            source.problem(f"{item.prefix}message {name}: {first_error(error)}", item.line)
            continue
        if reason := _why_not(message):
            source.skip(reason)
        else:
            drafts.append(_draft(message, name))
    return drafts


def _nodes(conversation: _ChatGptConversation, item: Value, source: Source) -> dict[str, _Node]:
    nodes = {}
    for name, value in conversation.mapping.items():
        try:
            nodes[name] = _Node.model_validate(value)
        except ValidationError as error:
            source.problem(f"{item.prefix}message {name}: {first_error(error)}", item.line)
    return nodes


def _leaf(conversation: _ChatGptConversation, nodes: dict[str, _Node]) -> str:
    """The last visible message: the one that the export names, else the latest one without a successor."""
    if conversation.current_node in nodes:
        return conversation.current_node
    followed = {node.parent for node in nodes.values()}
    leaves = [name for name in nodes if name not in followed] or list(nodes)
    return max(leaves, key=lambda name: _time(nodes[name]))  # the first one of equals, as written


def _time(node: _Node) -> float:
    stamp = node.message.get("create_time") if isinstance(node.message, dict) else None
    return stamp if isinstance(stamp, int | float) else 0.0


def _why_not(message: _ChatGptMessage) -> str | None:
    """Why a message is left out of the conversation; None if it is not."""
    kind = message.content.content_type if message.content else "text"
    if kind in _INSTRUCTIONS:
        return INSTRUCTIONS
    if is_machinery(message.author.role) or kind in _TOOLS or message.recipient not in ("", "all"):
        return MACHINERY
    if kind not in _SPOKEN:
        return UNKNOWN
    if message.weight == 0 or (message.metadata or {}).get("is_visually_hidden_from_conversation"):
        return HIDDEN
    return MACHINERY if message.channel not in ("", "final", "commentary") else None


def _draft(message: _ChatGptMessage, name: str) -> MessageDraft:
    return MessageDraft(
        label=message.author.role or "unknown",
        text=_text(message.content or _Content()),
        stamp=message.create_time or None,
        external_id=message.id or name,
    )


def _text(content: _Content) -> str:
    """The text and transcribed speech, with "[image]" or "[audio]" for other parts, one per line."""
    parts = content.parts or []
    spoken = any(isinstance(part, dict) and part.get("content_type") == "audio_transcription" for part in parts)
    texts = [content.text, *(_part(part, spoken) for part in parts)]
    return _MARK.sub(_shown, "\n".join(filter(None, texts)))


def _shown(mark: re.Match[str]) -> str:
    """The words that the page shows for a mark in the text; "" for a mark without words."""
    if mark["kind"] in ("url", "link_title"):
        return mark["rest"].partition("\ue202")[0]
    if mark["kind"] == "entity":
        with suppress(ValueError):
            match parse_json(mark["rest"]):
                case [_, str(name), *_]:
                    return name
    return ""


def _part(part: object, spoken: bool) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    kind = str(part.get("content_type") or "")
    if kind == "audio_transcription" or "asset_pointer" not in kind:
        text = part.get("text")
        return text if isinstance(text, str) else ""
    return "[image]" if "image" in kind else "" if spoken else "[audio]"


FORMAT = Format(
    "chatgpt",
    "ChatGPT account export: the zip, its folder, or conversations.json",
    "chatgpt.com: Settings, Data controls, Export data; a mail brings the zip, which is read as it is",
    frozenset({".json"}),
    _matches,
    _read,
)
