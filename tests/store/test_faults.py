"""A disk that accepts no more data, and a file that is damaged: one line each, and nothing half-written."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from evermem_cli.archive import Import, export
from evermem_cli.errors import DiskFull, StoreError
from evermem_cli.memory import Access, Selection
from evermem_cli.store import Store
from tests.support.disks import files_of_at_most
from tests.support.lives import EMBEDDER, conversation, live, messages
from tests.support.tables import rows

CHAT = conversation("music")
AGENT = Access(agent="helper", reason="", command="search", tiers={})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A memory in a folder of its own."""
    made = Store(tmp_path / "disk" / "memory.duckdb", timeout=0.3)
    live(made, CHAT, messages(CHAT, "I bought a xylophone.", "It rains."))
    return made


def lines_of(store: Store) -> list[str]:
    return list(export(store))


def remember_more(store: Store) -> None:
    chat = conversation("long")
    said = messages(chat, *(f"{number} words of no use" for number in range(2000)))
    with store.write() as writer:
        writer.chats.add_conversation(chat)
        writer.chats.add_messages(said, [1] * len(said), EMBEDDER.embed([message.text for message in said]))


def forget(store: Store) -> None:
    store.forget(Selection(user_id="default", words=("rains",)))


def back_up(store: Store) -> None:
    store.backup(store.path.with_name("copy.duckdb"), force=False)


def log(store: Store) -> None:
    with replace(store, access=AGENT).read():
        pytest.fail("read, and not logged")


def test_a_first_memory_on_a_full_disk_is_none_and_is_made_when_there_is_room(tmp_path: Path) -> None:
    store = Store(tmp_path / "memory.duckdb", timeout=0.3)
    for size in (0, 4096, 20_000, 100_000, 200_000):
        with files_of_at_most(size), pytest.raises(DiskFull, match=r"the disk /\S* accepts no more data"):
            store.create(EMBEDDER.name, EMBEDDER.dimension)
        assert list(tmp_path.iterdir()) == []
    store.create(EMBEDDER.name, EMBEDDER.dimension)
    with store.read() as reader:
        assert reader.overview.status().counts["messages"] == 0


@pytest.mark.parametrize("work", [remember_more, forget, back_up, log])
@pytest.mark.parametrize("size", [100, 50_000])
def test_what_does_not_fit_the_disk_is_told_and_leaves_memory_as_it_was(
    store: Store, work: Callable[[Store], None], size: int
) -> None:
    if (work, size) == (log, 50_000):
        pytest.skip("a line of the log fits")
    before = lines_of(store)
    with files_of_at_most(size), pytest.raises(DiskFull):
        work(store)
    assert lines_of(store) == before
    assert store.journal.read() == b""
    beside = {"memory.duckdb.wal", store.journal.path.name}
    assert {path.name for path in store.path.parent.iterdir()} <= {"memory.duckdb", *beside}


def test_the_full_disk_of_a_backup_is_that_of_the_backup(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere" / "copy.duckdb"
    target.parent.mkdir()
    with files_of_at_most(50_000), pytest.raises(DiskFull, match=r"elsewhere/copy.duckdb: the disk"):
        store.backup(target, force=False)


@pytest.mark.parametrize("size", [0, 100, 1000])
def test_a_key_that_is_removed_and_added_as_the_disk_fills_ends_no_process(store: Store, size: int) -> None:
    """DuckDB takes back a commit whose log does not end, and cannot take back one such as this."""
    with store.write() as writer:
        writer.consolidation.note_unsettled(True)
    body = f"""
import resource, sys
from pathlib import Path
from evermem_cli.errors import DiskFull
from evermem_cli.store import Store
try:
    with Store(Path(sys.argv[1]), 0.3).write() as writer:
        writer.consolidation.note_unsettled(True)
        resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
except DiskFull:
    sys.exit(1)
"""
    assert subprocess.run([sys.executable, "-c", body, str(store.path)], check=False).returncode == 1
    assert meta(store, "unsettled") == ["yes"]


def meta(store: Store, key: str) -> list[str]:
    with store.read() as reader:
        return [row["value"] for row in rows(reader, "select value from meta where key = $key", key=key)]


def test_an_import_that_does_not_fit_the_disk_leaves_nothing(store: Store, tmp_path: Path) -> None:
    lines = [line.encode() for line in lines_of(store)]
    other = Store(tmp_path / "other" / "memory.duckdb", timeout=0.3)
    for size in (100, 400_000, 1_000_000):
        with files_of_at_most(size), pytest.raises(DiskFull):
            Import(other, EMBEDDER, lambda *_: None).run(lines)
        assert list(other.path.parent.iterdir()) == []


def test_the_command_line_names_the_disk_in_one_line(store: Store) -> None:
    body = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
sys.argv[0] = "evermem"
from evermem_cli.__main__ import run
run()
"""
    target = store.path.with_name("copy.duckdb")
    command = [sys.executable, "-c", body, "backup", str(target), "--db", str(store.path)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "accepts no more data" in done.stderr
    assert not target.exists()


def test_a_damaged_block_is_told_and_nothing_is_read_from_it(store: Store) -> None:
    content = bytearray(store.path.read_bytes())
    for place in range(3 * 4096 + 100, len(content), 65536):
        content[place] ^= 1
    store.path.write_bytes(content)
    with pytest.raises(StoreError) as refused:
        lines_of(store)
    assert refused.value.exit_code == 4
    assert "doctor --deep" in refused.value.hint
