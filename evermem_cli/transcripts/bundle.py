"""An export of many files, as a folder or a zip, read as one input. Nothing is unpacked to disk."""

import io
import lzma
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from evermem_cli.errors import InputError
from evermem_cli.memory import Problem, Transcript
from evermem_cli.transcripts.source import Format, InputContext, Source

# The maximum compression: chats shrink to a tenth, repetitive ones to a fiftieth, a zip bomb to a thousandth.
MAX_RATIO = 200
SMALL = 1 << 20  # bytes; smaller files may have any compression
MAX_TOTAL = 1 << 35  # maximum bytes of all files read, 32 GB
MAX_FILES = 1_000_000
MAX_NAME = 4096  # maximum characters of a path, as on Linux
SHOWN = 100  # characters shown of a name that is too long
UTF_8 = 0x800  # the flag of a zip entry with a UTF-8 name; other names are in code page 437

_CONVERSATIONS = re.compile(r"conversations(?:-\d+)?\.json")
_OUTSIDE = re.compile(r"\A\Z|\A/|\A[A-Za-z]:/|(?:\A|/)\.\.(?:/|\Z)")
# Files beside the conversations in an assistant's account, which identify its folder.
_ACCOUNT = frozenset(
    {"user.json", "users.json", "chat.html", "message_feedback.json", "export_manifest.json", "user_settings.json"}
    | {"projects.json", "memories.json", "shared_conversations.json"}
)
_DAMAGES = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, NotImplementedError, ValueError)


@dataclass(frozen=True, slots=True)
class Export:
    """A format whose export consists of many files.

    `marks` recognises the export by the names of the files in one folder.
    """

    format: Format
    marks: Callable[[frozenset[str]], bool]
    read: Callable[["Bundle"], Iterator[Transcript]]


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files of a folder or zip by their paths, with "/" as separator, sorted and without hidden ones.

    `hidden` are the paths of hidden folders and files at any depth.
    """

    path: Path
    names: tuple[str, ...]
    reading: InputContext
    open: Callable[[str], BinaryIO]
    hidden: frozenset[str] = frozenset()

    def folders(self) -> dict[str, frozenset[str]]:
        """The names of the files and folders in each folder, outermost first ("" or "a/b/")."""
        names: dict[str, set[str]] = {}
        for name in self.names:
            folder, _, file = name.rpartition("/")
            while file not in names.setdefault(folder and folder + "/", set()):
                names[folder and folder + "/"].add(file)
                if not folder:
                    break
                folder, _, file = folder.rpartition("/")
        return {folder: frozenset(names[folder]) for folder in sorted(names, key=lambda folder: folder.count("/"))}

    def below(self, folder: str) -> "Bundle":
        """The files in one folder of `folders`, by their paths."""
        names = (name.removeprefix(folder) for name in self.names if name.startswith(folder))
        return Bundle(self.path / folder, tuple(names), self.reading, lambda name: self.open(folder + name))

    @contextmanager
    def source(self, name: str) -> Iterator[Source]:
        """The file of a path, opened for reading. Raises InputError."""
        path = self.path / name
        try:
            with self.open(name) as stream:
                yield Source(stream, path, self.reading)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", "export it again", path=path) from error

    def each(self, names: Iterable[str], read: Callable[[Source], Iterator[Transcript]]) -> Iterator[Transcript]:
        """What `read` makes of the files of these paths. An unreadable file is reported, and the next one is read."""
        for name in names:
            try:
                with self.source(name) as source:
                    yield from read(source)
            except InputError as error:
                self.problem(error)

    def problem(self, error: InputError) -> None:
        """Reports an unreadable file."""
        reason = f"{error.reason}; {error.hint}" if error.hint else error.reason
        self.reading.report(Problem(path=str(error.path or self.path), reason=reason, line=error.line))


def is_account(names: frozenset[str]) -> bool:
    """Whether a folder with these files is an account export of an assistant, ChatGPT or Claude."""
    return bool(names & _ACCOUNT) and any(map(_CONVERSATIONS.fullmatch, names))


def chat_names(bundle: Bundle, suffixes: frozenset[str]) -> list[str]:
    """The files that may be chats: the conversations of an account, else everything with one of `suffixes`."""
    accounts = [folder for folder, names in bundle.folders().items() if is_account(names)]
    if accounts:
        names = [name for name in bundle.names if name.startswith(tuple(accounts))]
        return [name for name in names if _CONVERSATIONS.fullmatch(PurePosixPath(name).name)]
    return [name for name in bundle.names if PurePosixPath(name).suffix.lower() in suffixes]


def may_hold(path: Path, suffixes: frozenset[str]) -> bool:
    """Whether the zip `path` has a file with one of `suffixes`. True for a damaged zip, which reading then reports."""
    try:
        with zipfile.ZipFile(path) as opened:
            return any(PurePosixPath(name).suffix.lower() in suffixes for name in filter(_is_shown, opened.namelist()))
    except (*_DAMAGES, OSError):
        return True


def folder(path: Path, reading: InputContext) -> Bundle:
    """The folder `path` as a bundle."""
    files = (file for file in path.rglob("*") if file.is_file())
    names = sorted(file.relative_to(path).as_posix() for file in files)
    shown = tuple(filter(_is_shown, names))
    return Bundle(path, shown, reading, lambda name: (path / name).open("rb"), _hidden(names))


def is_zip(stream: BinaryIO) -> bool:
    """Whether `stream` begins like a zip; its position does not change."""
    if not stream.seekable():
        return False
    start = stream.tell()
    head = stream.read(4)
    stream.seek(start)
    return head in (b"PK\x03\x04", b"PK\x05\x06")


def archive(stream: BinaryIO, path: Path | None, reading: InputContext) -> Bundle:
    """The zip in `stream`. Paths that lead out of it are reported and left out. Raises InputError."""
    place = path or Path("standard input")
    try:
        opened = zipfile.ZipFile(stream)
        members = [member for member in opened.infolist() if not member.filename.endswith("/")]
    except _DAMAGES as error:
        raise InputError(f"a damaged zip: {error}", "download it again", path=place) from error
    if len(members) > MAX_FILES:
        raise InputError(f"a zip of more than {MAX_FILES:,} files", "unpack it and name the folder", path=place)
    known = {_name(member): member for member in members}
    for reason in _oddities(members):
        reading.report(Problem(path=str(place), reason=reason))
    budget = _Budget()
    names = tuple(sorted(name for name in known if _is_shown(name) and _is_inside(name)))
    return Bundle(place, names, reading, lambda name: _opened(opened, known[name], budget), _hidden(known))


def _oddities(members: Iterable[zipfile.ZipInfo]) -> Iterator[str]:
    """Why files of a zip are not read, or only partly."""
    for name, count in Counter(map(_name, members)).items():
        if not _is_inside(name):
            yield f"a name that points out of the zip or is too long: {name[:SHOWN]!r}"
        elif count > 1:
            yield f"{count} files in the zip are called {name!r}; the last one is read"


def _name(member: zipfile.ZipInfo) -> str:
    r"""The path of a file in a zip. Slack writes UTF-8 without the flag, and some programs on Windows write "\"."""
    name = member.filename
    if not member.flag_bits & UTF_8:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name.replace("\\", "/")


