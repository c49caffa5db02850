"""How the memory file is opened: FTS extension, waiting for the lock, schema version, errors that say what to do."""

import re
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

import duckdb
import duckdb_extension_fts

from evermem_cli.errors import DiskFull, EvermemError, StoreBusy, StoreError
from evermem_cli.store import drafts, postings, sketches
from evermem_cli.store.faults import DAMAGED, explained, first_line, meaning
from evermem_cli.store.migrations import MIGRATIONS, fill_domains, fill_mentions
from evermem_cli.store.missing_pandas import looked_up_once

Connection = duckdb.DuckDBPyConnection

SCHEMA_VERSION = 15
# A young memory takes two fifths of the space that DuckDB's 256 KiB would. With less than 32 KiB numbers are not
# compressed, and of a million vectors the list of their blocks alone takes a quarter of a second to read.
BLOCK_SIZE = 65536
# Closing the file writes the last group of rows anew, vectors and all: with the usual 122,880 that is 100 MB for each
# small transaction. Smaller groups than this gain nothing.
ROW_GROUP_SIZE = 10240
# What DuckDB may hold while it writes, chiefly to write a whole file anew; more goes to a folder beside the file, which
# is gone when the work is done. A search may hold all vectors.
# Of two threads that close the file after a small transaction one waits for the other, busily, for up to a second.
WRITING = ("set memory_limit = '512MB'", "set threads = 1")
READING = ("reset memory_limit", "reset threads")
RETRY_SECONDS = 0.01  # other processes hold the file for one short transaction, and may come again at once
LOCK_HOLDER = re.compile(r"Conflicting lock is held in (?P<program>.*?) \(PID (?P<pid>\d+)\)")


# Databases in memory, to attach the next file to. Those that have written have the FTS extension, which takes ten times
# as long to load as a file to attach: reading does without.
_idle: list[Connection] = []
# The memory files that this process has written.
_written: set[Path] = set()
# Threads take turns: the lock on a file keeps out other processes and not other threads, and a thread that closes the
# file gives it up for all.
_turn = threading.RLock()


@contextmanager
def connected(path: Path, *, write: bool, timeout: float) -> Iterator[Connection]:
    """A connection to the memory file with one transaction around the block; rolled back when the block raises.

    Raises StoreError when the file is missing (reading), damaged, foreign or newer, DiskFull when its disk takes no
    more, StoreBusy after `timeout` seconds.
    """
    with attached(path, write=write, timeout=timeout) as connection, transaction(connection):
        yield connection


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """One transaction around the block. When the block raises, closing the connection takes it back."""
    with looked_up_once():
        connection.execute("begin")
        yield
        connection.execute("commit")


@contextmanager
def attached(path: Path, *, write: bool, timeout: float) -> Iterator[Connection]:
    """A connection with the memory file in use and no transaction begun; what is temporary ends with the block.

    Raises as `connected`.
    """
    with _turn, _opened(path, write=write, timeout=timeout) as connection:
        yield connection


@contextmanager
def _opened(path: Path, *, write: bool, timeout: float) -> Iterator[Connection]:
    database = _idle.pop() if _idle else duckdb.connect(":memory:")
    connection = database.cursor()
    whole = False
    try:
        with explained(path):
            for setting in (*WRITING, f"load {_quoted(_fts_extension())}") if write else READING:
                connection.execute(setting)
            _attach(connection, path, write=write, timeout=timeout)
            if write and path not in _written:  # nobody else has the file: killed processes have left what is there
                drafts.sweep(path.resolve())
                shutil.rmtree(drafts.spill(path), ignore_errors=True)
                _written.add(path)
            yield connection
            whole = True
    finally:
        connection.close()
        _let_go(database, keep=whole)


def _let_go(database: Connection, *, keep: bool) -> None:
    """Closes the file, and the database too unless it is to be kept for the next file."""
    if keep:
        with suppress(duckdb.Error):
            database.execute("detach evermem")
            _idle.append(database)
            return
    database.close()


def let_go() -> None:
    """Closes what is kept for the next file, before the process ends: what it has spilled goes with it."""
    while _idle:
        _idle.pop().close()


def create(path: Path, dimension: int, embedder: str) -> None:
    """A new memory file (0600) for vectors of this embedder; it appears at `path` whole or not at all.

    Raises DiskFull, StoreError.
    """
    path = path.resolve()
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        drafts.sweep(path)
        with drafts.drafted(path, path) as draft:
            lay_out_memory(draft, dimension, embedder)
            with suppress(FileExistsError):  # another process was faster
                drafts.put_in_place(draft, path, replace=False)


def lay_out_memory(draft: Path, dimension: int, embedder: str) -> None:
    """Makes an empty memory file for vectors of this embedder."""
    connection = duckdb.connect(":memory:")
    try:
        lay_out(connection, draft, "evermem", dimension)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        meta = {"schema_version": SCHEMA_VERSION, "embedder": embedder, "dimension": dimension, "created_at": now}
        connection.executemany("insert into meta values (?, ?)", [(key, str(value)) for key, value in meta.items()])
        connection.execute("checkpoint evermem")  # closing alone would not say that it could not be written
    finally:
        connection.close()


def settle(path: Path, timeout: float) -> None:
    """Writes what is in the log of a file into it. Raises DiskFull, StoreError, StoreBusy."""
    with attached(path, write=True, timeout=timeout) as connection:
        connection.execute("checkpoint evermem")


