"""`evermem sync` as a command: what it says, how it ends, and what an encrypted memory writes."""

import base64
import json
import platform
from pathlib import Path

import pytest

from tests.cli.test_main import CHAT, Shell

NIGHT = "[2025-05-01 20:00] Ann: The xylophone is in the attic.\n[2025-05-01 20:01] Bob: Good night.\n"


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "shared"
    folder.mkdir()
    return folder


def machine(folder: Path, text: str, **environment: str) -> Shell:
    folder.mkdir()
    (folder / "chat.txt").write_text(text)
    shell = Shell(folder / "memory.duckdb")
    done = shell("ingest", "--no-llm", str(folder / "chat.txt"), **environment)
    assert done.returncode == 0, done.stderr
    return shell


def test_two_memories_exchange_what_they_lack_and_forget_together(minilm: Path, shared: Path, tmp_path: Path) -> None:
    one, other = machine(tmp_path / "one", CHAT), machine(tmp_path / "other", NIGHT)
    done = one("sync", str(shared))
    assert (done.returncode, done.stdout.splitlines()[:2]) == (0, ["came: nothing", "went: 4 messages"])
    planned = other.json("sync", str(shared), "--dry-run")
    found = other.json("sync", str(shared))
    assert planned | {"dry_run": False, "replica": found["replica"]} == found
    assert (found["came"]["messages"], found["went"]["messages"], found["problems"]) == (4, 2, [])
    assert [each["stale_messages"] for each in found["machines"]] == [0]
    assert "vegan" in other("search", "What do I eat?").stdout
    one("sync", str(shared))
    assert "xylophone" in one("search", "xylophone").stdout
    assert other("forget", "--matching", "xylophone", "--yes").returncode == 0
    other("sync", str(shared))
    done = one("sync", str(shared))
    assert done.stdout.startswith("came: 1 forgotten message\nwent: nothing\nread: ")
    bundles = [*shared.iterdir()]
    assert len(bundles) == 2
    assert not any(b"xylophone" in path.read_bytes() for path in bundles)
    assert {path.stat().st_mode & 0o777 for path in bundles} == {0o600}


def test_what_is_wrong_is_said_in_one_line(minilm: Path, shared: Path, tmp_path: Path) -> None:
    one = machine(tmp_path / "one", CHAT)
    done = one("sync", str(tmp_path / "nowhere"))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert not (tmp_path / "nowhere").exists()
    (shared / "evermem-0123456789abcdef.jsonl").write_text('{"type": "sy')
    done = one("sync", str(shared))
    assert (done.returncode, done.stderr.count("\n")) == (6, 1)
    assert "evermem-0123456789abcdef.jsonl: not whole" in done.stderr
    assert "went: 4 messages" in done.stdout
    done = one("sync", str(shared), EVERMEM_AGENT="helper")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    done = one("undo", "--yes")
    assert done.returncode == 0, done.stderr  # nothing came: the ingest can still be taken back


def test_an_encrypted_memory_seals_what_it_writes_unless_told_otherwise(
    minilm: Path, shared: Path, tmp_path: Path
) -> None:
    one, other = machine(tmp_path / "one", NIGHT), machine(tmp_path / "other", CHAT)
    key = tmp_path / "key"
    assert one("encrypt", "--new-key", str(key)).returncode == 0
    with_key = {"EVERMEM_KEY_FILE": str(key)}
    assert one("sync", str(shared), **with_key).returncode == 0
    (bundle,) = shared.iterdir()
    assert b"xylophone" not in bundle.read_bytes()
    named = json.loads(bundle.read_bytes().splitlines()[0])["machine"]
    assert named and platform.node() not in (named, base64.b64decode(named).decode(errors="replace"))
    done = other("sync", str(shared))
    assert (done.returncode, done.stderr.count("\n")) == (6, 1)
    assert "encrypted with another key" in done.stderr
    same_key = machine(tmp_path / "same", CHAT, **with_key)
    done = same_key("sync", str(shared), "--json", **with_key)
    assert done.returncode == 0 and json.loads(done.stdout)["came"]["messages"] == 2
    assert [each["machine"] for each in json.loads(done.stdout)["machines"]] == [platform.node()] * 2
    assert one("sync", str(shared), "--plain", **with_key).returncode == 0
    assert b"xylophone" in bundle.read_bytes()
    assert json.loads(other("sync", str(shared), "--json").stdout)["came"]["messages"] == 2
