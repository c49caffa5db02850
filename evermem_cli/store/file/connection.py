"""Opens the memory file: extension, lock, schema version, and errors that say what to do."""

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from evermem_cli.errors import DiskFull, EvermemError, StoreBusy, StoreError
from evermem_cli.memory import Scale
from evermem_cli.store.file import database, drafts, open_files
from evermem_cli.store.file.database import Connection
from evermem_cli.store.file.faults import DAMAGED, explained, first_line, meaning
from evermem_cli.store.file.keys import NAME_IT, Key, Keys
from evermem_cli.store.file.missing_pandas import looked_up_once
from evermem_cli.store.index import postings, sketches
from evermem_cli.store.schema.layout import can_be_updated, definition, lacking
from evermem_cli.store.schema.migrations import MIGRATIONS, WITH_DAYS, fill_days, fill_domains, fill_mentions

SCHEMA_VERSION = 22
# A small memory takes two fifths of the space that DuckDB's 256 KiB would need. Below 32 KiB numbers are not
# compressed, and for a million vectors reading the list of blocks alone takes a quarter of a second.
BLOCK_SIZE = 65536
# Closing the file rewrites the last row group with its vectors: with the default of 122,880 rows that is 100 MB for
# each small transaction. Smaller groups than this gain nothing.
ROW_GROUP_SIZE = 10240
# In the default format, which DuckDB's first release can read, a file has 3 KiB of statistics per column: 800 KiB of a
# small memory in fifteen blocks, none of which may be damaged. The format of this release needs a tenth.
STORAGE_VERSION = "v1.5.0"
# A transaction goes into the file as a whole, not into a log first. Where a full disk cuts off the log, DuckDB
# rolls the commit back, fails to do so for a key that was removed and added, and ends the process.
NO_LOG = "recovery_mode no_wal_writes"
NOT_OURS = "name another file with --db; if it was a memory, see `evermem doctor --deep`"
PLAIN = Keys()  # used where no key file is named
LOCK_HOLDER = re.compile(r"Conflicting lock is held in (?P<program>.*?) \(PID (?P<pid>\d+)\)")

# The memory files that this process has written.
_written: set[Path] = set()


@contextmanager
def connected(path: Path, *, write: bool, timeout: float, keys: Keys = PLAIN) -> Iterator[Connection]:
    """A connection to the memory file with one transaction around the block, rolled back when the block raises.

    Raises StoreError when the file is missing (for reading), damaged, foreign, newer or encrypted with another key,
    DiskFull when its disk is full, StoreBusy after `timeout` seconds.
    """
    opening = attached(path, write=write, timeout=timeout, keys=keys)
    with opening as connection, transaction(connection, write=write):
        yield connection


@contextmanager
def transaction(connection: Connection, *, write: bool) -> Iterator[None]:
    """One transaction around the block. If the block raises, closing the connection rolls it back."""
    with looked_up_once():
        connection.execute("begin")
        yield
        connection.execute("commit")
    if write:
        connection.execute("checkpoint evermem")  # until then nothing is in the file


@contextmanager
def attached(
    path: Path, *, write: bool, timeout: float, keys: Keys = PLAIN, ciphers: bool = False
) -> Iterator[Connection]:
    """A connection with the memory file attached and no transaction begun. Temporary tables end with the block.

    `ciphers` allows attaching encrypted files even where the memory is plain. Raises as `connected`.
    """
    with open_files.turn:
        opened = open_files.connection_to(path)
        if opened:
            opening = _again(path, opened, write=write)
        else:
            opening = _opened(path, write=write, timeout=timeout, keys=keys, ciphers=ciphers)
        with opening as connection:
            yield connection


@contextmanager
def _again(path: Path, opened: Connection, *, write: bool) -> Iterator[Connection]:
    """Another connection to a file that this thread has open. Raises StoreBusy for writing."""
    if write:
        raise StoreBusy(f"{path}: in use by this command itself", "report this as a bug")
    with database.beside(opened) as connection, explained(path):
        connection.execute("use evermem")
        yield connection


