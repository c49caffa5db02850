"""Opens the DuckLake of a shared memory, in turn with other machines, and says what to do where that fails."""

import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from evermem_cli.errors import StoreBusy, StoreError
from evermem_cli.extras import Extra
from evermem_cli.memory.lake_address import LakeAddress
from evermem_cli.store.file import database
from evermem_cli.store.file.connection import LOCK_HOLDER
from evermem_cli.store.file.database import WRITING, Connection
from evermem_cli.store.file.faults import NO_ROOM, first_line, meaning
from evermem_cli.store.file.open_files import RETRY_SECONDS

# A writer excludes readers and other writers. So nobody reads a file while it is removed, and DuckLake never has to
# reconcile two commits. A lock of PostgreSQL ends with its connection in any case; a catalogue file has DuckDB's lock.
TURN = {
    True: "select 1 from pg_advisory_xact_lock(1702258034)",
    False: "select 1 from pg_advisory_xact_lock_shared(1702258034)",
}
PATIENCE = "select set_config('lock_timeout', '{milliseconds:d}', true)"
IS_LAKE = "select count(*)::int from pg_class where relname = 'ducklake_snapshot'"
SNAPSHOT = "select max(snapshot_id) from ducklake_snapshot"
CONNECT_SECONDS = 10
LATE = re.compile("lock timeout")
WRONG_PASSWORD = re.compile(r"password authentication failed|no password supplied|SASL")
NO_SERVER = re.compile(r"Unable to connect|connection to server|server closed the connection|could not translate host")
OTHER_VERSION = re.compile(r"version mismatch|catalog version|not supported")
NOT_REACHED = re.compile(r"Cannot open file|No files found|Could not (?:create|read)|does not exist|Permission denied")
REASON = re.compile(r"(?:FATAL|ERROR):\s*(.+)|failed: (.+)")


@dataclass(frozen=True, slots=True)
class Visit:
    """A turn at a shared memory."""

    address: LakeAddress
    connection: Connection
    is_writing: bool
    deadline: float

    def snapshot(self) -> int | None:
        """The number of the lake's latest snapshot; None where there is no lake yet."""
        if self.address.file:
            return self._snapshot_in_file(self.address.file)
        if not self._asked(IS_LAKE):
            return None
        return self._asked(SNAPSHOT)

    def attach(self) -> None:
        """Attaches the lake as `lake`, and makes one where there is none and the turn is for writing."""
        if not self.is_writing and self.address.file and not self.address.file.exists():
            raise StoreError(f"{self.address.text}: no shared memory here yet", "a command that writes makes it")
        self._look_for_folder(self.address.data)
        options = ["encrypted true", "data_inlining_row_limit 0"]
        options += ["create_if_not_exists true"] if self.is_writing else ["read_only"]
        if self.address.data:
            options += [f"data_path {_text(self.address.data)}", "override_data_path true"]
        source = _text(f"ducklake:{_patient(self.address)}")
        self._try_until(f"attach {source} as lake ({', '.join(options)})")
        self._look_for_folder(self._data_folder())

    @contextmanager
    def writing_files(self) -> Iterator[None]:
        """New files in the data folder are as readable as the folder: other users of it must read them.

        DuckLake encrypts the files, and its catalogue has the keys."""
        folder = self._data_folder()
        before = os.umask(0o777 & ~stat.S_IMODE(folder.stat().st_mode) if folder.exists() else 0o077)
        try:
            yield
        finally:
            os.umask(before)

    def _data_folder(self) -> Path:
        query = "select value from __ducklake_metadata_lake.ducklake_metadata where key = 'data_path'"
        return self.address.data or Path(self.connection.execute(query).fetchall()[0][0])

    def _look_for_folder(self, folder: Path | None) -> None:
        is_own = self.address.data is None and self.address.file is not None  # DuckLake makes it beside the catalogue
        if folder is None and self.address.file is None and self.snapshot() is None:
            raise StoreError(f"{self.address.text}: names no data folder", "add it to the address: …?data=FOLDER")
        if folder and not is_own and not folder.is_dir():
            raise StoreError(f"{folder}: the folder of the shared memory is not here", "mount it, or make it first")

    def _asked(self, query: str) -> int | None:
        number: int | None = self.connection.execute("from postgres_query('turn', $q)", {"q": query}).fetchall()[0][0]
        return number

    def _snapshot_in_file(self, file: Path) -> int | None:
        if not file.exists():
            return None
        self._try_until(f"attach {_text(file)} as catalogue (read_only)")
        try:
            number: int | None = self.connection.execute(SNAPSHOT.replace("from ", "from catalogue.")).fetchall()[0][0]
            return number
        finally:
            self.connection.execute("detach catalogue")

    def _try_until(self, statement: str) -> None:
        """Runs a statement, again and again while another process has the catalogue file. Raises StoreBusy."""
        while True:
            try:
                self.connection.execute(statement)
                return
            except duckdb.Error as error:
                holder = LOCK_HOLDER.search(str(error))
                if holder is None:
                    raise
                if time.monotonic() > self.deadline:
                    raise _busy(self.address, f"process {holder['pid']}") from error
                time.sleep(RETRY_SECONDS)


