"""Notes of Google Keep in Google's Takeout, one JSON file each, in the owner's own words."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from evermem_cli.memory import Role, Transcript
from evermem_cli.transcripts.assemble import Chat, MessageDraft, assemble
from evermem_cli.transcripts.plain.sections import EMPTY, headed
from evermem_cli.transcripts.records import Name, first_error
from evermem_cli.transcripts.source import Format, Source

DISCARDED = "notes in the trash"
SHARED = "notes that are shared with others count as yours"

_MARK = '"isTrashed"'  # a field of every note; looked for before a large file is parsed


class _KeepEntry(BaseModel):
    text: Name = ""
    isChecked: bool = False


class _KeepNote(BaseModel):
    title: Name = ""
    textContent: Name = ""
    listContent: list[_KeepEntry] = []
    createdTimestampUsec: Name = ""
    userEditedTimestampUsec: Name = ""
    isTrashed: bool
    isArchived: bool
    sharees: list[Any] = []

    def words(self) -> str:
        """The text and the entries of the list, below the title where they do not name it."""
        entries = (f"- [{'x' if entry.isChecked else ' '}] {entry.text}" for entry in self.listContent)
        body = "\n".join(filter(str.strip, [self.textContent, *entries]))
        return headed(self.title.strip(), body) if body else self.title


def _was_called(file: Path, beginning: str, key: str, _title: str) -> bool:
    """Whether a note of this key was made at the same time, and has no file of its own beside this one."""
    name = f"{key.removeprefix(beginning)}.json"
    return key.startswith(beginning) and not file.with_name(name).exists()


def _matches(source: Source) -> bool:
    if not source.is_json or source.is_array or not any(_MARK in line for line in source.sample):
        return False
    return any(isinstance(value, dict) and {"isTrashed", "isArchived"} <= value.keys() for value in source.peek())


def _read(source: Source) -> Iterator[Transcript]:
    """The note; nothing if it is in the trash or has no words."""
    for item in source.values():
        try:
            note = _KeepNote.model_validate(item.value)
        except ValidationError as error:
            source.problem(f"not a note of Google Keep: {first_error(error)}", item.line)
            continue
        words = note.words()
        if note.isTrashed or not words.strip():
            source.skip(DISCARDED if note.isTrashed else EMPTY)
            continue
        name = source.path.stem if source.path else ""
        made = note.createdTimestampUsec
        stamp = (made if made.strip("0") else note.userEditedTimestampUsec) or None
        chat = Chat("keep", key=f"keep:{made}:{name}", title=note.title or name)
        if made.strip("0") and source.path and source.path.exists():  # a file has its title's name, which may change
            chat.is_same = partial(_was_called, source.path, f"keep:{made}:")
        chat.drafts.append(MessageDraft("me", words, stamp, Role.USER, "top", item.line))
        chat.guesses += [SHARED] if note.sharees else []
        yield from assemble(chat, source)


FORMAT = Format(
    "keep",
    "Google Keep's notes in Google's Takeout",
    "takeout.google.com: Keep; the zip is read as it is",
    frozenset({".json"}),
    _matches,
    _read,
)