@contextmanager
def _opened(path: Path, *, write: bool, timeout: float, keys: Keys, ciphers: bool) -> Iterator[Connection]:
    open_files.look_up(path)
    borrowed = database.borrowed(ciphers=ciphers or bool(keys_of(path, keys)))
    with ExitStack() as closing, borrowed as connection, explained(path):
        for setting in database.settings(path, write=write):
            connection.execute(setting)
        if write:
            database.load_stemmer(connection)
        _attach(connection, path, write=write, timeout=timeout, keys=keys)
        if write and path not in _written:  # nobody else has the file, so leftovers are from killed processes
            drafts.sweep(path.resolve())
            shutil.rmtree(drafts.spill(path), ignore_errors=True)
            Path(f"{path.resolve()}{drafts.RECOVERY}").unlink(missing_ok=True)  # attaching has recovered what it had
            _written.add(path)
        with open_files.noted(path, open_files.OpenFile(connection, closing)):
            yield connection


def keys_of(path: Path, keys: Keys) -> tuple[Key, ...]:
    """The keys that may open a memory, newest first; none where it is plain. Raises StoreError as `Keys.of`."""
    return keys.of(path, open_files.is_encrypted)


def newest_key(path: Path, keys: Keys) -> Key | None:
    """The key for new data of a memory. Raises StoreError as `Keys.of`."""
    return next(iter(keys_of(path, keys)), None)


def create(path: Path, dimension: int, embedder: str, key: Key | None, scale: Scale) -> None:
    """Creates a memory file (0600) for vectors of this embedder; it appears at `path` complete or not at all.

    Encrypted where a key is given. Raises DiskFull, StoreError.
    """
    path = path.resolve()
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        drafts.sweep(path)
        with drafts.drafted(path, path) as draft:
            lay_out_memory(draft, dimension, embedder, key, scale)
            with suppress(FileExistsError):  # another process was faster
                drafts.put_in_place(draft, path, replace=False)


def lay_out_memory(draft: Path, dimension: int, embedder: str, key: Key | None, scale: Scale) -> None:
    """Creates an empty memory file for vectors of this embedder."""
    connection = database.started(ciphers=key is not None)
    try:
        lay_out(connection, draft, "evermem", dimension, key)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        meta = {"schema_version": SCHEMA_VERSION, "embedder": embedder, "dimension": dimension, "created_at": now}
        meta |= {"slope": scale.slope, "shift": scale.shift} if scale != Scale() else {}
        connection.executemany("insert into meta values (?, ?)", [(key, str(value)) for key, value in meta.items()])
        connection.execute("checkpoint evermem")  # closing alone would not report a failed write
    finally:
        connection.close()


def flush_log(path: Path, timeout: float, keys: Keys) -> None:
    """Writes a file's log into the file. Raises DiskFull, StoreError, StoreBusy."""
    with attached(path, write=True, timeout=timeout, keys=keys) as connection:
        connection.execute("checkpoint evermem")


def lay_out(connection: Connection, draft: Path, name: str, dimension: int, key: Key | None) -> None:
    """Attaches a new file as `name`, creates empty tables in it, and makes it the current database."""
    options = f"storage_version '{STORAGE_VERSION}', block_size {BLOCK_SIZE}, row_group_size {ROW_GROUP_SIZE}, {NO_LOG}"
    database.attach(connection, draft, name, options, key)
    connection.execute(f"use {name}")
    connection.execute(_sized(definition(), dimension))


def attach_as_it_is(connection: Connection, path: Path, keys: Keys) -> None:
    """Attaches a file that may be damaged for reading, without checking it."""
    database.load_stemmer(connection)
    _unlock(connection, path, "read_only", keys)
    connection.execute("use evermem")


def _attach(connection: Connection, path: Path, *, write: bool, timeout: float, keys: Keys) -> None:
    """Attaches the memory file to the connection, migrated if it is older. Raises as `connected`."""
    StoreError.refuse_absence(path)
    deadline = time.monotonic() + timeout
    while True:
        try:
            if _enter(connection, path, keys, write=write):
                return
        except BaseException as error:
            holder = LOCK_HOLDER.search(str(error)) if isinstance(error, duckdb.Error) else None
            if holder is None:
                raise
            if time.monotonic() > deadline:
                hint = "try again when it is done, or wait longer with EVERMEM_BUSY_TIMEOUT"
                raise StoreBusy(f"{path}: in use by process {holder['pid']}", hint) from error
            time.sleep(open_files.RETRY_SECONDS)
        else:  # an older file opened for reading: migrate it, then return
            connection.execute("use memory")
            connection.execute("detach evermem")
            with attached(path, write=True, timeout=timeout, keys=keys):
                pass


