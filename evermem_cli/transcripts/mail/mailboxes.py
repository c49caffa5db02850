"""The mail of a program, with all its folders as one input: a profile or account of Thunderbird, or a Maildir."""

import re
from collections.abc import Callable, Iterator, Set
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from evermem_cli.errors import InputError
from evermem_cli.memory import Transcript
from evermem_cli.transcripts.bundle import Bundle
from evermem_cli.transcripts.mail import mail
from evermem_cli.transcripts.mail.letters import DISCARDED_FOLDERS
from evermem_cli.transcripts.mail.mail import Posted

BESIDE = "files beside the mail"
INDEX = ".msf"  # of Thunderbird, beside each mbox, whose name has no suffix

_MAILDIR = frozenset({"cur", "new", "tmp"})
_PROFILE = frozenset({"Mail", "ImapMail"})
_HEAD_BYTES = 1_000
# A mail in a Maildir: the time of its delivery, and after "2," its flags, of which D is a draft and T is deleted.
_IN_MAILDIR = re.compile(r"(?:(.*)/)?(?:cur|new)/\d{9,}[._][^/]*?(?:[:;!]2,([A-Za-z]*))?")
_UNWANTED_FLAGS = frozenset("DT")
# Other names of such folders, in Outlook, iCloud and Thunderbird.
_UNWANTED = DISCARDED_FOLDERS | {"deleted items", "deleted messages", "junk e-mail", "junk email", "unsent messages"}


def is_mailbox(names: frozenset[str]) -> bool:
    """Whether a folder with these files and folders is a mail program's."""
    is_profile = "prefs.js" in names and not names.isdisjoint(_PROFILE)
    return is_profile or names >= _MAILDIR or any(f"{name}{INDEX}" in names for name in names)


def holds_maildirs(folder: Path, names: frozenset[str]) -> bool:
    """Whether a folder with these files and folders is an account with a Maildir for each of its folders, and no other.

    mbsync and others keep mail so.
    """
    folders = [folder / name for name in names if not name.startswith(".") and (folder / name).is_dir()]
    return len(folders) > 1 and all((inner / part).is_dir() for inner in folders for part in _MAILDIR)


def is_mbox(file: Path) -> bool:
    """Whether a file whose name has no suffix begins like an mbox."""
    return not file.suffix and file.is_file() and _begins_mbox(lambda: file.open("rb"))


def mboxes(files: Bundle) -> list[str]:
    """The files of a folder or zip whose names have no suffix and that begin like an mbox."""
    bare = (name for name in files.names if not PurePosixPath(name).suffix)
    return [name for name in bare if _begins_mbox(partial(files.open, name))]


def _begins_mbox(opened: Callable[[], BinaryIO]) -> bool:
    try:
        with opened() as stream:
            return mail.begins_mbox(stream.read(_HEAD_BYTES))
    except OSError:
        return False


def places(files: Bundle) -> tuple[str, ...]:
    """The outermost folders of mail programs, each "" or with "/" at its end."""
    outermost: list[str] = []
    in_maildirs = {f"{match[1]}/" if match[1] else "" for name in files.names if (match := _IN_MAILDIR.fullmatch(name))}
    for folder, names in files.folders().items():
        if (folder in in_maildirs or is_mailbox(names)) and not folder.startswith(tuple(outermost)):
            outermost.append(folder)
    return tuple(outermost)


def read_mailboxes(files: Bundle, folders: tuple[str, ...]) -> Iterator[Transcript]:
    """The threads of all mail in these folders. Other files in them are counted as left out."""
    names = [name for name in files.names if name.startswith(folders)]
    indexed = {name.removesuffix(INDEX) for name in names if name.endswith(INDEX)}
    mails = [name for name in names if _holds_mail(name, files, indexed)]
    files.reading.skipped[BESIDE] += len(names) - len(mails)
    yield from mail.read_mails(_mails(files, mails))


def _mails(files: Bundle, names: list[str]) -> Iterator[Posted]:
    for name in names:
        unwanted = _is_unwanted(name)
        try:
            with files.source(name) as source:
                for line, data in mail.mails_in(source):
                    yield Posted(source, line, data, unwanted)
        except InputError as error:
            files.problem(error)


def _holds_mail(name: str, files: Bundle, indexed: Set[str]) -> bool:
    """Whether a file has mail. One that Thunderbird has indexed may have a name with a dot."""
    suffix = PurePosixPath(name).suffix.lower()
    if _IN_MAILDIR.fullmatch(name) or suffix in mail.FORMAT.suffixes:
        return True
    return (not suffix or name in indexed) and _begins_mbox(partial(files.open, name))


def _is_unwanted(name: str) -> bool:
    """Whether a mail, or the folder it is in, is that of drafts, spam or deleted mails, by its name."""
    match = _IN_MAILDIR.fullmatch(name)
    folders = (match[1] or "") if match else name
    words = re.split("[/.]", folders.casefold())
    return not _UNWANTED.isdisjoint(words) or bool(match and _UNWANTED_FLAGS & set(match[2] or ""))
