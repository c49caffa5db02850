"""Notes in Markdown: one file of the owner's own words, or an Obsidian vault, which is a folder of such files.

A note is a conversation with oneself with one message per heading: a rewritten section replaces the old one.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from evermem_cli.errors import InputError
from evermem_cli.memory import Role, Transcript
from evermem_cli.transcripts.assemble import Chat, MessageDraft, assemble
from evermem_cli.transcripts.bundle import Bundle
from evermem_cli.transcripts.plain import markdown
from evermem_cli.transcripts.plain.dialogue import Page, page
from evermem_cli.transcripts.plain.heads import PLAIN, fenced, heads
from evermem_cli.transcripts.source import Format, Source
from evermem_cli.transcripts.times import find_day

SUFFIXES = frozenset({".md", ".markdown"})
VAULT = ".obsidian"  # the folder in which Obsidian keeps its settings
GUESS = "nobody is named in it, so it is a note of yours (--format)"
UNDATED = "notes without a date have that of their file's name or of its last change (--date)"
EMPTY = "notes without text"

_HEADING = re.compile(r"#{1,6}(?=\s)")
_EMBEDDED = re.compile(r"!\[\[[^\[\]\n]*\]\]")
_LINK = re.compile(r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]+)\]\]")  # [[Ann Lee]], [[Ann Lee|my sister]]


@dataclass(slots=True)
class _Section:
    """A section of a note, from its heading ("" before the first one) to the next; `line` is where it begins."""

    heading: str
    line: int
    lines: list[str] = field(default_factory=list)


def _matches(source: Source) -> bool:
    """Whether this is a Markdown file without speakers."""
    if source.is_json or source.path is None or source.path.suffix.lower() not in SUFFIXES:
        return False
    return not heads(page(source).lines, PLAIN)


def _read(source: Source) -> Iterator[Transcript]:
    key = source.path.resolve().as_posix() if source.path else None
    yield from _note(source, key and f"notes:{key}", [GUESS])


def is_vault(names: frozenset[str]) -> bool:
    """Whether a folder with these files and folders is a vault."""
    return VAULT in names


def read_vault(files: Bundle) -> Iterator[Transcript]:
    """Each note of a vault. A saved chat with an assistant is read as a chat."""
    for name in files.names:
        if PurePosixPath(name).suffix.lower() in SUFFIXES:
            try:
                with files.source(name) as source:
                    yield from _in_vault(source, f"notes:{files.path.stem}/{name}")
            except InputError as error:
                if error.reason.endswith("the file is empty"):
                    files.reading.skipped[EMPTY] += 1
                else:
                    files.problem(error)


def _in_vault(source: Source, key: str) -> Iterator[Transcript]:
    if markdown.names_roles(source):
        yield from markdown.FORMAT.read(source)
    else:
        yield from _note(source, key, [])


def _note(source: Source, key: str | None, guesses: list[str]) -> Iterator[Transcript]:
    text = page(source)
    if text.fault:
        source.problem(text.fault, 1)
    name = source.path.stem if source.path else ""
    dated = text.day or source.options.date
    chat = Chat("notes", key=text.key or key, title=text.title or name, day=dated or source.day)
    chat.guesses = list(guesses)
    seen: Counter[str] = Counter()
    for section in _sections(text):
        body = _shown("\n".join(section.lines))
        if body:
            seen[section.heading] += 1
            mark = f"{section.heading}#{seen[section.heading]}" if seen[section.heading] > 1 else section.heading
            stated = find_day(section.heading)
            stamp = stated.isoformat() if stated else text.moment
            said = f"{_shown(section.heading)}\n{body}" if section.heading else body
            chat.drafts.append(MessageDraft("me", said, stamp, Role.USER, mark or "top", section.line))
    if not chat.drafts:
        source.skip(EMPTY)
    if dated is None and any(draft.stamp is None for draft in chat.drafts):
        chat.guesses.append(UNDATED)
        if source.no_day:
            source.problem(f"no such date: {source.no_day} in its name; the note is dated {source.day}")
    yield from assemble(chat, source)


def _sections(text: Page) -> list[_Section]:
    code = fenced(text.lines)
    sections = [_Section("", 1)]
    for index, line in enumerate(text.lines):
        match = None if index in code else _HEADING.match(line)
        if match:
            sections.append(_Section(_heading(line[match.end() :].strip()), index + 1))
        else:
            sections[-1].lines.append(line)
    return sections


def _heading(text: str) -> str:
    """The words of a heading, which may end in a space and more of its marks."""
    words, _, last = text.rpartition(" ")
    return text if last.strip("#") else words.rstrip()


def _shown(text: str) -> str:
    """`text` as the note displays it: links by their words, and nothing that is embedded."""
    return _LINK.sub(r"\1", _EMBEDDED.sub("", text)).strip()


FORMAT = Format(
    "notes",
    "notes of your own in Markdown: a file, or an Obsidian vault as a whole",
    "name the folder of the notes; in a vault every note is yours, elsewhere those in which nobody is named",
    SUFFIXES,
    _matches,
    _read,
)
