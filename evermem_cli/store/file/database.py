"""DuckDB as evermem starts it: in memory, with extensions from wheels, and files attached with their keys."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import duckdb

from evermem_cli.errors import StoreError
from evermem_cli.extras import DISTRIBUTION
from evermem_cli.store.file.keys import Key

Connection = duckdb.DuckDBPyConnection

# Extensions come as wheels, like DuckDB itself. Checking their signatures as well takes 80 ms, a fifth of a search. No
# other extension is loaded.
CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "allow_unsigned_extensions": True,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
# The memory that DuckDB may use for writing, mostly to rewrite a whole file. More is spilled to a folder beside the
# file, which is removed afterwards. A search may hold all vectors.
# With two threads, one waits busily for the other for up to a second when a small transaction closes the file.
WRITING = ("set memory_limit = '512MB'", "set threads = 1")
READING = ("reset memory_limit", "reset threads")
# In a small file, a second thread makes a search slower: it takes two fifths more of the processors.
READING_SMALL = ("reset memory_limit", "set threads = 1")
SMALL_FILE = 100_000_000  # bytes
WRONG_KEY = "Wrong encryption key"
NO_KEY = "without a key"
NO_LOCK = "A key is explicitly specified, but database"


@dataclass(eq=False)
class InMemoryDatabase:
    """An in-memory database that files are attached to, one after another.

    `cursors` are kept for the next time together with their temporary tables and views, which belong to one cursor
    each. All are cursors of `connection`; closing it closes them too. `entries` are those of a file as it is now.
    """

    connection: Connection
    cursors: dict[Hashable, Connection] = field(default_factory=dict)
    entries: dict[Hashable, object] = field(default_factory=dict)

    def close(self) -> None:
        """Closes the database, which removes what it spilled."""
        for cursor in self.cursors.values():
            cursor.close()
        self.connection.close()


# Databases kept for the next file. Those for writing have the FTS extension, which takes longer to load than a file
# takes to attach; reading does without. Those that have attached encrypted files spill nothing in plain text.
idle: dict[bool, list[InMemoryDatabase]] = {False: [], True: []}
_lent: dict[Connection, InMemoryDatabase] = {}


def started(*, ciphers: bool) -> Connection:
    """An empty in-memory database to attach files to.

    With `ciphers` it can attach encrypted files and spills nothing plain.

    Only the httpfs extension has OpenSSL. Without it DuckDB would encrypt only with weak random numbers, which evermem
    does not allow. Raises StoreError where the extension is missing.
    """
    connection = duckdb.connect(":memory:", config=CONFIG)
    if ciphers:
        try:
            connection.execute(f"load {quoted(extension('httpfs'))}")
        except (ImportError, duckdb.Error) as error:
            missing = "an encrypted memory needs DuckDB's extension httpfs, which has the cipher"
            raise StoreError(missing, f"install {DISTRIBUTION} again") from error
        connection.execute("set temp_file_encryption = true")
    return connection


@contextmanager
def borrowed(*, ciphers: bool) -> Iterator[Connection]:
    """A connection to a database as `started`, which is kept for the next file unless the block raises."""
    database = idle[ciphers].pop() if idle[ciphers] else InMemoryDatabase(started(ciphers=ciphers))
    whole = False
    try:
        with _cursor(database) as connection:
            yield connection
        whole = True
    finally:
        _let_go(database, idle[ciphers] if whole else None)


@contextmanager
def beside(connection: Connection) -> Iterator[Connection]:
    """Another connection to the database of a borrowed one, with transactions and temporary views of its own."""
    with _cursor(holder(connection)) as cursor:
        yield cursor


@contextmanager
def _cursor(database: InMemoryDatabase) -> Iterator[Connection]:
    cursor = database.connection.cursor()
    _lent[cursor] = database
    try:
        yield cursor
    finally:
        del _lent[cursor]
        cursor.close()


def holder(connection: Connection) -> InMemoryDatabase:
    """The database of a borrowed connection. None of its cursors may be in a transaction when that is given back."""
    return _lent[connection]


def _let_go(database: InMemoryDatabase, kept: list[InMemoryDatabase] | None) -> None:
    """Detaches the file, and closes the database unless it is kept."""
    if kept is not None:
        with suppress(duckdb.Error):
            database.connection.execute("detach evermem")
            kept.append(database)
            return
    database.close()


def let_go() -> None:
    """Closes the kept databases before the process ends, which removes what they spilled."""
    for kept in idle.values():
        while kept:
            kept.pop().close()


def settings(path: Path, *, write: bool) -> tuple[str, ...]:
    """The settings of a database before it attaches this file."""
    if write:
        return WRITING
    return READING_SMALL if path.exists() and path.stat().st_size < SMALL_FILE else READING


def load_stemmer(connection: Connection) -> None:
    """Makes the functions of the FTS extension available."""
    connection.execute(f"load {quoted(extension('fts'))}")


def attach(connection: Connection, path: Path, name: str, option: str, key: Key | None) -> None:
    """Attaches a file, encrypted where there is a key. Raises duckdb.Error."""
    if key:
        option = f"{option}, encryption_key '{key.text}', encryption_cipher 'GCM'"
    connection.execute(f"attach {quoted(path)} as {name} ({option})")


def quoted(path: Path) -> str:
    """A path as an SQL string, since `load` and `attach` take no parameters."""
    return "'" + str(path).replace("'", "''") + "'"


def extension(name: str) -> Path:
    """The extension file in its wheel, which has one folder per DuckDB version. Raises ImportError."""
    wheel = import_module(f"duckdb_extension_{name}")
    return Path(next(iter(wheel.__path__))) / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