def lay_out(connection: Connection, draft: Path, name: str, dimension: int) -> None:
    """Attaches a new file as `name`, with empty tables, and makes it the one in use."""
    connection.execute(f"attach {_quoted(draft)} as {name} (block_size {BLOCK_SIZE}, row_group_size {ROW_GROUP_SIZE})")
    connection.execute(f"use {name}")
    schema = resources.files(__package__).joinpath("schema.sql").read_text(encoding="utf-8")
    connection.execute(_sized(schema, dimension))


def attach_as_it_is(connection: Connection, path: Path) -> None:
    """Attaches a file that may be damaged, to be read, without looking at what it is."""
    connection.execute(f"load {_quoted(_fts_extension())}")
    connection.execute(f"attach {_quoted(path)} as evermem (read_only)")
    connection.execute("use evermem")


def _attach(connection: Connection, path: Path, *, write: bool, timeout: float) -> None:
    """Has the connection use the memory file, brought up to date if it is older. Raises as `connected`."""
    if not path.exists():
        raise StoreError(f"{path}: no memory here yet", "run `evermem ingest PATH`, or name another file with --db")
    deadline = time.monotonic() + timeout
    while True:
        try:
            if _enter(connection, path, write=write):
                return
        except BaseException as error:
            holder = LOCK_HOLDER.search(str(error)) if isinstance(error, duckdb.Error) else None
            if holder is None:
                raise
            if time.monotonic() > deadline:
                hint = "try again when it is done, or wait longer with EVERMEM_BUSY_TIMEOUT"
                raise StoreBusy(f"{path}: in use by process {holder['pid']}", hint) from error
            time.sleep(RETRY_SECONDS)
        else:  # an older file, and we only read: bring it up to date, then come back
            connection.execute("use memory")
            connection.execute("detach evermem")
            with attached(path, write=True, timeout=timeout):
                pass


def _enter(connection: Connection, path: Path, *, write: bool) -> bool:
    """Attaches the file; False when it is of an older version and only to be read."""
    try:
        with suppress(duckdb.Error):  # what has been in use stays so
            connection.execute(f"set temp_directory = {_quoted(drafts.spill(path))}")
        option = f"row_group_size {ROW_GROUP_SIZE}" if write else "read_only"
        connection.execute(f"attach {_quoted(path)} as evermem ({option})")
    except duckdb.Error as error:
        if LOCK_HOLDER.search(str(error)):
            raise
        raise _unusable(path, error) from error
    connection.execute("use evermem")
    return _is_current(connection, path, write=write)


def _is_current(connection: Connection, path: Path, *, write: bool) -> bool:
    """Whether the file has our schema version; migrates it when writing."""
    try:
        row = connection.execute("select value from meta where key = 'schema_version'").fetchone()
    except duckdb.CatalogException:
        row = None
    if row is None:
        raise StoreError(f"{path}: a DuckDB file, but not a memory of evermem", "name another file with --db")
    version = int(row[0])
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path}: written by a newer evermem (schema {version}, this one knows {SCHEMA_VERSION})",
            "upgrade evermem, or name another file with --db",
        )
    if version < SCHEMA_VERSION and write:
        _migrate(connection, version)
        version = SCHEMA_VERSION
    return version == SCHEMA_VERSION


def _migrate(connection: Connection, version: int) -> None:
    """Brings a file of this version up to date, each step a transaction: DuckDB alters no table that it has updated."""
    dimension = int(connection.execute("select value from meta where key = 'dimension'").fetchall()[0][0])
    connection.execute("drop schema if exists undo cascade")  # rows of older tables: they fit no more
    for newer in range(version + 1, SCHEMA_VERSION + 1):
        connection.execute("begin")
        connection.execute(_sized(MIGRATIONS[newer - 1], dimension))
        if newer == SCHEMA_VERSION:
            sketches.fill(connection)
            fill_domains(connection)
            fill_mentions(connection)
            postings.fill(connection)
        connection.execute("update meta set value = $v where key = 'schema_version'", {"v": str(newer)})
        connection.execute("commit")


def _unusable(path: Path, error: duckdb.Error) -> EvermemError:
    if isinstance(error, duckdb.PermissionException) or "Permission denied" in str(error):
        return StoreError(f"{path}: permission denied", "check the owner and mode of the file")
    meant = meaning(path, error)
    if isinstance(meant, DiskFull) or "Read-only file system" in str(error):
        return meant or StoreError(f"{path}: {first_line(error)}", "name another file with --db")
    return StoreError(f"{path}: not a usable DuckDB file: {first_line(error)}", DAMAGED)


def _sized(statements: str, dimension: int) -> str:
    """Statements with vectors of this length in place of 384: types cannot be parameters."""
    return statements.replace("float[384]", f"float[{dimension:d}]")


def _quoted(path: Path) -> str:
    """A path as an SQL string; `load` and `attach` take no parameters."""
    return "'" + str(path).replace("'", "''") + "'"


def _fts_extension() -> Path:
    """The extension file inside its wheel, which holds one folder per DuckDB version."""
    folder = Path(next(iter(duckdb_extension_fts.__path__))) / "extensions" / f"v{duckdb.__version__}"
    return folder / "fts.duckdb_extension"
