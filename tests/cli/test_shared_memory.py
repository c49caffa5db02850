"""Commands on a memory that machines share: `--db ducklake:…` and `sync ducklake:…`, as a script sees them."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from evermem_cli.errors import ExitCode
from evermem_cli.extras import Extra
from evermem_cli.memory.lake_address import LakeAddress
from tests.support import postgres
from tests.support.lakes import documents_in_files

CHAT = "[2025-03-01 09:00] Ann: I moved to Leeds with my cat Miso.\n[2025-03-01 09:02] Bob: Good luck there.\n"
OTHER = "[2025-04-01 09:00] Bob: The xylophone is in the attic.\n"
WITHOUT_EXTENSIONS = """
import sys
from importlib.machinery import PathFinder
lacking, real = ("duckdb_extension_ducklake", "duckdb_extension_postgres_scanner"), PathFinder.find_spec
PathFinder.find_spec = classmethod(lambda cls, name, *rest: None if name in lacking else real(name, *rest))
from evermem_cli.__main__ import run
run()
"""


@dataclass(frozen=True)
class Computer:
    """A machine: a data folder of its own, and the address of the shared memory."""

    home: Path
    address: str

    def __call__(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return self.run(["-m", "evermem_cli"], *arguments, **environment)

    def run(self, program: list[str], *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        own = {"XDG_DATA_HOME": str(self.home), "EVERMEM_DB": self.address, "NO_COLOR": "1"}
        return subprocess.run(
            [sys.executable, *program, *arguments], capture_output=True, text=True, env=os.environ | own | environment
        )

    def found(self, question: str) -> str:
        done = self("search", question)
        assert done.returncode == 0, done.stderr
        return done.stdout


def written(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_two_computers_have_one_memory(tmp_path: Path, minilm: Path) -> None:
    address = f"ducklake:{tmp_path}/team.ducklake"
    one, other = Computer(tmp_path / "one", address), Computer(tmp_path / "other", address)
    for computer, name, text in ((one, "a.txt", CHAT), (other, "b.txt", OTHER)):
        done = computer("ingest", written(tmp_path, name, text), "--no-llm", "--json")
        assert done.returncode == 0, done.stderr
    assert "xylophone" in one.found("Where is the xylophone?") and "Miso" in other.found("Who is Miso?")
    forgotten = one("forget", "--matching", "xylophone", "--yes")
    assert forgotten.returncode == 0, forgotten.stderr
    assert "xylophone" not in other.found("Where is the xylophone?")
    read = LakeAddress.read(address)
    assert read.file is not None
    assert b"xylophone" not in documents_in_files(read, read.file.with_name("team.ducklake.files"))
    for computer in (one, other):
        (copy,) = (computer.home / "evermem" / "shared").iterdir()
        assert not [path for path in copy.rglob("*") if path.is_file() and b"xylophone" in path.read_bytes()]
        assert {path.stat().st_mode & 0o777 for path in copy.iterdir()} == {0o600}


def test_a_memory_of_ones_own_meets_a_shared_one_by_sync(tmp_path: Path, minilm: Path) -> None:
    own, address = str(tmp_path / "own.duckdb"), f"ducklake:{tmp_path}/team.ducklake"
    one, other = Computer(tmp_path / "one", own), Computer(tmp_path / "other", address)
    assert one("ingest", written(tmp_path, "a.txt", CHAT), "--no-llm").returncode == 0
    planned = json.loads(one("sync", address, "--dry-run", "--json").stdout)
    assert (planned["dry_run"], planned["folder"], planned["went"]["messages"]) == (True, address, 2)
    assert not (tmp_path / "team.ducklake").exists()
    done = json.loads(one("sync", address, "--json").stdout)
    assert (done["went"]["messages"], done["machines"], done["problems"]) == (2, [], [])
    assert "Miso" in other.found("Who is Miso?")
    assert one("sync", address).stdout.splitlines() == ["came: nothing", "went: nothing"]


def test_without_the_server_the_copy_answers_and_what_is_stored_goes_later(tmp_path: Path, minilm: Path) -> None:
    if postgres.programs() is None:
        pytest.skip("PostgreSQL is not installed (Debian's package postgresql)")
    (tmp_path / "data").mkdir()
    with postgres.running() as server:
        address = f"ducklake:postgres:{server.parameters()}?data={tmp_path}/data"
        one, other = Computer(tmp_path / "one", address), Computer(tmp_path / "other", address)
        assert one("ingest", written(tmp_path, "a.txt", CHAT), "--no-llm").returncode == 0
        server.stop()
        lost = other("search", "Who is Miso?")
        assert (lost.returncode, lost.stdout) == (ExitCode.STORE, "")
        assert len(lost.stderr.splitlines()) == 1 and "no connection" in lost.stderr
        stored = one("ingest", written(tmp_path, "b.txt", OTHER), "--no-llm")
        assert stored.returncode == ExitCode.PARTIAL
        assert "this machine's copy is used" in stored.stderr and "1 new" in stored.stdout
        server.start()
        assert one("search", "Who is Miso?").returncode == 0
        assert "xylophone" in other.found("Where is the xylophone?")


def test_a_copy_that_gets_or_loses_a_key_still_meets_the_shared_memory(tmp_path: Path, minilm: Path) -> None:
    address, first, second = f"ducklake:{tmp_path}/team.ducklake", str(tmp_path / "first"), str(tmp_path / "second")
    one, other = Computer(tmp_path / "one", address), Computer(tmp_path / "other", address)
    assert one("ingest", written(tmp_path, "a.txt", CHAT), "--no-llm").returncode == 0
    rewritings = (
        ("encrypt", "--new-key", first),
        ("rekey", "--key-file", first, "--new-key", second),
        ("decrypt", "--key-file", second),
    )
    for number, rewriting in enumerate(rewritings):
        news = f"[2025-05-0{number + 1} 09:00] Bob: The banjo number {number} is in the attic.\n"
        assert other("ingest", written(tmp_path, "news.txt", news), "--no-llm").returncode == 0
        done = one(*rewriting)
        assert (done.returncode, done.stderr) == (0, ""), rewriting
    assert "banjo number 2" in one.found("Where is banjo number 2?")


def test_a_server_elsewhere_needs_leave(tmp_path: Path) -> None:
    computer = Computer(tmp_path / "one", "ducklake:postgres:dbname=team host=db.example")
    refused = computer("status")
    assert refused.returncode == ExitCode.USAGE
    assert "db.example" in refused.stderr and "allow_remote = true" in refused.stderr
    offline = computer("status", EVERMEM_ALLOW_REMOTE="true", EVERMEM_OFFLINE="1")
    assert offline.returncode == ExitCode.STORE and "EVERMEM_OFFLINE" in offline.stderr


def test_a_password_in_the_address_is_refused_and_not_shown(tmp_path: Path) -> None:
    computer = Computer(tmp_path / "one", "ducklake:postgres:dbname=team password=hunter2")
    for command in (["status"], ["config", "--json"], ["search", "x", "--json"]):
        done = computer(*command)
        assert done.returncode == ExitCode.USAGE
        assert "hunter2" not in done.stdout + done.stderr and "PGPASSWORD" in done.stderr


def test_a_memory_or_its_data_behind_an_address_are_refused_before_anything_is_made(tmp_path: Path) -> None:
    address = f"ducklake:{tmp_path}/team.ducklake?data=s3://bucket/x"
    computer = Computer(tmp_path / "one", address)
    for command in (["status"], ["status", "--db", address], ["sync", address], ["status", "--db", "s3://bucket/x"]):
        done = computer(*command)
        assert (done.returncode, len(done.stderr.splitlines())) == (ExitCode.USAGE, 1)
        assert "mounted on this machine" in done.stderr
    assert [*tmp_path.iterdir()] == []


def test_without_the_extra_its_command_is_named(tmp_path: Path) -> None:
    computer = Computer(tmp_path / "one", f"ducklake:{tmp_path}/team.ducklake")
    done = computer.run(["-c", WITHOUT_EXTENSIONS], "status")
    assert done.returncode == ExitCode.STORE
    assert Extra.LAKE.command in done.stderr and len(done.stderr.splitlines()) == 1
    assert [*tmp_path.rglob("*.ducklake")] == []
