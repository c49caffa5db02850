"""A PostgreSQL of its own for tests and benchmarks: in a temporary folder, behind a socket, stopped at the end."""

import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

SOMEBODY = ("postgres", "nobody")  # PostgreSQL does not run as root


@dataclass(frozen=True, slots=True)
class Postgres:
    """A running server."""

    folder: Path
    programs: Path

    def parameters(self) -> str:
        """The connection parameters of a new database."""
        name = f"lake_{secrets.token_hex(4)}"
        self.ask(f"create database {name}", "postgres")
        return f"dbname={name} host={self.folder} user=evermem"

    def ask(self, query: str, database: str) -> str:
        """What the server answers to a query."""
        options = ["-h", str(self.folder), "-U", "evermem", "-d", database, "-tA", "-c", query]
        return subprocess.run([self.programs / "psql", *options], check=True, capture_output=True, text=True).stdout

    def everything(self) -> bytes:
        """All bytes of its files, after a checkpoint."""
        self.ask("checkpoint", "postgres")
        return b"".join(path.read_bytes() for path in (self.folder / "data").rglob("*") if path.is_file())

    def lock(self, user: str, password: str) -> None:
        """Makes a user who has to give a password."""
        self.ask(f"create user {user} superuser password '{password}'", "postgres")
        rules = self.folder / "data" / "pg_hba.conf"
        rules.write_text(f"local all {user} scram-sha-256\n{rules.read_text(encoding='utf-8')}", encoding="utf-8")
        self.ask("select pg_reload_conf()", "postgres")

    def stop(self) -> None:
        """Stops it, as a failure would."""
        _as_somebody(self.programs / "pg_ctl", "-D", self.folder / "data", "-m", "immediate", "-w", "stop")

    def start(self) -> None:
        """Starts it."""
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off"
        log = self.folder / "log"
        _as_somebody(self.programs / "pg_ctl", "-D", self.folder / "data", "-w", "-l", log, "-o", options, "start")


def programs() -> Path | None:
    """The folder of PostgreSQL's programs: Debian's newest, or that of the PATH; None where it is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else (Path(on_path).parent if on_path else None)


@contextmanager
def running() -> Iterator[Postgres]:
    """A server for the block."""
    there = programs()
    assert there is not None, "PostgreSQL is not installed"
    with TemporaryDirectory(prefix="pg") as name:
        server = Postgres(Path(name), there)
        if os.geteuid() == 0:
            shutil.chown(name, _somebody())
        _as_somebody(there / "initdb", "-D", server.folder / "data", "-A", "trust", "-U", "evermem", "--no-sync")
        server.start()
        try:
            yield server
        finally:
            if (server.folder / "data" / "postmaster.pid").exists():
                server.stop()


def _as_somebody(*command: str | Path) -> None:
    user = _somebody() if os.geteuid() == 0 else None
    subprocess.run([str(part) for part in command], check=True, user=user, cwd="/", stdout=subprocess.DEVNULL)


def _somebody() -> str:
    return next(name for name in SOMEBODY if _is_known(name))


def _is_known(name: str) -> bool:
    import pwd  # not on Windows, where nobody is root

    try:
        return bool(pwd.getpwnam(name))
    except KeyError:
        return False