def _is_shown(name: str) -> bool:
    """Whether a file is not hidden. The folders of a Maildir, as ".Sent/cur/…", only look so."""
    *folders, file = name.split("/")
    in_maildir = folders[-1:] in (["cur"], ["new"]) and file[:9].isdecimal()  # the time of its delivery
    shown = folders[:-2] if in_maildir else folders
    return not any(part.startswith((".", "__MACOSX")) for part in (*shown, file))


def _hidden(names: Iterable[str]) -> frozenset[str]:
    return frozenset(part for name in names for part in name.split("/") if part.startswith("."))


def _is_inside(name: str) -> bool:
    return len(name) <= MAX_NAME and not _OUTSIDE.search(name)


@dataclass(slots=True)
class _Budget:
    """How many more bytes may be unpacked from a zip."""

    left: int = MAX_TOTAL


def _opened(opened: zipfile.ZipFile, member: zipfile.ZipInfo, budget: _Budget) -> BinaryIO:
    """The unpacked bytes of `member`, at most as many as its entry states. Raises OSError."""
    if member.file_size > max(SMALL, MAX_RATIO * member.compress_size):
        raise OSError(f"unpacks to {member.file_size:,} bytes from {member.compress_size:,}, as a zip bomb does")
    budget.left -= member.file_size
    if budget.left < 0:
        raise OSError(f"the zip unpacks to more than {MAX_TOTAL:,} bytes")
    try:
        return io.BufferedReader(_Member(opened.open(member)), 1 << 16)
    except _DAMAGES as error:
        raise OSError(str(error)) from error


class _Member(io.RawIOBase):
    """The bytes of a file in a zip. Damage raises OSError, as on a disk."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            block = self._stream.read(len(buffer))
        except _DAMAGES as error:
            raise OSError(f"damaged in the zip: {error}") from error
        buffer[: len(block)] = block
        return len(block)
