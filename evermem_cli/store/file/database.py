"""DuckDB as evermem starts it: in memory, its extensions from their wheels, files attached with their keys."""

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

# The extensions come as wheels, as DuckDB itself does. To check their signatures too takes 80 ms, a fifth of a search.
# No other is loaded, wherever it lies.
CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "allow_unsigned_extensions": True,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
WRONG_KEY = "Wrong encryption key"
NO_KEY = "without a key"
NO_LOCK = "A key is explicitly specified, but database"


@dataclass(eq=False)
class Held:
    """A database in memory that takes one file after another.

    `cursors` are kept for the next time by what was made temporary on them, which belongs to each of them alone. They
    are those of its own connection: one that is closed takes its cursors along.
    """

    connection: Connection
    cursors: dict[Hashable, Connection] = field(default_factory=dict)

    def close(self) -> None:
        """Closes it; what it has spilled goes with it."""
        for cursor in self.cursors.values():
            cursor.close()
        self.connection.close()


# Databases for the next file. Those that have written have the FTS extension, which takes longer to load than a file to
# attach: reading does without. Those that have taken encrypted files spill nothing plain.
_idle: dict[bool, list[Held]] = {False: [], True: []}
_lent: dict[Connection, Held] = {}


def started(*, ciphers: bool) -> Connection:
    """An empty database in memory, to attach files to; with `ciphers` also encrypted ones, and it spills nothing plain.

    Only the extension httpfs has OpenSSL. What DuckDB has without writes nothing encrypted, unless one allows it to
    take weak random numbers, and nobody does here. Raises StoreError where the extension is not there.
    """
    connection = duckdb.connect(":memory:", config=CONFIG)
    if ciphers:
        try:
            connection.execute(f"load {quoted(_extension('httpfs'))}")
        except (ImportError, duckdb.Error) as error:
            missing = "an encrypted memory needs DuckDB's extension httpfs, which has the cipher"
            raise StoreError(missing, f"install {DISTRIBUTION} again") from error
        connection.execute("set temp_file_encryption = true")
    return connection


@contextmanager
def borrowed(*, ciphers: bool) -> Iterator[Connection]:
    """A connection to a database as `started`, which is kept for the next file unless the block raises."""
    held = _idle[ciphers].pop() if _idle[ciphers] else Held(started(ciphers=ciphers))
    connection = held.connection.cursor()
    _lent[connection] = held
    whole = False
    try:
        yield connection
        whole = True
    finally:
        del _lent[connection]
        connection.close()
        _let_go(held, _idle[ciphers] if whole else None)


def holder(connection: Connection) -> Held:
    """The database of a borrowed connection; none of its cursors may be in a transaction when that is given back."""
    return _lent[connection]


def _let_go(held: Held, kept: list[Held] | None) -> None:
    """Closes the file, and the database too unless it is to be kept."""
    if kept is not None:
        with suppress(duckdb.Error):
            held.connection.execute("detach evermem")
            kept.append(held)
            return
    held.close()


def let_go() -> None:
    """Closes what is kept for the next file, before the process ends: what it has spilled goes with it."""
    for kept in _idle.values():
        while kept:
            kept.pop().close()


def load_stemmer(connection: Connection) -> None:
    """Makes the FTS extension's functions known."""
    connection.execute(f"load {quoted(_extension('fts'))}")


def attach(connection: Connection, path: Path, name: str, option: str, key: Key | None) -> None:
    """Attaches a file, which is encrypted where there is a key. Raises duckdb.Error."""
    if key:
        option = f"{option}, encryption_key '{key.text}', encryption_cipher 'GCM'"
    connection.execute(f"attach {quoted(path)} as {name} ({option})")


def quoted(path: Path) -> str:
    """A path as an SQL string; `load` and `attach` take no parameters."""
    return "'" + str(path).replace("'", "''") + "'"


def _extension(name: str) -> Path:
    """The extension file inside its wheel, which holds one folder per DuckDB version. Raises ImportError."""
    wheel = import_module(f"duckdb_extension_{name}")
    return Path(next(iter(wheel.__path__))) / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