@contextmanager
def visited(address: LakeAddress, *, write: bool, timeout: float) -> Iterator[Visit]:
    """A turn at a shared memory, which ends with the block. The lake is not attached yet.

    Raises StoreError where the extra is missing or the server or folder cannot be used, StoreBusy after `timeout`.
    """
    with explained(address):
        connection = _started(address)
        try:
            if address.file is None:
                parameters = _text(_patient(address).removeprefix("postgres:"))
                connection.execute(f"attach {parameters} as turn (type postgres, read_only)")
                turn = connection.cursor()
                turn.execute("begin")
                for query in (PATIENCE.format(milliseconds=max(1, int(timeout * 1000))), TURN[write]):
                    turn.execute("from postgres_query('turn', $q)", {"q": query}).fetchall()
            yield Visit(address, connection, write, time.monotonic() + timeout)
        finally:
            connection.close()


@contextmanager
def explained(address: LakeAddress) -> Iterator[None]:
    """Raises StoreError, StoreBusy or DiskFull for errors about a shared memory in the block."""
    try:
        yield
    except (duckdb.Error, OSError) as error:
        raise _meaning(address, error) from error


def _meaning(address: LakeAddress, error: Exception) -> Exception:
    text, shown = str(error), address.text
    if LATE.search(text):
        return _busy(address, "another machine")
    if WRONG_PASSWORD.search(text):
        hint = "set PGPASSWORD, or write the password into ~/.pgpass or a service file"
        return StoreError(f"{shown}: the server refuses the password: {_reason(text)}", hint)
    if NO_SERVER.search(text):
        return StoreError(f"{shown}: no connection: {_reason(text)}", "start the server, or correct the address")
    if OTHER_VERSION.search(text):
        return StoreError(f"{shown}: of another version of DuckLake", "upgrade evermem on all machines")
    if isinstance(error, OSError) or (NOT_REACHED.search(text) and not NO_ROOM.search(text)):
        return StoreError(f"{shown}: part of it cannot be used: {first_line(error)}", "check the data folder")
    if isinstance(error, duckdb.Error):
        where = address.data or address.file or Path(".")
        return meaning(where, error) or StoreError(f"{shown}: {first_line(error)}", "try again; nothing was written")
    return error


def _busy(address: LakeAddress, holder: str) -> StoreBusy:
    hint = "try again when it is done, or wait longer with EVERMEM_BUSY_TIMEOUT"
    return StoreBusy(f"{address.text}: in use by {holder}", hint)


def _reason(text: str) -> str:
    reason = REASON.search(text)
    return next((part for part in reason.groups() if part), text).strip() if reason else text.splitlines()[0]


def _started(address: LakeAddress) -> Connection:
    connection = database.started(ciphers=True)
    try:
        for name in ("ducklake", "postgres_scanner")[: 1 if address.file else 2]:
            connection.execute(f"load {database.quoted(database.extension(name))}")
        for setting in (*WRITING, "set enable_progress_bar = false"):  # which would go to stdout
            connection.execute(setting)
    except (ImportError, duckdb.Error) as error:
        connection.close()
        missing = "a shared memory needs DuckDB's extensions ducklake and postgres_scanner"
        raise StoreError(missing, f"add them with `{Extra.LAKE.command}`") from error
    return connection


def _patient(address: LakeAddress) -> str:
    """What DuckLake attaches, with a limit of some seconds for a server that does not answer."""
    if address.file or "connect_timeout" in address.catalog:
        return address.catalog
    return f"{address.catalog} connect_timeout={CONNECT_SECONDS}"


def _text(value: str | Path) -> str:
    """A value as an SQL string, since `attach` takes no parameters."""
    return "'" + str(value).replace("'", "''") + "'"
