"""Reads chat exports: `read` detects the format by content, `find` finds the inputs in directories."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from evermem_cli.errors import InputError, UsageError
from evermem_cli.memory import Finding, Transcript
from evermem_cli.transcripts import bundle, takeout
from evermem_cli.transcripts.apps import discord, imessage, messenger, signal, slack, sms, telegram, whatsapp
from evermem_cli.transcripts.assistants import chatgpt, claude, claude_code, codex, cursor, gemini, gemini_cli, opencode
from evermem_cli.transcripts.bundle import Bundle, Export
from evermem_cli.transcripts.databases import Database, is_database, read_database
from evermem_cli.transcripts.find import PassedOver, Skip, inputs
from evermem_cli.transcripts.mail import calendar, mail, mailboxes
from evermem_cli.transcripts.options import DateOrder, ReadOptions, date_order
from evermem_cli.transcripts.plain import evermemos, jsonl, keep, markdown, notes, text
from evermem_cli.transcripts.source import Format, InputContext, Source
from evermem_cli.transcripts.subtitles import captions
from evermem_cli.transcripts.unsupported import instead_of, instead_of_files

__all__ = ["FORMATS", "DateOrder", "Format", "ReadOptions", "Skip", "date_order", "find", "read"]

# In the order of detection: the first format that matches is taken.
FORMATS: tuple[Format, ...] = (
    telegram.FORMAT,  # an account is recognised by its beginning, before another format reads all of it
    evermemos.FORMAT,
    chatgpt.FORMAT,
    claude.FORMAT,
    slack.FORMAT,
    gemini.FORMAT,
    keep.FORMAT,
    signal.FORMAT,
    codex.FORMAT,
    gemini_cli.FORMAT,
    opencode.FORMAT,
    cursor.FORMAT,
    claude_code.FORMAT,
    discord.FORMAT,
    messenger.FORMAT,
    jsonl.FORMAT,
    sms.FORMAT,
    captions.VTT,
    captions.SRT,
    calendar.FORMAT,
    mail.FORMAT,
    imessage.FORMAT,
    whatsapp.FORMAT,
    markdown.FORMAT,
    notes.FORMAT,
    text.FORMAT,
)
# Formats in which a folder or zip holds many files that belong together.
EXPORTS: tuple[Export, ...] = (slack.EXPORT, messenger.EXPORT, signal.EXPORT, opencode.EXPORT)
# Formats whose chats may be in an SQLite database.
DATABASES: tuple[Database, ...] = (cursor.DATABASE, opencode.DATABASE)

_SUFFIXES = frozenset().union(*(known.suffixes for known in FORMATS))
_OF_PROGRAMS = _SUFFIXES - text.FORMAT.suffixes - notes.FORMAT.suffixes | {".csv"}  # nobody adds names in these by hand
_NAMES = frozenset({"opencode.db"})  # files whose suffix is ambiguous
_SEE_FORMATS = "`evermem formats` lists what is read and how to get it"
_UNFORCED = "leave out --format to have the format detected"
_AS_NOTE = "put `Name: ` before at least two messages, or use --format text to read the file as one note of yours"


def read(source: Path | BinaryIO, options: ReadOptions, report: Callable[[Finding], None]) -> Iterator[Transcript]:
    """The conversations of `source`, one by one. A stream is read from its position and stays open.

    A zip, or the folder of an export, is read as a whole. Unusable parts are reported to `report`, and the rest is
    read. Messages of the system and of tools, and messages without text, are left out and counted in a report at the
    end. Times are aware; see `times.fill` for missing ones. Raises InputError if nothing can be read or there is no
    message, UsageError if `options.format` is unknown.
    """
    chosen = _named(options.format) if options.format else None
    path = source if isinstance(source, Path) else None
    reading = InputContext(options, report)
    try:
        if path and path.is_dir():
            next(path.iterdir(), None)  # an error where it may not be listed
            yield from _whole(bundle.folder(path, reading), chosen)
        else:
            with source.open("rb") if isinstance(source, Path) else nullcontext(source) as stream:
                if bundle.is_zip(stream):
                    yield from _whole(bundle.archive(stream, path, reading), chosen)
                elif path and is_database(stream):
                    yield from read_database(path, DATABASES, reading)
                else:
                    yield from _single(Source(stream, path, reading), chosen)
    except OSError as error:
        hint = "check the path and its permissions"
        raise InputError(f"cannot be read: {error.strerror or error}", hint, path=path) from error
    finally:
        reading.conclude(str(path or "standard input"))


def find(paths: Iterable[Path], passed_over: PassedOver = lambda *_: None) -> Iterator[Path]:
    """`paths`, with directories replaced by the files in them that may be chats, sorted; see `find.inputs`."""
    return inputs(paths, _may_be_chat, _is_export, passed_over)


def _may_be_chat(file: Path) -> bool:
    suffix = file.suffix.lower()
    if suffix == ".zip":
        return bundle.may_hold(file, _SUFFIXES | {mailboxes.INDEX})
    return suffix in _SUFFIXES or file.name in _NAMES or mailboxes.is_mbox(file)


def _is_export(folder: Path, names: frozenset[str]) -> bool:
    """Whether a folder, with these files and folders, is one export, to be read as a whole."""
    whole = (
        bundle.is_account,
        messenger.is_account,
        notes.is_vault,
        mailboxes.is_mailbox,
        *(known.marks for known in EXPORTS),
    )
    if takeout.is_account(folder.name, names) or any(is_whole(names) for is_whole in whole):
        return True
    return mailboxes.holds_maildirs(folder, names)


def _single(source: Source, chosen: Format | None) -> Iterator[Transcript]:
    """The conversations of one file. Raises InputError if there are none."""
    any_found = False
    known = chosen or _detected(source)
    for transcript in known.read(source):
        any_found = True
        yield transcript
    if not any_found:
        raise _nothing_in(source, known, forced=chosen is not None)


def _nothing_in(source: Source, known: Format, *, forced: bool) -> InputError:
    """The error for a file without messages, which was read as a format that the user may have `forced`."""
    suffix = source.path.suffix.lower() if source.path else ""
    of_text = not source.is_json and suffix not in _OF_PROGRAMS
    hint = _UNFORCED if forced and known is not text.FORMAT else _AS_NOTE if of_text else _SEE_FORMATS
    named = [other.name for other in FORMATS if suffix in other.suffixes]
    # of a suffix that only one program writes, the content should have that form
    unlike = f": it does not begin like the format {named[0]}" if len(named) == 1 and known.name not in named else ""
    return source.error(f"no messages found{unlike}{source.reading.left_out()}", hint)


def _whole(files: Bundle, chosen: Format | None) -> Iterator[Transcript]:
    """The conversations of a folder or zip. Raises InputError if there are none."""
    any_found = False
    for transcript in _parts(files, chosen):
        any_found = True
        yield transcript
    if not any_found:
        if not files.names:
            raise InputError("no chats in this directory", "name a file to have it tried", path=files.path)
        left_out = files.reading.left_out()
        hint = instead_of_files(files.names) or _SEE_FORMATS
        raise InputError(f"no messages found in any of its files{left_out}", hint, path=files.path)


def _parts(files: Bundle, chosen: Format | None) -> Iterator[Transcript]:
    if chosen in (None, mail.FORMAT) and (folders := mailboxes.places(files)):
        yield from mailboxes.read_mailboxes(files, folders)
        files = replace(files, names=tuple(name for name in files.names if not name.startswith(folders)))
    for known in EXPORTS:
        marked = [folder for folder, names in files.folders().items() if known.marks(names)]
        if marked and chosen in (None, known.format):
            for folder in marked:
                yield from known.read(files.below(folder))
            return
    if notes.is_vault(files.hidden) and chosen in (None, notes.FORMAT):
        yield from notes.read_vault(files)
        return
    if chosen in (None, *takeout.PRODUCTS) and takeout.is_takeout(files):
        yield from takeout.read_takeout(files, [chosen] if chosen else takeout.PRODUCTS)
        return
    yield from files.each(
        [*bundle.chat_names(files, _SUFFIXES), *mailboxes.mboxes(files)], lambda source: _single(source, chosen)
    )


def _named(name: str) -> Format:
    for known in FORMATS:
        if known.name == name:
            return known
    raise UsageError(f"no such format: {name}", f"one of {', '.join(known.name for known in FORMATS)}")


def _detected(source: Source) -> Format:
    if instead := instead_of("".join(source.sample[:2])):
        raise source.error("not a chat of a known form", instead)
    for known in FORMATS:
        if known.matches(source):
            return known
    raise source.error("no messages found: the JSON has no known form", _SEE_FORMATS)
