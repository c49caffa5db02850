"""Signal's own export of all chats: a folder with `main.jsonl`, one record per line, and `metadata.json`.

Records are those of Signal's backups in proto3's JSON: recipients, chats and messages. Numbers are strings.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from evermem_cli.memory import ChatKind, Role, Transcript
from evermem_cli.transcripts.assemble import APP, Chat, MessageDraft, assemble
from evermem_cli.transcripts.bundle import Bundle, Export
from evermem_cli.transcripts.records import Identifier, Name, first_error
from evermem_cli.transcripts.source import Format, Source

PASSING = "messages that were to disappear"
MENTION = "\ufffc"  # placeholder in a text for a mention

_RECORDS = frozenset({"chatItem", "recipient", "chat"})


class _Nickname(BaseModel):
    given: Name = ""
    family: Name = ""


class _Contact(BaseModel):
    aci: Name = ""
    e164: Name = ""
    username: Name = ""
    nickname: _Nickname = _Nickname()
    systemGivenName: Name = ""
    systemFamilyName: Name = ""
    profileGivenName: Name = ""
    profileFamilyName: Name = ""

    def name(self) -> str:
        """The user's name for the person, else the person's own."""
        names = (
            (self.nickname.given, self.nickname.family),
            (self.systemGivenName, self.systemFamilyName),
            (self.profileGivenName, self.profileFamilyName),
        )
        full = (" ".join(filter(None, parts)) for parts in names)
        return next(filter(None, full), "") or self.username or (self.e164 and f"+{self.e164.lstrip('+')}")


class _Title(BaseModel):
    title: Name = ""


class _Snapshot(BaseModel):
    title: _Title = _Title()


class _Group(BaseModel):
    masterKey: Name = ""
    snapshot: _Snapshot = _Snapshot()


class _Recipient(BaseModel):
    id: Identifier
    contact: _Contact | None = None
    group: _Group | None = None
    itself: Any = Field(default=None, alias="self")


class _Range(BaseModel):
    start: int = 0
    mentionAci: Name = ""


class _Text(BaseModel):
    body: Name = ""
    bodyRanges: list[_Range] = []


class _Standard(BaseModel):
    text: _Text | None = None


class _Option(BaseModel):
    option: Name = ""


class _SignalPoll(BaseModel):
    question: Name = ""
    options: list[_Option] = []


class _Item(BaseModel):
    chatId: Identifier
    authorId: Identifier
    dateSent: Identifier
    expiresInMs: Identifier = ""
    outgoing: Any = None
    directionless: Any = None
    standardMessage: _Standard | None = None
    poll: _SignalPoll | None = None


@dataclass(slots=True)
class _Account:
    """The records by their ids. `me` is the user's id; `lasting` ids are the same in the next export."""

    me: str = ""
    lasting: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    by_aci: dict[str, str] = field(default_factory=dict)
    with_whom: dict[str, str] = field(default_factory=dict)
    chats: dict[str, list[tuple[_Item, int | None]]] = field(default_factory=dict)


def _matches(source: Source) -> bool:
    if not source.is_json_lines:
        return False
    kinds = [_RECORDS & value.keys() for value in source.peek() if isinstance(value, dict)]
    return any("recipient" in kind for kind in kinds) or any("chatItem" in kind for kind in kinds)


def _read(source: Source) -> Iterator[Transcript]:
    account = _Account()
    for record in source.values():
        value = record.value if isinstance(record.value, dict) else {}
        try:
            if isinstance(value.get("recipient"), dict):
                _add_recipient(_Recipient.model_validate(value["recipient"]), account)
            elif isinstance(value.get("chat"), dict):
                account.with_whom[str(value["chat"].get("id"))] = str(value["chat"].get("recipientId"))
            elif isinstance(value.get("chatItem"), dict):
                item = _Item.model_validate(value["chatItem"])
                account.chats.setdefault(item.chatId, []).append((item, record.line))
        except ValidationError as error:
            source.problem(f"{record.prefix}{first_error(error)}", record.line)
    for name, items in account.chats.items():
        yield from assemble(_chat(name, items, account, source), source)


def _add_recipient(recipient: _Recipient, account: _Account) -> None:
    if recipient.itself is not None:
        account.me = recipient.id
        account.lasting[recipient.id] = "self"
    elif recipient.contact:
        account.names[recipient.id] = account.by_aci[recipient.contact.aci] = recipient.contact.name()
        account.lasting[recipient.id] = recipient.contact.aci
    elif recipient.group:
        account.names[recipient.id] = recipient.group.snapshot.title.title
        account.lasting[recipient.id] = recipient.group.masterKey


def _chat(name: str, items: list[tuple[_Item, int | None]], account: _Account, source: Source) -> Chat:
    partner = account.with_whom.get(name, "")
    title = account.names.get(partner, "") or ("Note to Self" if partner and partner == account.me else "")
    chat = Chat("signal", title=title, kind=ChatKind.GROUP)
    chat.key = f"signal:{account.lasting.get(partner) or partner or name}"
    for item, line in items:
        if item.directionless is not None or not (item.standardMessage or item.poll):
            source.skip(APP)
            continue
        if item.expiresInMs.strip("0"):
            source.skip(PASSING)
            continue
        mine = item.outgoing is not None or item.authorId == account.me
        label = "me" if mine else account.names.get(item.authorId) or f"Signal user {item.authorId}"
        role = Role.USER if mine else None
        # Signal identifies messages by sender and time in milliseconds.
        mark = f"{account.lasting.get(item.authorId) or item.authorId}@{item.dateSent}"
        chat.drafts.append(MessageDraft(label, _said(item, account), item.dateSent, role, mark, line))
    return chat


def _said(item: _Item, account: _Account) -> str:
    if item.poll:
        return "\n- ".join([item.poll.question, *(option.option for option in item.poll.options)])
    text = (item.standardMessage and item.standardMessage.text) or _Text()
    mentions = sorted((mention for mention in text.bodyRanges if mention.mentionAci), key=lambda mention: mention.start)
    names = (f"@{account.by_aci.get(mention.mentionAci, 'somebody')}" for mention in mentions)
    parts = text.body.split(MENTION)
    return "".join(chain.from_iterable((part, next(names, "")) for part in parts[:-1])) + parts[-1]


def _read_folder(files: Bundle) -> Iterator[Transcript]:
    with files.source("main.jsonl") as source:
        yield from _read(source)


FORMAT = Format(
    "signal",
    "Signal's export of all chats as JSON (main.jsonl)",
    "in Signal Desktop: Settings, Chats, Export chat history; name the folder or its main.jsonl",
    frozenset({".jsonl"}),
    _matches,
    _read,
)
EXPORT = Export(FORMAT, lambda names: {"main.jsonl", "metadata.json"} <= names, _read_folder)
