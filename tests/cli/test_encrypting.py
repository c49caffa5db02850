"""Encryption on the command line: real processes, with the real embedder where a command needs it."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from mcp import Client

from evermem_cli.store import Keys, Store
from tests.cli.test_main import CHAT, Shell
from tests.mcp.test_mcp import served

READING = ("search Leeds", "profile", "list conversations")
WRITING = ("ingest {chat} --no-llm", "forget --matching Miso --yes", "backup {copy}")
KEYRING = {"PYTHON_KEYRING_BACKEND": "keyrings.alt.file.PlaintextKeyring"}


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory, minilm: Path) -> Path:
    """A plain memory of a chat, and the chat."""
    folder = tmp_path_factory.mktemp("ingested")
    (folder / "moving.txt").write_text(CHAT)
    done = Shell(folder / "memory.duckdb")("ingest", "--no-llm", str(folder / "moving.txt"))
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def shell(ingested: Path, tmp_path: Path) -> Shell:
    """A copy of that in a folder of its own."""
    (tmp_path / "memory").mkdir()
    return Shell(Path(shutil.copy(ingested / "memory.duckdb", tmp_path / "memory")))


def code_and_line(done: subprocess.CompletedProcess[str]) -> tuple[int, str]:
    """How a command was refused; it says nothing else."""
    assert done.stderr.count("\n") == 1, done.stderr
    return done.returncode, done.stderr


def test_every_command_works_with_the_key_as_without_encryption(shell: Shell, ingested: Path, tmp_path: Path) -> None:
    before = {command: shell(*command.split()).stdout for command in READING}
    done = shell.json("encrypt", "--new-key", str(tmp_path / "key"))
    assert (done["encrypted"], done["key"]) == (True, str(tmp_path / "key"))
    for command, printed in before.items():
        found = shell(*command.split(), "--key-file", str(tmp_path / "key"))
        assert (found.returncode, found.stdout) == (0, printed), command
    keyed = {"EVERMEM_KEY_FILE": str(tmp_path / "key")}
    assert shell("ingest", str(ingested / "moving.txt"), "--no-llm", **keyed).returncode == 0
    assert shell("forget", "--matching", "pescatarian", "--yes", **keyed).returncode == 0
    assert "Miso" in shell("search", "cat", **keyed).stdout
    assert shell("doctor", "--deep", **keyed).stdout.count("AES-256-GCM") == 1
    assert "rows are as they were written" in shell("doctor", "--deep", **keyed).stdout
    salvaged = shell("export", "--salvage", "-o", str(tmp_path / "saved.jsonl"), **keyed)
    assert salvaged.returncode == 0, salvaged.stderr
    other = {"EVERMEM_DB": str(tmp_path / "other" / "memory.duckdb")}
    assert shell("import", str(tmp_path / "saved.jsonl"), **keyed, **other).returncode == 0
    held = b"".join(path.read_bytes() for folder in ("memory", "other") for path in (tmp_path / folder).iterdir())
    assert b"Miso" not in held
    assert shell("backup", str(tmp_path / "copy.duckdb"), **keyed).returncode == 0
    assert "Miso" in shell("search", "cat", **keyed, EVERMEM_DB=str(tmp_path / "copy.duckdb")).stdout
    assert shell("decrypt", **keyed).returncode == 0
    assert "Miso" in shell("search", "cat").stdout


@pytest.mark.usefixtures("default_llm")  # of which `doctor` says otherwise that it is missing
def test_without_the_key_or_with_another_each_command_ends_with_one_line(
    shell: Shell, ingested: Path, tmp_path: Path
) -> None:
    shell("encrypt", "--new-key", str(tmp_path / "key"))
    before = shell.db.read_bytes()
    (tmp_path / "other").write_text((tmp_path / "key").read_text()[::-1].strip()[1:] + "=")
    (tmp_path / "other").chmod(0o600)
    for command in (*READING, "status", "export", *WRITING):
        words = command.format(chat=ingested / "moving.txt", copy=tmp_path / "copy.duckdb").split()
        code, line = code_and_line(shell(*words))
        assert (code, "name its key with --key-file FILE or EVERMEM_KEY_FILE" in line) == (4, True), (command, line)
    for command in ("search Leeds", "backup {copy}", "rekey --new-key {new}", "decrypt"):
        words = command.format(copy=tmp_path / "copy.duckdb", new=tmp_path / "new").split()
        code, line = code_and_line(shell(*words, "--key-file", str(tmp_path / "other")))
        assert (code, "encrypted with another key" in line) == (4, True), (command, line)
    assert shell.db.read_bytes() == before
    assert not (tmp_path / "new").exists()
    assert shell("doctor").returncode == 4


def test_a_key_is_named_once_and_a_file_with_a_key_is_not_written_over(shell: Shell, tmp_path: Path) -> None:
    key = str(tmp_path / "key")
    assert code_and_line(shell("encrypt"))[0] == 2
    assert code_and_line(shell("encrypt", "--new-key", key, "--keyring"))[0] == 2
    assert code_and_line(shell("decrypt"))[0] == 2
    assert code_and_line(shell("rekey", "--new-key", key))[0] == 2
    assert not Path(key).exists()
    assert shell("encrypt", "--new-key", key).returncode == 0
    held = Path(key).read_text()
    assert code_and_line(shell("encrypt", "--new-key", str(tmp_path / "second")))[0] == 2
    assert code_and_line(shell("rekey", "--new-key", key, "--key-file", key))[0] == 2
    assert Path(key).read_text() == held
    assert shell("rekey", "--new-key", str(tmp_path / "second"), "--key-file", key).returncode == 0
    assert shell("rekey", "--to", key, "--key-file", str(tmp_path / "second")).returncode == 0
    assert shell("status", "--key-file", key).returncode == 0
    assert "may only read" in shell("decrypt", "--key-file", key, EVERMEM_AGENT="travel").stderr


def test_no_plain_page_stays_beside_an_encrypted_memory_unsaid(shell: Shell, tmp_path: Path) -> None:
    page = tmp_path / "memory" / "memory.duckdb.html"
    assert shell("view").returncode == 0
    assert page.exists()
    assert "is removed" in shell("encrypt", "--new-key", str(tmp_path / "key")).stderr
    assert not page.exists()
    assert "the page is not: delete it" in shell("view", "--key-file", str(tmp_path / "key")).stderr


def test_no_key_is_made_for_a_memory_that_cannot_be_opened(shell: Shell, tmp_path: Path) -> None:
    with shell.db.open("rb+") as opened:
        opened.write(b"\0" * 4096)
    code, line = code_and_line(shell("encrypt", "--new-key", str(tmp_path / "key")))
    assert (code, "not a usable DuckDB file" in line) == (4, True)
    assert not (tmp_path / "key").exists()


def test_the_systems_keyring_holds_the_key_and_those_before_it(shell: Shell, tmp_path: Path) -> None:
    keyring = KEYRING | {"XDG_DATA_HOME": str(tmp_path / "home")}
    assert code_and_line(shell("encrypt", "--keyring", PYTHON_KEYRING_BACKEND="keyring.backends.fail.Keyring"))[0] == 2
    assert shell("encrypt", "--keyring", **keyring).returncode == 0
    copy = tmp_path / "copy.duckdb"
    assert shell("backup", str(copy), **keyring).returncode == 0
    assert shell("rekey", "--keyring", **keyring).returncode == 0
    assert shell("forget", "--matching", "pescatarian", "--yes", **keyring).returncode == 0
    for db, left in ((shell.db, 3), (copy, 4)):
        assert replace(shell, db=db)("status", "--json", **keyring).returncode == 0
        counted = json.loads(replace(shell, db=db)("status", "--json", **keyring).stdout)["counts"]["messages"]
        assert counted == left
    assert code_and_line(shell("status"))[0] == 4
    assert shell("decrypt", **keyring).returncode == 0
    assert shell("status").returncode == 0


def test_without_the_extension_that_has_the_cipher_nothing_weaker_is_taken(shell: Shell, tmp_path: Path) -> None:
    body = """
import sys
sys.modules["duckdb_extension_httpfs"] = None
from evermem_cli.__main__ import run
run()
"""

    def refused(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"EVERMEM_DB": str(shell.db)}
        command = [sys.executable, "-c", body, *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=environment)

    code, line = code_and_line(refused("encrypt", "--new-key", str(tmp_path / "key")))
    assert (code, "httpfs" in line) == (4, True)
    assert shell("status").returncode == 0
    assert shell("encrypt", "--key-file", str(tmp_path / "key")).returncode == 0
    for command in ("status", "forget --matching Miso --yes"):
        assert code_and_line(refused(*command.split(), "--key-file", str(tmp_path / "key")))[0] == 4


def test_an_assistant_reads_an_encrypted_memory(shell: Shell, tmp_path: Path) -> None:
    shell("encrypt", "--new-key", str(tmp_path / "key"))

    async def search(client: Client) -> None:
        result = await client.call_tool("search", {"query": "cat", "reason": "looking for the name of the cat"})
        assert "Miso" in str(result)

    served(shell.db, search, EVERMEM_KEY_FILE=str(tmp_path / "key"))
    assert Store(shell.db, 1, keys=Keys(tmp_path / "key")).is_encrypted
