"""Telegram Desktop's `result.json`, of one chat or of the whole account (tests/golden/telegram-*)."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from itertools import chain
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evermem_cli.memory import ChatKind, Role, Transcript
from evermem_cli.transcripts.assemble import APP, Chat, MessageDraft, assemble
from evermem_cli.transcripts.records import Identifier, Name, first_error
from evermem_cli.transcripts.source import Format, Source, Value

MAX_OFFSET = timedelta(hours=14)  # offset of a zone from UTC
QUARTER = timedelta(minutes=15)  # every zone is a multiple of this

MAX_CHAT = 1 << 30  # maximum characters of one chat in an account

_LISTS = frozenset({"chats", "left_chats"})  # keys of an account: current chats, and chats that the user left
# The first keys of an account. A single chat begins with its name.
_ACCOUNT = re.compile(
    r'\s*\{\s*"about"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"(?:personal_information|profile_pictures|stories|contacts'
    r'|frequent_contacts|sessions|web_sessions|other_data|chats|left_chats|profile_music)"'
)
_TITLES = {
    "saved_messages": "Saved Messages",
    "replies": "Replies",
    "verification_codes": "Verification Codes",
}  # chats without a name
_GONE = "Deleted Account"  # the app's name for people who left


class _Entity(BaseModel):
    text: str = ""


class _TelegramPoll(BaseModel):
    question: Name = ""
    answers: list[_Entity] = []


class _TelegramMessage(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    id: Identifier
    type: str = "message"
    date: Name = ""
    date_unixtime: Name = ""
    sender: Name = Field(default="", alias="from")
    from_id: Name = ""
    forwarded_from: str | None = None
    text: str | list[str | _Entity] = ""
    poll: _TelegramPoll | None = None


class _Chat(BaseModel):
    name: Name = ""
    type: Name = ""
    id: Identifier = ""
    messages: list[Any]


def _matches(source: Source) -> bool:
    return _is_account(source) or (source.document is not None and _lists(source.document) != [])


def _is_account(source: Source) -> bool:
    """Whether the file begins as the export of an account, which is too long to be read at once."""
    return source.is_json and not source.is_array and _ACCOUNT.match("\n".join(source.sample)) is not None


def _lists(document: dict[str, Any]) -> list[list[Any]]:
    """The lists of chats in `document`, which may itself be a chat; [] if it is no Telegram export."""
    if isinstance(document.get("messages"), list) and {"type", "id"} <= document.keys():
        return [[document]]
    parts = [document.get(name) for name in sorted(_LISTS)]
    return [part["list"] for part in parts if isinstance(part, dict) and isinstance(part.get("list"), list)]


def _read(source: Source) -> Iterator[Transcript]:
    for item in _chats(source):
        try:
            record = _Chat.model_validate(item.value)
        except ValidationError as error:
            source.problem(f"{item.prefix}not a Telegram chat: {first_error(error)}", item.line)
            continue
        yield from assemble(_chat(record, source), source)


def _chats(source: Source) -> Iterator[Value]:
    if _is_account(source):
        yield from source.listed(_LISTS, MAX_CHAT)
        return
    lists = _lists(source.document or {})
    if not lists:
        raise source.error("not a Telegram export: no `chats` and no `messages`", "leave out --format")
    for number, value in enumerate(chain.from_iterable(lists), 1):
        yield Value(value, None, f"item {number}: ")


def _chat(record: _Chat, source: Source) -> Chat:
    title = record.name or _TITLES.get(record.type, "")
    chat = Chat("telegram", key=f"telegram:{record.type}:{record.id}", title=title)
    chat.kind = ChatKind.ASSISTANT if record.type == "bot_chat" else ChatKind.GROUP
    for number, value in enumerate(record.messages, 1):
        try:
            message = _TelegramMessage.model_validate(value)
        except ValidationError as error:
            source.problem(f"message {number} of {title or 'a chat'}: {first_error(error)}")
            continue
        if message.type == "message":
            chat.drafts.append(_draft(message, record))
        else:  # notices of the app: calls, joins, pinned messages
            source.skip(APP)
    return chat


def _draft(message: _TelegramMessage, chat: _Chat) -> MessageDraft:
    """The draft of a message. Forwarded words belong to their original author, not to the sender."""
    sender = message.sender or message.from_id or _GONE
    forwarded = "forwarded_from" in message.model_fields_set
    from_bot = chat.type == "bot_chat" and message.sender == chat.name and not forwarded
    return MessageDraft(
        label=(message.forwarded_from or _GONE) if forwarded else sender,
        text=_text(message.text) or _asked(message.poll or _TelegramPoll()),
        stamp=_stamp(message),
        role=Role.ASSISTANT if from_bot else None,
        external_id=message.id,
    )


def _text(text: str | list[str | _Entity]) -> str:
    return text if isinstance(text, str) else "".join(part if isinstance(part, str) else part.text for part in text)


def _asked(poll: _TelegramPoll) -> str:
    return "\n- ".join([poll.question, *(answer.text for answer in poll.answers)])


def _stamp(message: _TelegramMessage) -> str | None:
    """The time on the exporting computer's clock. The zone is the difference between it and `date_unixtime`."""
    try:
        local = datetime.fromisoformat(message.date)
        utc = datetime.fromtimestamp(int(message.date_unixtime), UTC)
    except (ValueError, OverflowError, OSError):
        return message.date_unixtime or message.date or None
    offset = local.replace(tzinfo=UTC) - utc
    if local.tzinfo or offset % QUARTER or abs(offset) > MAX_OFFSET:
        return utc.isoformat()
    return local.replace(tzinfo=timezone(offset)).isoformat()


FORMAT = Format(
    "telegram",
    "Telegram Desktop's result.json, of one chat or of the whole account",
    "in Telegram Desktop: a chat's menu, Export chat history, or Settings, Advanced, Export Telegram data; format JSON",
    frozenset({".json"}),
    _matches,
    _read,
)
