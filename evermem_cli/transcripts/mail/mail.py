"""Mail as files: one mail in an .eml, or a folder of a mail program in an mbox, as in Google's Takeout.

Mails that answer each other are one conversation. Quoted text and signatures are not the author's words. Mails
from machines, such as newsletters, are left out, and so are drafts, spam and the trash.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from evermem_cli.memory import ChatKind, Transcript
from evermem_cli.transcripts.assemble import Chat, MessageDraft, assemble
from evermem_cli.transcripts.mail.letters import MAX_TEXT, Letter, letter
from evermem_cli.transcripts.source import Format, Source

BULK = "of newsletters and machines"
AGAIN = "that stand there twice"
DISCARDED = "that are drafts, spam or in the trash"
QUOTES = "with nothing but quoted text"

MAX_MAIL = 1 << 22  # bytes read of a mail; its text comes first, and attachments are not read

_SUFFIXES = frozenset({".eml", ".mbox"})
_FIELD = re.compile(r"[!-9;-~]+:(?: |\t|\Z)")
_SENT_BY = re.compile(r"from:\s*\S", re.IGNORECASE)
_ON_ITS_WAY = re.compile(
    r"(?:message-id|date|received|delivered-to|return-path|mime-version|x-gm-thrid):", re.IGNORECASE
)
# The line above each mail of an mbox: sender and time, or neither, as Thunderbird writes it.
_ENVELOPE = re.compile(r"From (?:\S+.*\d{4})?\s*")
_BINARY_ENVELOPE = re.compile(rb"From \S+ .*\d{4}\s*")
_BARE_ENVELOPE = re.compile(rb"From \s*")


class Posted(NamedTuple):
    """A mail as a file has it, from `line` on. `unwanted` if its folder or file is marked as drafts, spam or trash."""

    source: Source
    line: int
    data: bytes
    unwanted: bool = False


@dataclass(slots=True)
class _MailThread:
    """Mails that answer each other, each with where it is."""

    letters: list[tuple[Letter, Posted]] = field(default_factory=list)


def _matches(source: Source) -> bool:
    """Whether this begins with the headers of a mail, after the separator line of an mbox if there is one.

    In a file that is named as a mail any headers do, so that reading it tells what the mail lacks.
    """
    lines = [line.rstrip("\n") for line in source.first_lines]
    is_named_mail = source.path is not None and source.path.suffix.lower() in _SUFFIXES
    if lines and (_ENVELOPE.fullmatch(lines[0]) or (is_named_mail and lines[0].startswith("From "))):
        lines = lines[1:]
    head: list[str] = []
    for line in lines:
        if not line.strip():
            break
        if not (_FIELD.match(line) or (head and line[0] in " \t")):
            return False
        head.append(line)
    if is_named_mail:
        return bool(head)
    return any(map(_SENT_BY.match, head)) and any(map(_ON_ITS_WAY.match, head))


def begins_mbox(head: bytes) -> bool:
    """Whether a file with these first bytes is an mbox."""
    return _separates(head.partition(b"\n")[0], in_mbox=True)


def _separates(line: bytes, *, in_mbox: bool) -> bool:
    """Whether a line stands above a mail. In other files than an mbox a line "From " is only text."""
    dated = _BINARY_ENVELOPE.fullmatch(line)
    return dated is not None or (in_mbox and _BARE_ENVELOPE.fullmatch(line) is not None)


def _read(source: Source) -> Iterator[Transcript]:
    yield from read_mails(Posted(source, line, data) for line, data in mails_in(source))


def read_mails(mails: Iterable[Posted]) -> Iterator[Transcript]:
    """One conversation per thread, in the order of their first mails."""
    names: dict[str, str] = {}
    threads: dict[str, _MailThread] = {}
    root_of: dict[str, str] = {}
    for mail, posted in _letters(mails):
        if names.get(mail.address, mail.address) == mail.address:
            names[mail.address] = mail.name
        root = _root(mail, root_of) or f"{posted.source.name}, line {posted.line}"
        root_of |= dict.fromkeys((*mail.follows, mail.id), root)
        threads.setdefault(root, _MailThread()).letters.append((mail, posted))
    for root, thread in threads.items():
        yield from assemble(_chat(root, thread, names), thread.letters[0][1].source)


def _letters(mails: Iterable[Posted]) -> Iterator[tuple[Letter, Posted]]:
    """The mails written by people, each once, with where it is."""
    seen: set[str] = set()
    for posted in mails:
        source, line = posted.source, posted.line
        try:
            mail = letter(posted.data)
        except ValueError as error:
            source.problem(f"a mail that cannot be read: {error}", line)
            continue
        if mail.discarded or posted.unwanted:
            source.skip(DISCARDED)
        elif mail.by_machine:
            source.skip(BULK)
        elif mail.id in seen:
            source.skip(AGAIN)
        elif not mail.address:
            source.problem("not a mail: it has no sender", line)
        else:
            seen |= {mail.id} - {""}
            if mail.cut:
                source.problem(f"a mail of more than {MAX_TEXT:,} characters; the rest of it is left out", line)
            yield mail, posted._replace(data=b"")


def _root(mail: Letter, root_of: dict[str, str]) -> str:
    """The id of the first mail of the thread, as far as the mails before and the mail itself tell."""
    names = (*mail.follows, mail.id)
    return next((root_of[name] for name in names if name and name in root_of), names[0])


def _chat(root: str, thread: _MailThread, names: dict[str, str]) -> Chat:
    in_order = sorted(thread.letters, key=lambda entry: _moment(entry[0]))
    chat = Chat("mail", key=f"mail:{root}" if root.startswith("<") else None, kind=ChatKind.GROUP)
    chat.title = in_order[0][0].subject
    for mail, (source, line, *_) in in_order:
        if mail.text or not mail.follows:
            text = mail.text or mail.subject
            if mail.undated:
                source.problem(_instead_of_date(mail, in_order, source), line)
            chat.drafts.append(MessageDraft(names[mail.address], text, mail.sent, None, mail.id or None, line))
        else:
            source.skip(QUOTES)
    return chat


def _instead_of_date(mail: Letter, in_order: Sequence[tuple[Letter, Posted]], source: Source) -> str:
    """Why a mail of a thread has no date of its own, and which it has instead."""
    if mail.sent:
        instead = f"it has the time of its receipt, {mail.sent}"
    elif any(other.sent for other, _ in in_order):
        instead = "it has the time of the first mail of its thread that has one"
    else:
        instead = f"it is dated {source.options.date or source.day}"
    return f'the mail "{mail.subject or mail.id}": {mail.undated}; {instead}'


def _moment(mail: Letter) -> datetime:
    """When a mail was sent, to sort mails; those without a date come first."""
    return datetime.fromisoformat(mail.sent) if mail.sent else datetime.min.replace(tzinfo=UTC)


def mails_in(source: Source) -> Iterator[tuple[int, bytes]]:
    """Each mail with its separator line, if any, and the number of its first line; of a very long one the beginning.

    A line `From …` begins the next mail where it follows an empty line and ends in a year, or is "From " alone. Within
    mails it is escaped with ">".
    """
    begin, size, parts = 1, 0, list[bytes]()
    empty, is_mbox = True, False
    for number, line in enumerate(_lines(source.raw_bytes()), 1):
        if empty and line.startswith(b"From ") and _separates(line, in_mbox=is_mbox or number == 1):
            if parts:
                yield begin, b"".join(parts)
            begin, size, parts = number, 0, []
            is_mbox = True
        if is_mbox and line.startswith(b">From "):
            line = line[1:]
        size += len(line)
        if size <= MAX_MAIL:
            parts.append(line)
        empty = not line.strip()
    if parts:
        yield begin, b"".join(parts)


def _lines(stream: Iterable[bytes]) -> Iterator[bytes]:
    return (line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line for number, line in enumerate(stream))


FORMAT = Format(
    "mail",
    "mail: an .eml, an mbox, a Maildir, or a profile of Thunderbird",
    "name the folder of the mail program, save a mail as .eml, or takeout.google.com: Mail",
    _SUFFIXES,
    _matches,
    _read,
)
