"""EverMemOS chat files: one JSON object with `session_meta` and `conversation_list`."""

from collections.abc import Iterator
from datetime import tzinfo
from typing import Any

from pydantic import BaseModel, ValidationError

from evermem_cli.config import zone
from evermem_cli.errors import UsageError
from evermem_cli.memory import ChatKind, Role, Transcript
from evermem_cli.transcripts.assemble import Chat, MessageDraft, assemble
from evermem_cli.transcripts.records import Content, Identifier, Name, first_error, text_of
from evermem_cli.transcripts.source import Format, Source
from evermem_cli.transcripts.speakers import role_of

_PERSONAL_SCENES = ("solo", "assistant")


class _EvermemosUser(BaseModel):
    full_name: Name = ""
    role: Name = ""


class _Meta(BaseModel):
    scene: Name = ""
    name: Name = ""
    group_id: Identifier | None = None
    default_timezone: Name = ""
    user_details: dict[str, _EvermemosUser] = {}


class _EvermemosMessage(BaseModel):
    message_id: Identifier | None = None
    create_time: Any = None
    sender: Identifier | None = None
    sender_name: Name = ""
    content: Content


def _matches(source: Source) -> bool:
    return source.document is not None and isinstance(source.document.get("conversation_list"), list)


def _read(source: Source) -> Iterator[Transcript]:
    document = source.document
    if document is None or not _matches(source):
        raise source.error("not an EverMemOS file: no `conversation_list`", "leave out --format to have it detected")
    try:
        meta = _Meta.model_validate(document.get("session_meta") or {})
    except ValidationError as error:
        source.problem(f"session_meta: {first_error(error)}")
        meta = _Meta()
    chat = Chat(format="evermemos", key=meta.group_id, title=meta.name, zone=_zone(meta, source), kind=_kind(meta))
    for number, record in enumerate(document["conversation_list"], 1):
        try:
            draft = _draft(_EvermemosMessage.model_validate(record), meta)
        except ValidationError as error:
            source.problem(f"message {number} of conversation_list: {first_error(error)}")
            continue
        if draft.label:
            chat.drafts.append(draft)
        else:
            source.problem(f"message {number} of conversation_list: no sender")
    yield from assemble(chat, source)


def _draft(message: _EvermemosMessage, meta: _Meta) -> MessageDraft:
    user = meta.user_details.get(message.sender or "", _EvermemosUser())
    label = user.full_name or message.sender_name or message.sender or ""
    role = role_of(user.role) if user.role else role_of(message.sender_name)
    return MessageDraft(
        label,
        text_of(message.content),
        message.create_time,
        role if role is Role.ASSISTANT or _kind(meta) else None,
        message.message_id,
    )


def _kind(meta: _Meta) -> ChatKind | None:
    """ASSISTANT where the file says so; None where the speakers decide."""
    return ChatKind.ASSISTANT if meta.scene.casefold() in _PERSONAL_SCENES else None


def _zone(meta: _Meta, source: Source) -> tzinfo | None:
    try:
        return zone(meta.default_timezone) if meta.default_timezone else None
    except UsageError as error:
        source.problem(f"default_timezone: {error.message}; {source.options.tz} is assumed")
        return None


FORMAT = Format(
    "evermemos",
    "EverMemOS chat (JSON with conversation_list)",
    "save the chat as JSON in the shape that EverMemOS reads",
    frozenset({".json"}),
    _matches,
    _read,
)
