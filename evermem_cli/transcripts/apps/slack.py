"""Slack workspace exports: a folder or zip with a folder per channel and a file per day, or a single day's file.

tests/golden/slack-* show the structures. A channel is one conversation in order of time that includes replies in
threads. If threads were separate, a message would move when its first reply arrives, and be new in the next export.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from evermem_cli.errors import InputError
from evermem_cli.memory import ChatKind, Transcript
from evermem_cli.transcripts.apps.slack_text import decoded, rendered
from evermem_cli.transcripts.assemble import Chat, MessageDraft, assemble
from evermem_cli.transcripts.bundle import Bundle, Export
from evermem_cli.transcripts.records import Identifier, Name, first_error
from evermem_cli.transcripts.source import Format, Source

BOTS = "of bots"
EVENTS = "of the channel itself"
TWICE = "there twice"

_CHANNELS = ("channels.json", "groups.json", "dms.json", "mpims.json", "file_conversations.json")
_USERS = ("users.json", "org_users.json")
_TS = re.compile(r"\d{10}\.\d{6}")
_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,9})?")
_CANVAS = re.compile(r"FC:\w+:")  # prefix of a canvas's name, which its comments have for a channel
_DAY = re.compile(r"[^/]+/\d{4}-\d\d-\d\d\.json")
_SPOKEN = frozenset({"", "thread_broadcast", "me_message", "file_share", "reply_broadcast"})

Record = TypeVar("Record", bound=BaseModel)


class _Profile(BaseModel):
    display_name: Name = ""
    real_name: Name = ""


class _SlackUser(BaseModel):
    id: Identifier
    name: Name = ""
    real_name: Name = ""
    is_bot: bool = False
    profile: _Profile = _Profile()


class _Channel(BaseModel):
    id: Identifier
    name: Name = ""
    members: list[Identifier] = []
    user: Name = ""


class _SlackMessage(BaseModel):
    ts: Identifier
    user: Name = ""
    username: Name = ""
    bot_id: Name = ""
    subtype: Name = ""
    text: Name = ""
    blocks: Any = None
    hidden: bool = False
    user_profile: _Profile | None = None


@dataclass(slots=True)
class _Workspace:
    """The names behind the ids of an export: people and channels by id, and channels by folder."""

    names: dict[str, str] = field(default_factory=dict)
    bots: set[str] = field(default_factory=set)
    channels: dict[str, _Channel] = field(default_factory=dict)


def _matches(source: Source) -> bool:
    """Whether this is the file of one day."""
    return source.is_array and any(
        isinstance(value, dict) and value.get("type") == "message" and _TS.fullmatch(str(value.get("ts")))
        for value in source.peek()
    )


def _read(source: Source) -> Iterator[Transcript]:
    """The messages of one day. Without the rest of the workspace, only messages tell people's names."""
    yield from _conversation(Chat("slack", kind=ChatKind.GROUP), [*_messages(source)], _Workspace(), source)


def _marks(names: frozenset[str]) -> bool:
    return any(name in names for name in _CHANNELS) and any(name in names for name in _USERS)


def _read_export(export: Bundle) -> Iterator[Transcript]:
    """One conversation per channel, in order of the channels' names."""
    workspace = _workspace(export)
    days: dict[str, list[str]] = {}
    for name in filter(_DAY.fullmatch, export.names):
        days.setdefault(name.split("/")[0], []).append(name)
    for folder, names in days.items():
        channel = workspace.channels.get(folder)
        chat = Chat("slack", key=channel.id if channel else None, kind=ChatKind.GROUP)
        chat.title = _title(channel, workspace) if channel else folder
        yield from _channel(chat, names, workspace, export)


def _channel(chat: Chat, names: list[str], workspace: _Workspace, export: Bundle) -> Iterator[Transcript]:
    messages: list[_SlackMessage] = []
    last: Source | None = None
    for name in names:
        try:
            with export.source(name) as last:
                messages += _messages(last)
        except InputError as error:
            export.problem(error)
    if last:
        yield from _conversation(chat, messages, workspace, last)


