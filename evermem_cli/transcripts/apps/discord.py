"""DiscordChatExporter's JSON, one channel per file (tests/golden/discord*)."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from evermem_cli.memory import ChatKind, Transcript
from evermem_cli.transcripts.assemble import APP, Chat, MessageDraft, assemble
from evermem_cli.transcripts.records import Identifier, Name, first_error
from evermem_cli.transcripts.source import Format, Source

NOBODY = "unknown"  # the speaker of forwarded messages

_SPOKEN = ("Default", "Reply")  # other types are calls, pins and joins
_DIRECT = ("DirectTextChat", "DirectGroupTextChat")  # channels outside any server


class _DiscordAuthor(BaseModel):
    name: Name = ""
    nickname: Name = ""
    isBot: bool = False


class _Forwarded(BaseModel):
    """A forwarded message; the export does not name its author."""

    content: Name = ""


class _DiscordMessage(BaseModel):
    id: Identifier
    type: Name = "Default"
    timestamp: Any = None
    content: Name = ""
    author: _DiscordAuthor
    forwardedMessage: _Forwarded | None = None


class _Place(BaseModel):
    """A server or a channel. The category of a thread is its channel."""

    id: Identifier = ""
    name: Name = ""
    type: Name = ""


class _Export(BaseModel):
    guild: _Place
    channel: _Place
    messages: list[Any]
    messageCount: int | None = None


def _matches(source: Source) -> bool:
    return source.document is not None and {"guild", "channel", "messages"} <= source.document.keys()


def _read(source: Source) -> Iterator[Transcript]:
    try:
        export = _Export.model_validate(source.document)
    except ValidationError as error:
        raise source.error(f"not DiscordChatExporter's JSON: {first_error(error)}", "leave out --format") from error
    if export.messageCount != len(export.messages):
        stated = "not stated" if export.messageCount is None else export.messageCount
        source.problem(f"cut off: {len(export.messages)} messages, and messageCount is {stated}; export it again")
    chat = Chat("discord", key=f"discord:{export.channel.id}", title=_title(export), kind=ChatKind.GROUP)
    for number, value in enumerate(export.messages, 1):
        try:
            message = _DiscordMessage.model_validate(value)
        except ValidationError as error:
            source.problem(f"message {number}: {first_error(error)}")
            continue
        label = message.author.nickname or message.author.name
        if message.type not in _SPOKEN:
            source.skip(APP)
        elif message.author.isBot:
            source.skip("of bots")
        elif not label:
            source.problem(f"message {number}: no author")
        else:
            chat.drafts.append(_draft(message, label))
    yield from assemble(chat, source)


def _draft(message: _DiscordMessage, label: str) -> MessageDraft:
    """The draft of a message. Forwarded words have no speaker unless the sender adds a comment."""
    forwarded = message.forwardedMessage
    if forwarded and not message.content.strip():
        return MessageDraft(NOBODY, forwarded.content, message.timestamp, external_id=message.id)
    return MessageDraft(label, message.content, message.timestamp, external_id=message.id)


def _title(export: _Export) -> str:
    name = export.channel.name
    return name if export.channel.type in _DIRECT else f"{export.guild.name} #{name}".strip()


FORMAT = Format(
    "discord",
    "DiscordChatExporter's JSON, one channel per file",
    "with DiscordChatExporter (github.com/Tyrrrz/DiscordChatExporter): choose the channels and the format JSON",
    frozenset({".json"}),
    _matches,
    _read,
)
