"""Roles and content as JSON: a message or conversation per line or array item, including ShareGPT."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import takewhile
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, ValidationError, model_validator

from evermem_cli.memory import Transcript
from evermem_cli.transcripts.assemble import MACHINERY, Chat, MessageDraft, assemble
from evermem_cli.transcripts.cleaning import clean
from evermem_cli.transcripts.records import Content, Identifier, Name, first_error, text_of
from evermem_cli.transcripts.source import Format, Source, Value
from evermem_cli.transcripts.speakers import is_machinery, role_of
from evermem_cli.transcripts.times import StampReader

# Logs interleave conversations; one without a message for this many lines has ended.
OPEN_LINES = 10_000

_TEXT = ("content", "text", "message", "body", "value", "parts")
_NAME = ("speaker", "name", "author", "sender_name", "sender")
_ROLE = ("role", "from")
_TIME = ("timestamp", "created_at", "create_time", "sent_at", "said_at", "date", "ts", "time")
_ID = ("message_id", "external_id", "id", "uuid")
_CHAT_ID = ("conversation_id", "session_id", "thread_id", "group_id", "chat_id", "conversation")
_MESSAGES = ("messages", "conversations")


def _person(value: object) -> object:
    """The name of a person, who may be an object with a name or role."""
    if isinstance(value, dict):
        return value.get("name") or value.get("role") or ""
    return value


Person = Annotated[Name, BeforeValidator(_person)]


class _Record(BaseModel):
    """A record. Of alternative fields the first that is not null counts; a null text is an empty one."""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return {key: value for key, value in data.items() if value is not None or key in _TEXT}


class _JsonlMessage(_Record):
    content: Content | None = Field(validation_alias=AliasChoices(*_TEXT))
    name: Person = Field(default="", validation_alias=AliasChoices(*_NAME))
    role: Person = Field(default="", validation_alias=AliasChoices(*_ROLE))
    sent: Any = Field(default=None, validation_alias=AliasChoices(*_TIME))
    id: Identifier | None = Field(default=None, validation_alias=AliasChoices(*_ID))
    chat: Identifier | None = Field(default=None, validation_alias=AliasChoices(*_CHAT_ID))


class _JsonlConversation(_Record):
    messages: list[Any] = Field(validation_alias=AliasChoices(*_MESSAGES))
    key: Identifier | None = Field(default=None, validation_alias=AliasChoices(*_CHAT_ID, "id", "uuid"))
    title: Name = Field(default="", validation_alias=AliasChoices("title", "name"))
    sent: Any = Field(default=None, validation_alias=AliasChoices(*_TIME))


@dataclass(slots=True)
class _Open:
    """A conversation that arrives message by message, from position `first` to `last` so far."""

    chat: Chat
    first: int
    last: int


def _matches(source: Source) -> bool:
    return any(map(_fits, source.peek()))


def _fits(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and _fits(value[0])
    if not isinstance(value, dict):
        return False
    if any(isinstance(value.get(key), list) for key in _MESSAGES):
        return True
    return any(key in value for key in _TEXT) and any(key in value for key in _ROLE + _NAME)


def _read(source: Source) -> Iterator[Transcript]:
    """One conversation per item where items contain messages; else messages grouped by id, or all in one."""
    if not source.is_json:
        raise source.error("not JSON", "leave out --format to have the format detected")
    opened: dict[str | None, _Open] = {}
    for position, item in enumerate(source.values()):
        value = {"messages": item.value} if isinstance(item.value, list) else item.value
        if isinstance(value, dict) and any(isinstance(value.get(key), list) for key in _MESSAGES):
            yield from _conversation(Value(value, item.line, item.prefix), source)
        elif message := _message(item, source):
            _add(message, item, position, opened)
            yield from _closed(opened, position - OPEN_LINES, source)
    yield from _closed(opened, sys.maxsize, source)


def _add(message: _JsonlMessage, item: Value, position: int, opened: dict[str | None, _Open]) -> None:
    """Adds to the message's conversation and makes it the most recently used."""
    current = opened.pop(message.chat, None) or _Open(Chat(format="jsonl", key=message.chat), position, position)
    current.last = position
    current.chat.drafts.append(_draft(message, item.line))
    opened[message.chat] = current


def _closed(opened: dict[str | None, _Open], before: int, source: Source) -> Iterator[Transcript]:
    """Removes the conversations last used before position `before`, in order of their beginning."""
    done = list(takewhile(lambda entry: entry[1].last < before, opened.items()))
    for key, current in sorted(done, key=lambda entry: entry[1].first):
        del opened[key]
        yield from assemble(current.chat, source)


def _conversation(item: Value, source: Source) -> Iterator[Transcript]:
    try:
        record = _JsonlConversation.model_validate(item.value)
    except ValidationError as error:
        source.problem(f"{item.prefix}{first_error(error)}", item.line)
        return
    chat = Chat(format="jsonl", key=record.key, title=record.title, day=_day(record, item, source))
    for number, value in enumerate(record.messages, 1):
        message = _message(Value(value, item.line, f"{item.prefix}message {number}: "), source)
        if message:
            chat.drafts.append(_draft(message, item.line))
    yield from assemble(chat, source)


def _day(record: _JsonlConversation, item: Value, source: Source) -> date | None:
    if record.sent is None:
        return None
    try:
        return StampReader(source.options.tz, source.day, source.options.date_order).sent(record.sent)[0].date()
    except (ValueError, OverflowError) as error:
        source.problem(f"{item.prefix}{error}", item.line)
        return None


def _message(item: Value, source: Source) -> _JsonlMessage | None:
    """The message in `item`; None if it is not a message, which is reported, or is a tool's, which is counted."""
    value = item.value
    if isinstance(value, dict):
        if any(is_machinery(str(value.get(key))) for key in _ROLE):
            source.skip(MACHINERY)
            return None
        if not any(key in value for key in _TEXT):
            source.problem(f"{item.prefix}not a message: it has none of {', '.join(_TEXT)}", item.line)
            return None
    try:
        message = _JsonlMessage.model_validate(value)
    except ValidationError as error:
        source.problem(f"{item.prefix}not a message: {first_error(error)}", item.line)
        return None
    if not _label(message):
        source.problem(f"{item.prefix}not a message: it has neither role nor speaker", item.line)
        return None
    return message


def _draft(message: _JsonlMessage, line: int | None) -> MessageDraft:
    return MessageDraft(
        label=_label(message),
        text=text_of(message.content or ""),
        stamp=message.sent,
        role=role_of(message.role),
        external_id=message.id,
        line=line,
    )


def _label(message: _JsonlMessage) -> str:
    return clean(message.name).strip() or clean(message.role).strip()


FORMAT = Format(
    "jsonl",
    "role and content as JSON lines or a JSON array; ShareGPT",
    "save or log the chat with a role and content per message, in the shape of most chat APIs and training files",
    frozenset({".json", ".jsonl", ".ndjson"}),
    _matches,
    _read,
)
