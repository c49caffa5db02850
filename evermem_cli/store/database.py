"""DuckDB as evermem starts it: in memory, its extensions from their wheels, files attached with their keys."""

from importlib import import_module
from pathlib import Path

import duckdb

from evermem_cli.errors import StoreError
from evermem_cli.store.keys import Key

Connection = duckdb.DuckDBPyConnection

# The extensions come as wheels, as DuckDB itself does. To check their signatures too takes 80 ms, a fifth of a search.
# No other is loaded, wherever it lies.
CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "allow_unsigned_extensions": True,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
WRONG_KEY = "Wrong encryption key"
NO_LOCK = "A key is explicitly specified, but database"


def started() -> Connection:
    """An empty database in memory, to attach files to."""
    return duckdb.connect(":memory:", config=CONFIG)


def load_stemmer(connection: Connection) -> None:
    """Makes the FTS extension's functions known."""
    connection.execute(f"load {quoted(_extension('fts'))}")


def attach(connection: Connection, path: Path, name: str, option: str, key: Key | None) -> None:
    """Attaches a file; with a key, an encrypted one, and nothing that is spilled is plain from then on.

    Only the extension httpfs has OpenSSL. What DuckDB has without writes nothing encrypted, unless one allows it to
    take weak random numbers, and nobody does here. Raises duckdb.Error, StoreError.
    """
    if key:
        _load_cipher(connection)
        connection.execute("set temp_file_encryption = true")
        option = f"{option}, encryption_key '{key.text}', encryption_cipher 'GCM'"
    connection.execute(f"attach {quoted(path)} as {name} ({option})")


def quoted(path: Path) -> str:
    """A path as an SQL string; `load` and `attach` take no parameters."""
    return "'" + str(path).replace("'", "''") + "'"


def _load_cipher(connection: Connection) -> None:
    try:
        connection.execute(f"load {quoted(_extension('httpfs'))}")
    except (ImportError, duckdb.Error) as error:
        raise StoreError(
            "an encrypted memory needs DuckDB's extension httpfs, which has the cipher", "pip install evermem again"
        ) from error


def _extension(name: str) -> Path:
    """The extension file inside its wheel, which holds one folder per DuckDB version. Raises ImportError."""
    wheel = import_module(f"duckdb_extension_{name}")
    return Path(next(iter(wheel.__path__))) / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
