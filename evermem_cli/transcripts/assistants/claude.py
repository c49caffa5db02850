"""Claude account exports: `conversations.json`, and files of single conversations, with `chat_messages` in each."""

import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from evermem_cli.memory import ChatKind, Transcript
from evermem_cli.transcripts.assemble import Chat, MessageDraft, assemble
from evermem_cli.transcripts.assistants.thread import BRANCHES, visible
from evermem_cli.transcripts.records import Content, Identifier, Name, first_error, text_of
from evermem_cli.transcripts.source import Format, Source, Value

# In exports of 2024, attached documents and the model's thoughts are in the text, in tags that the app does not show.
_ASIDE = re.compile(r"<antThinking>.*?</antThinking>\s*", re.DOTALL)
_FRAME = re.compile(r"</?antArtifact\b[^<>]*>\n?")


class _ClaudeMessage(BaseModel):
    uuid: Identifier | None = None
    parent_message_uuid: Identifier | None = None
    sender: Name = ""
    text: Name = ""
    content: Content | None = None
    created_at: Any = None


class _ClaudeConversation(BaseModel):
    uuid: Identifier | None = None
    name: Name = ""
    created_at: Any = None
    current_leaf_message_uuid: Identifier | None = None
    chat_messages: list[Any]


def _matches(source: Source) -> bool:
    return any(isinstance(value, dict) and isinstance(value.get("chat_messages"), list) for value in source.peek())


def _read(source: Source) -> Iterator[Transcript]:
    """One conversation per item; unusable ones are reported."""
    for item in source.values():
        try:
            conversation = _ClaudeConversation.model_validate(item.value)
        except ValidationError as error:
            source.problem(f"{item.prefix}not a Claude conversation: {first_error(error)}", item.line)
            continue
        chat = Chat("claude", key=conversation.uuid or None, title=conversation.name, kind=ChatKind.ASSISTANT)
        messages = _messages(conversation, item, source)
        shown = _shown(messages, conversation.current_leaf_message_uuid)
        source.skip(BRANCHES, len(messages) - len(shown))
        chat.drafts = [_draft(message) for message in shown]
        if chat.drafts and not any(draft.stamp for draft in chat.drafts):
            chat.drafts[0].stamp = conversation.created_at
        yield from assemble(chat, source)


def _messages(conversation: _ClaudeConversation, item: Value, source: Source) -> list[_ClaudeMessage]:
    messages = []
    for number, value in enumerate(conversation.chat_messages, 1):
        try:
            message = _ClaudeMessage.model_validate(value)
        except ValidationError as error:
            source.problem(f"{item.prefix}message {number}: {first_error(error)}", item.line)
            continue
        if message.sender.strip():
            messages.append(message)
        else:
            source.problem(f"{item.prefix}message {number}: no sender", item.line)
    return messages


def _shown(messages: list[_ClaudeMessage], leaf: str | None) -> list[_ClaudeMessage]:
    """The branch that ends in `leaf`, else in the last message; all messages where none refers to another."""
    by_id = {message.uuid: message for message in messages if message.uuid}
    if not any(message.parent_message_uuid in by_id for message in messages):
        return messages
    last = leaf if leaf in by_id else messages[-1].uuid
    way = visible({name: message.parent_message_uuid for name, message in by_id.items()}, last or "")
    return [by_id[name] for name in way]


def _draft(message: _ClaudeMessage) -> MessageDraft:
    """The text of the message's blocks. `text` is used only without blocks, since some exports leave it empty."""
    said = text_of(message.content or "")
    text = _FRAME.sub("", _ASIDE.sub("", said if said.strip() else message.text))
    return MessageDraft(message.sender, text, message.created_at, None, message.uuid or None)


FORMAT = Format(
    "claude",
    "Claude account export: the zip, its folder, conversations.json, or one conversation",
    "claude.ai: Settings, Privacy, Export data; a mail brings the zip, which is read as it is",
    frozenset({".json"}),
    _matches,
    _read,
)