def _workspace(export: Bundle) -> _Workspace:
    workspace = _Workspace()
    users = [user for name in _USERS for user in _records(export, name, _SlackUser)]
    shown = {user.id: _display(user.profile) or user.real_name or user.name or user.id for user in users}
    namesakes = Counter(shown.values())
    for user in users:
        alone = namesakes[shown[user.id]] == 1 or not user.name
        workspace.names[user.id] = shown[user.id] if alone else f"{shown[user.id]} ({user.name})"
    workspace.bots = {user.id for user in users if user.is_bot} | {"USLACKBOT"}
    for name in _CHANNELS:
        for channel in _records(export, name, _Channel):
            workspace.names[channel.id] = channel.name or channel.id
            workspace.channels[channel.name if name != "dms.json" and channel.name else channel.id] = channel
            workspace.channels.setdefault(channel.id, channel)
    return workspace


def _records(export: Bundle, name: str, record: type[Record]) -> Iterator[Record]:
    """The usable records of an index file, which some exports lack."""
    if name not in export.names:
        return
    try:
        with export.source(name) as source:
            for item in source.values():
                try:
                    yield record.model_validate(item.value)
                except ValidationError as error:
                    source.problem(f"{item.prefix}{first_error(error)}", item.line)
    except InputError as error:
        export.problem(error)


def _display(profile: _Profile) -> str:
    return profile.display_name.strip() or profile.real_name.strip()


def _title(channel: _Channel, workspace: _Workspace) -> str:
    """The name of a channel; for direct messages the names of the people."""
    people = channel.members or [member for member in [channel.user] if member]
    if people and (not channel.name or channel.name.startswith("mpdm-")):
        return ", ".join(workspace.names.get(person, person) for person in people)
    return _CANVAS.sub("", channel.name, count=1) or channel.id


def _messages(source: Source) -> Iterator[_SlackMessage]:
    """The messages of a day; other records are reported."""
    for item in source.values():
        try:
            message = _SlackMessage.model_validate(item.value)
        except ValidationError as error:
            source.problem(f"{item.prefix}not a Slack message: {first_error(error)}", item.line)
            continue
        if _NUMBER.fullmatch(message.ts):
            yield message
        else:
            source.problem(f"{item.prefix}not a Slack message: ts is not a time", item.line)


def _conversation(
    chat: Chat, messages: list[_SlackMessage], workspace: _Workspace, source: Source
) -> Iterator[Transcript]:
    seen: set[str] = set()
    for message in sorted(messages, key=lambda message: Decimal(message.ts)):
        if reason := _why_not(message, workspace, seen):
            source.skip(reason)
            continue
        seen.add(message.ts)
        text = decoded(message.text, workspace.names)
        blocks = rendered(message.blocks, workspace.names)  # `text` is sometimes cut off
        said = blocks if len(blocks) > len(text) else text
        chat.drafts.append(MessageDraft(_speaker(message, workspace), said, message.ts, external_id=message.ts))
    yield from assemble(chat, source)


def _why_not(message: _SlackMessage, workspace: _Workspace, seen: set[str]) -> str | None:
    """Why a message is left out of the conversation; None if it is not."""
    if message.subtype == "bot_message" or message.user in workspace.bots or (message.bot_id and not message.user):
        return BOTS
    if message.subtype not in _SPOKEN or message.hidden:
        return EVENTS
    return TWICE if message.ts in seen else None


def _speaker(message: _SlackMessage, workspace: _Workspace) -> str:
    """The author's name. For people of other workspaces it is in the message; else the id."""
    own = _display(message.user_profile) if message.user_profile else ""
    return workspace.names.get(message.user) or own or message.username or message.user or "unknown"


FORMAT = Format(
    "slack",
    "Slack workspace export: the zip, its folder, or the file of one day",
    "owners and admins: Settings, Workspace settings, Import/export data, Export; the zip is read as it is",
    frozenset({".json"}),
    _matches,
    _read,
)
EXPORT = Export(FORMAT, _marks, _read_export)