def _enter(connection: Connection, path: Path, keys: Keys, *, write: bool) -> bool:
    """Attaches the file; False where it is of an older version and opened for reading."""
    try:
        with suppress(duckdb.Error):  # the database in use so far remains attached
            connection.execute(f"set temp_directory = {database.quoted(drafts.spill(path))}")
        _unlock(connection, path, f"row_group_size {ROW_GROUP_SIZE}, {NO_LOG}" if write else "read_only", keys)
    except duckdb.Error as error:
        if LOCK_HOLDER.search(str(error)):
            raise
        raise _unusable(path, error) from error
    connection.execute("use evermem")
    return _is_current(connection, path, write=write)


def _unlock(connection: Connection, path: Path, option: str, keys: Keys) -> None:
    """Attaches a memory with the first of its keys that fits. Raises StoreError where none does."""
    for key in keys_of(path, keys) or (None,):
        try:
            database.attach(connection, path, "evermem", option, key)
            return
        except duckdb.Error as error:
            if database.NO_LOCK in str(error):
                hint = "`evermem encrypt` encrypts it; or leave out --key-file and EVERMEM_KEY_FILE"
                raise StoreError(f"{path}: not encrypted, but a key is named", hint) from error
            if database.NO_KEY in str(error):  # another process has encrypted it meanwhile
                raise StoreError(f"{path}: encrypted", NAME_IT) from error
            if database.WRONG_KEY not in str(error):
                raise
    raise StoreError(f"{path}: encrypted with another key", "name the one it was encrypted with: --key-file FILE")


def _is_current(connection: Connection, path: Path, *, write: bool) -> bool:
    """Whether the file has the current schema version; migrates it when writing."""
    try:
        row = connection.execute("select value from meta where key = 'schema_version'").fetchone()
    except duckdb.CatalogException:
        row = None
    if row is None or not str(row[0]).isdecimal():
        raise StoreError(f"{path}: a DuckDB file, but not a memory of evermem", NOT_OURS)
    version = int(row[0])
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path}: written by a newer evermem (schema {version}, this one knows {SCHEMA_VERSION})",
            "upgrade evermem, or name another file with --db",
        )
    if version < SCHEMA_VERSION and write:
        _migrate(connection, path, version)
        version = SCHEMA_VERSION
    if version == SCHEMA_VERSION and (missing := lacking(connection)):
        raise StoreError(f"{path}: damaged: it lacks {' and '.join(missing[:3])}", DAMAGED)
    return version == SCHEMA_VERSION


def _migrate(connection: Connection, path: Path, version: int) -> None:
    """Migrates a file of this version, a transaction per step: DuckDB cannot alter a table that it has updated.

    Raises StoreError, with the file unchanged, where it does not have the tables of its version.
    """
    if not can_be_updated(connection, (MIGRATIONS[earlier] for earlier in range(version, SCHEMA_VERSION))):
        raise StoreError(f"{path}: damaged: its tables are not those of its schema version, {version}", DAMAGED)
    dimension = int(connection.execute("select value from meta where key = 'dimension'").fetchall()[0][0])
    connection.execute("drop schema if exists undo cascade")  # rows of older tables, which no longer fit
    for newer in range(version + 1, SCHEMA_VERSION + 1):
        connection.execute("begin")
        connection.execute(_sized(MIGRATIONS[newer - 1], dimension))
        if newer == SCHEMA_VERSION:
            sketches.fill(connection)
            fill_domains(connection)
            fill_mentions(connection)
            if version < WITH_DAYS:
                fill_days(connection)
            postings.fill(connection)
        connection.execute("update meta set value = $v where key = 'schema_version'", {"v": str(newer)})
        connection.execute("commit")
    connection.execute("checkpoint evermem")


def _unusable(path: Path, error: duckdb.Error) -> EvermemError:
    if isinstance(error, duckdb.PermissionException) or "Permission denied" in str(error):
        return StoreError(f"{path}: permission denied", "check the owner and mode of the file")
    evermem_error = meaning(path, error)
    if isinstance(evermem_error, DiskFull) or "Read-only file system" in str(error):
        return evermem_error or StoreError(f"{path}: {first_line(error)}", "name another file with --db")
    return StoreError(f"{path}: not a usable DuckDB file: {first_line(error)}", DAMAGED)


def _sized(statements: str, dimension: int) -> str:
    """Statements with this vector length in place of 384, since types cannot be parameters."""
    return statements.replace("float[384]", f"float[{dimension:d}]")
