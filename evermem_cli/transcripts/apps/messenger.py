"""Facebook's and Instagram's messages from "Download your information" in JSON (tests/golden/messenger-*).

Exports of ordinary chats write each UTF-8 byte as a character of its own. Exports of end-to-end encrypted chats do not,
and name the fields differently.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, ValidationError

from evermem_cli.errors import InputError
from evermem_cli.memory import ChatKind, Transcript
from evermem_cli.transcripts.assemble import APP, Chat, MessageDraft, assemble
from evermem_cli.transcripts.bundle import Bundle, Export
from evermem_cli.transcripts.records import Name, first_error
from evermem_cli.transcripts.source import Format, Source

_FILE = re.compile(r"message_\d+\.json")
# Folders of an account: one of the first list; in older exports `messages` with one of the second.
_ACCOUNT = frozenset({"your_facebook_activity", "your_instagram_activity", "your_activity_across_facebook"})
_BESIDE_MESSAGES = frozenset(
    {"about_you", "ads_and_businesses", "ads_information", "comments", "followers_and_following", "friends"}
    | {"likes_and_reactions", "personal_information", "profile_information", "security_and_login_information"}
)
_SPOKEN = ("", "Generic", "Share", "text", "link")  # other types are calls, payments and joins

# The app's own words in accounts in English, for reactions and attachments.
_APP_WROTE = re.compile(
    r"Liked a message|Reacted \S{1,10} to (?:your|a|their) message ?|.{1,80} sent (?:an attachment|a photo|a video)\."
)


def _repaired(value: object) -> object:
    """A text whose UTF-8 bytes were written as Latin-1 characters, decoded; other text unchanged."""
    if isinstance(value, str) and not value.isascii():
        with suppress(UnicodeError):
            return value.encode("latin-1").decode("utf-8")
    return value


Text = Annotated[Name, BeforeValidator(_repaired)]


class _Share(BaseModel):
    link: Text = ""
    share_text: Text = ""


class _MessengerMessage(BaseModel):
    sender: Text = Field(validation_alias=AliasChoices("sender_name", "senderName"))
    sent: int = Field(validation_alias=AliasChoices("timestamp_ms", "timestamp"))
    text: Text = Field(default="", validation_alias=AliasChoices("content", "text"))
    type: Name = ""
    share: _Share | None = None
    call_duration: int | None = None
    unsent: bool = Field(default=False, validation_alias=AliasChoices("is_unsent", "isUnsent"))


class _MessengerThread(BaseModel):
    messages: list[Any]
    title: Text = Field(default="", validation_alias=AliasChoices("title", "threadName"))
    path: Name = Field(default="", validation_alias=AliasChoices("thread_path", "threadName"))


def _matches(source: Source) -> bool:
    document = source.document
    if document is None or not isinstance(document.get("participants"), list):
        return False
    messages = document.get("messages")
    first = messages[0] if isinstance(messages, list) and messages else None
    return isinstance(first, dict) and not first.keys().isdisjoint({"sender_name", "senderName"})


def is_account(names: frozenset[str]) -> bool:
    """Whether a folder with these files and folders is the export of a whole account."""
    return bool(names & _ACCOUNT) or ("messages" in names and bool(names & _BESIDE_MESSAGES))


def _read(source: Source) -> Iterator[Transcript]:
    thread = _thread(source)
    yield from assemble(_chat(thread, _messages(thread, source)), source)


def _read_folder(files: Bundle) -> Iterator[Transcript]:
    """The thread in all message_N.json files of a folder, of which the first has the newest messages."""
    messages: list[_MessengerMessage] = []
    read: list[tuple[_MessengerThread, Source]] = []
    names = [name for name in files.names if _FILE.fullmatch(name)]
    for name in sorted(names, key=lambda name: int(name[len("message_") : -len(".json")])):
        try:
            with files.source(name) as source:
                thread = _thread(source)
                messages += _messages(thread, source)
                read.append((thread, source))
        except InputError as error:
            files.problem(error)
    if read:
        thread, source = read[0]
        yield from assemble(_chat(thread, messages), source)


def _thread(source: Source) -> _MessengerThread:
    try:
        return _MessengerThread.model_validate(source.document)
    except ValidationError as error:
        raise source.error(f"not Facebook's or Instagram's JSON: {first_error(error)}", "leave out --format") from error


def _messages(thread: _MessengerThread, source: Source) -> list[_MessengerMessage]:
    """The messages of people in a thread, as written."""
    messages = []
    for number, value in enumerate(thread.messages, 1):
        try:
            message = _MessengerMessage.model_validate(value)
        except ValidationError as error:
            source.problem(f"message {number}: {first_error(error)}")
            continue
        if message.type not in _SPOKEN or message.unsent or message.call_duration is not None:
            source.skip(APP)
        else:
            messages.append(message)
    return messages


def _chat(thread: _MessengerThread, messages: list[_MessengerMessage]) -> Chat:
    in_order = messages[::-1]  # the newest comes first, also among messages of the same time
    in_order.sort(key=lambda message: message.sent)
    chat = Chat("messenger", title=thread.title, kind=ChatKind.GROUP)
    chat.key = f"messenger:{thread.path}" if thread.path else None
    chat.drafts = [
        MessageDraft(message.sender or "Facebook user", _said(message), message.sent) for message in in_order
    ]
    return chat


def _said(message: _MessengerMessage) -> str:
    share = message.share or _Share()
    text = "" if _APP_WROTE.fullmatch(message.text) else message.text
    return "\n".join(filter(None, (text or share.share_text, share.link)))


FORMAT = Format(
    "messenger",
    "Facebook's or Instagram's messages as JSON (message_1.json)",
    "in the Accounts Center: Your information and permissions, Download your information, Messages, format JSON",
    frozenset({".json"}),
    _matches,
    _read,
)
EXPORT = Export(FORMAT, lambda names: any(map(_FILE.fullmatch, names)), _read_folder)
