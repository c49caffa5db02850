"""Sessions of opencode: its database `opencode.db`, the folder `storage` of older versions, and `opencode export`.

A session has messages, and messages have parts. An export has everything in one object; the other two are converted to
that form.
"""

import io
import json
import sqlite3
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from evermem_cli.errors import InputError
from evermem_cli.memory import ChatKind, Transcript
from evermem_cli.transcripts.assemble import MACHINERY, Chat, MessageDraft, assemble
from evermem_cli.transcripts.assistants.thread import BETWEEN_AGENTS, BRANCHES
from evermem_cli.transcripts.bundle import Bundle, Export
from evermem_cli.transcripts.databases import Database
from evermem_cli.transcripts.json_values import parse_json
from evermem_cli.transcripts.records import Identifier, Name, first_error
from evermem_cli.transcripts.source import Format, Source

_STORAGE = frozenset({"session", "message", "part"})  # the folders of older versions


class _Time(BaseModel):
    created: Any = None


class _Revert(BaseModel):
    messageID: Name = ""


class _Info(BaseModel):
    id: Identifier
    role: Name = ""
    title: Name = ""
    parent: Name = Field(default="", validation_alias="parentID")
    time: _Time = _Time()
    revert: _Revert | None = None


class _OpenCodePart(BaseModel):
    type: Name = ""
    text: Name = ""
    synthetic: bool | None = None  # added by the program
    ignored: bool | None = None  # not sent to the model


class _OpenCodeMessage(BaseModel):
    info: _Info
    parts: list[Any] = []


class _OpenCodeSession(BaseModel):
    info: _Info
    messages: list[Any]


def _matches(source: Source) -> bool:
    return any(map(_is_session, source.peek()))


def _is_session(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return False
    return isinstance(value.get("info"), dict) and "id" in value["info"]


def _read(source: Source) -> Iterator[Transcript]:
    for item in source.values():
        try:
            session = _OpenCodeSession.model_validate(item.value)
        except ValidationError as error:
            source.problem(f"{item.prefix}not a session of opencode: {first_error(error)}", item.line)
            continue
        chat = Chat("opencode", key=session.info.id, title=session.info.title, kind=ChatKind.ASSISTANT)
        if session.info.parent:
            source.skip(BETWEEN_AGENTS, len(session.messages))
        else:
            chat.drafts = list(_drafts(session, source))
        yield from assemble(chat, source)


def _drafts(session: _OpenCodeSession, source: Source) -> Iterator[MessageDraft]:
    """The messages, up to where the user went back; ids increase."""
    end = session.info.revert.messageID if session.info.revert else ""
    for number, value in enumerate(session.messages, 1):
        try:
            message = _OpenCodeMessage.model_validate(value)
            text = "\n".join(filter(None, map(_text, message.parts)))
        except ValidationError as error:
            source.problem(f"session {session.info.id}, message {number}: {first_error(error)}")
            continue
        if end and message.info.id >= end:
            source.skip(BRANCHES)
        elif message.info.role not in ("user", "assistant") or not text:
            source.skip(MACHINERY)
        else:
            yield MessageDraft(message.info.role, text, message.info.time.created, None, message.info.id)


def _text(value: Any) -> str:
    part = _OpenCodePart.model_validate(value)
    return part.text if part.type == "text" and not (part.synthetic or part.ignored) else ""


def _sessions(database: sqlite3.Connection) -> Iterator[str]:
    """Each session of the database in the form of `opencode export`."""
    for name, parent, title, revert in database.execute(
        "select id, parent_id, title, revert from session order by time_created, id"
    ):
        info = {"id": name, "parentID": parent, "title": title, "revert": _json(revert or "null")}
        messages = []
        for message, data in database.execute(
            "select id, data from message where session_id = ? order by time_created, id", [name]
        ):
            parts = database.execute("select data from part where message_id = ? order by id", [message])
            about = _json(data)
            about = about if isinstance(about, dict) else {}
            messages.append({"info": about | {"id": message}, "parts": [_json(part) for (part,) in parts]})
        if messages:
            yield json.dumps({"info": info, "messages": messages})


def _json(text: object) -> Any:
    """The value of a JSON column; other values stay text and are reported by the reader."""
    try:
        return parse_json(str(text))
    except (ValueError, RecursionError):
        return str(text)


def _read_storage(files: Bundle) -> Iterator[Transcript]:
    """The sessions of the folder `storage`: `session/<project>/…json`, `message/<session>/…`, `part/<message>/…`."""
    by_folder: dict[str, list[str]] = {}
    for name in files.names:
        by_folder.setdefault(name.rpartition("/")[0], []).append(name)
    for name in files.names:
        if name.startswith("session/") and name.endswith(".json"):
            try:
                info = _value(files, name)
                messages = [
                    {
                        "info": about,
                        "parts": [_value(files, part) for part in by_folder.get(f"part/{about.get('id')}", ())],
                    }
                    for message in by_folder.get(f"message/{info.get('id')}", ())
                    for about in [_value(files, message)]
                ]
                session = json.dumps({"info": info, "messages": messages}).encode()
                yield from _read(Source(io.BytesIO(session), files.path / name, files.reading))
            except InputError as error:
                files.problem(error)


def _value(files: Bundle, name: str) -> dict[str, Any]:
    with files.source(name) as source:
        document = source.document
    if document is None:
        raise InputError("not a JSON object", path=files.path / name)
    return document


FORMAT = Format(
    "opencode",
    "opencode: opencode.db, its folder storage, or `opencode export`",
    "evermem ingest ~/.local/share/opencode/opencode.db",
    frozenset({".json"}),
    _matches,
    _read,
)
DATABASE = Database(FORMAT, frozenset({"session", "message", "part"}), _sessions)
EXPORT = Export(FORMAT, lambda names: names >= _STORAGE, _read_storage)
