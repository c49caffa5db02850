"""A page as a note of the owner: one message per heading."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from evermem_cli.memory import Role, Transcript
from evermem_cli.transcripts.assemble import Chat, MessageDraft, assemble
from evermem_cli.transcripts.plain.dialogue import Page
from evermem_cli.transcripts.plain.heads import fenced
from evermem_cli.transcripts.source import Source
from evermem_cli.transcripts.times import find_day

UNDATED = "notes without a date have that of their file's name or of its last change (--date)"
EMPTY = "notes without text"
HIDDEN = "comments in notes"
PREFIX = "notes:"  # of the ids of notes, before the paths of their files

_HEADING = re.compile(r"#{1,6}(?=\s)")
_EMBEDDED = re.compile(r"!\[\[[^\[\]\n]*\]\]")
_COMMENT = re.compile(r"^%%.*?%%|%%[^\n]*?%%", re.DOTALL | re.MULTILINE)  # Obsidian hides it
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
    """Whether the note of `key` was a file beside this one that is gone."""
    path = Path(key.removeprefix(PREFIX))
    return source.path is not None and path.parent == source.path.resolve().parent and not path.exists()


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
    if text.fault:
        source.problem(text.fault, 1)
    name = source.path.stem if source.path else ""
    dated = text.day or source.options.date
    chat = Chat("notes", key=text.key or key, title=text.title or name, day=dated or source.day)
    chat.guesses = list(guesses)
    if text.key is None and is_gone:
        chat.is_gone = lambda other: find_day(PurePosixPath(other).stem) in (None, find_day(name)) and is_gone(other)
    seen: Counter[str] = Counter()
    lines, comments = _without_comments(text.lines)
    source.skip(HIDDEN, comments)
    for section in _sections(lines):
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


def _without_comments(lines: Sequence[str]) -> tuple[list[str], int]:
    """As many lines without the comments outside of code, and how many comments there are."""
    code = fenced(lines)
    text, uncoded = (
        "\n".join(lines),
        "\n".join(" " * len(line) if index in code else line for index, line in enumerate(lines)),
    )
    comments = [*_COMMENT.finditer(uncoded)]
    for comment in reversed(comments):
        text = text[: comment.start()] + "\n" * comment[0].count("\n") + text[comment.end() :]
    return text.split("\n"), len(comments)


def _sections(lines: Sequence[str]) -> list[_Section]:
    code = fenced(lines)
    sections = [_Section("", 1)]
    for index, line in enumerate(lines):
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


def headed(title: str, body: str) -> str:
    """`body` below its title, unless it has the words of the title itself."""
    named = re.search(rf"(?<!\w){re.escape(title)}(?!\w)", body, re.IGNORECASE)
    return body if named else f"{title}\n{body}"


def _shown(text: str) -> str:
    """`text` as the note displays it: links by their words, and nothing that is embedded."""
    return _LINK.sub(r"\1", _EMBEDDED.sub("", text)).strip()
