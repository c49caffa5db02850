"""A page as a note of the owner: one message per heading, and only what is the owner's words."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path, PurePosixPath

from evermem_cli.memory import Role, Transcript
from evermem_cli.transcripts.assemble import Chat, MessageDraft, assemble
from evermem_cli.transcripts.plain.dialogue import Page
from evermem_cli.transcripts.plain.heads import fenced
from evermem_cli.transcripts.plain.markup import is_template, without_markup
from evermem_cli.transcripts.source import Source
from evermem_cli.transcripts.times import find_day, is_day, named_day, named_stamp

UNDATED = "notes without a date have that of their file's name or of its last change (--date)"
EMPTY = "notes without text"
TEMPLATES = "templates of notes"
DRAWINGS = "drawings of Excalidraw"
_DRAWING = "excalidraw-plugin"  # a field of the front matter
PREFIX = "notes:"  # of the ids of notes, before the paths of their files

_HEADING = re.compile(r"#{1,6}(?=\s)")
_EMBEDDED = re.compile(r"!\[\[[^\[\]\n]*\]\]")
_LINK = re.compile(r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]+)\]\]")  # [[Ann Lee]], [[Ann Lee|my sister]]


@dataclass(slots=True)
class _Section:
    """A section of a note, from its heading ("" before the first one) to the next; `line` is where it begins."""

    heading: str
    line: int
    lines: list[str] = field(default_factory=list)


def key_of(source: Source) -> str | None:
    """The id of the note that a file is; None for a stream."""
    return f"{PREFIX}{source.path.resolve().as_posix()}" if source.path else None


def is_moved(source: Source, key: str) -> bool:
    """Whether the note of `key` was a file outside of vaults that is gone."""
    path = Path(key.removeprefix(PREFIX))
    return source.path is not None and path.is_absolute() and not path.exists()


def note(
    source: Source,
    text: Page,
    key: str | None,
    guesses: Sequence[str] = (),
    is_gone: Callable[[str], bool] | None = None,
) -> Iterator[Transcript]:
    """`text` as a note; nothing if it has no words. Its id is that of its front matter, else `key`.

    `is_gone` tells whether the file of another key is gone; a name with another day than this one is another note's.
    """
    if reason := TEMPLATES if is_template(text) else DRAWINGS if _DRAWING in text.fields else "":
        source.skip(reason)
        return
    if text.fault:
        source.problem(text.fault, 1)
    name = source.path.stem if source.path else ""
    dated = source.options.date or text.day
    chat = Chat("notes", key=text.key or key, title=text.title or name, day=dated or source.day)
    chat.guesses = list(guesses)
    if text.key is None and is_gone:
        chat.is_gone = lambda other: _day_of(other) in (None, named_day(name)) and is_gone(other)
    named = named_stamp(name) or ""
    chat.drafts = _drafts(text, chat.title, source)
    if not chat.drafts:
        source.skip(EMPTY)
    undated = [draft for draft in chat.drafts if draft.stamp is None]
    for draft in undated:
        draft.stamp = text.moment or (dated.isoformat() if dated else named or None)
    if undated and dated is None and "T" not in named:
        chat.guesses.append(UNDATED)
        if source.no_day:
            source.problem(f"no such date: {source.no_day} in its name; the note is dated {source.day}")
    yield from assemble(chat, source)


def _day_of(key: str) -> date | None:
    return named_day(PurePosixPath(key).stem)


def _drafts(text: Page, title: str, source: Source) -> list[MessageDraft]:
    """One message per section with words, of the day of the last heading that has one, and else without a time."""
    drafts = []
    stamp = None
    seen: Counter[str] = Counter()
    lines, left_out = without_markup(text.lines)
    for reason, count in left_out.items():
        source.skip(reason, count)
    for section in _sections(lines):
        body = _shown("\n".join(section.lines))
        if day := find_day(section.heading):
            stamp = day.isoformat()
        if body:
            seen[section.heading] += 1
            mark = f"{section.heading}#{seen[section.heading]}" if seen[section.heading] > 1 else section.heading
            said = _below(_shown(section.heading), body, title)
            drafts.append(MessageDraft("me", said, stamp, Role.USER, mark or "top", section.line))
    return drafts


def _below(heading: str, body: str, title: str) -> str:
    """`body` below its heading. One that is only a date, or is the note's own and in the body, is left out."""
    if not heading or is_day(heading):
        return body
    return headed(heading, body) if heading.casefold() == title.casefold() else f"{heading}\n{body}"


def _sections(lines: Sequence[str | None]) -> list[_Section]:
    """The sections in lines, of which those that are None are left out."""
    code = fenced([line or "" for line in lines])
    sections = [_Section("", 1)]
    for index, line in enumerate(lines):
        match = None if index in code or line is None else _HEADING.match(line)
        if match and line:
            sections.append(_Section(_heading(line[match.end() :].strip()), index + 1))
        elif line is not None:
            sections[-1].lines.append(line)
    return sections


def _heading(text: str) -> str:
    """The words of a heading, which may end in a space and more of its marks."""
    words, _, last = text.rpartition(" ")
    return text if last.strip("#") else words.rstrip()


def headed(title: str, body: str) -> str:
    """`body` below its title, unless it has the words of the title itself."""
    named = re.search(rf"(?<!\w){re.escape(title)}(?!\w)", body, re.IGNORECASE)
    return body if named else f"{title}\n{body}"


def _shown(text: str) -> str:
    """`text` as the note displays it: links by their words, and nothing that is embedded."""
    return _LINK.sub(r"\1", _EMBEDDED.sub("", text)).strip()
