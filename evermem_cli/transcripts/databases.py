"""Chats in a program's SQLite database, each read as the JSON that the program exports."""

import io
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from evermem_cli.errors import InputError
from evermem_cli.memory import Transcript
from evermem_cli.transcripts.source import Format, InputContext, Source

MAX_VALUE = 1 << 26  # maximum characters of one value; a chat has fewer

_BEGINNING = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class Database:
    """A format whose chats may be in a database with `tables`. `sessions` yields each chat as JSON."""

    format: Format
    tables: frozenset[str]
    sessions: Callable[[sqlite3.Connection], Iterator[str]]


def is_database(stream: BinaryIO) -> bool:
    """Whether `stream` begins like a database; its position does not change."""
    if not stream.seekable():
        return False
    start = stream.tell()
    head = stream.read(len(_BEGINNING))
    stream.seek(start)
    return head == _BEGINNING


def read_database(path: Path, known: Sequence[Database], reading: InputContext) -> Iterator[Transcript]:
    """The chats in the database `path`, which is opened read-only and may be in use. Raises InputError."""
    address = f"file:{quote(path.resolve().as_posix())}?mode=ro"
    any_found = False
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
            database.execute("pragma trusted_schema = off")
            tables = {name for (name,) in database.execute("select name from sqlite_master where type = 'table'")}
            for program in known:
                if program.tables <= tables:
                    for session in program.sessions(database):
                        source = Source(io.BytesIO(session.encode()), path, reading)
                        for transcript in program.format.read(source):
                            any_found = True
                            yield transcript
    except (sqlite3.Error, OverflowError) as error:
        hint = "close the program that it belongs to and try again"
        raise InputError(f"a database that cannot be read: {error}", hint, path=path) from error
    if not any_found:
        programs = " or ".join(program.format.name for program in known)
        raise InputError(f"no chats of {programs} in this database{reading.left_out()}", path=path)
