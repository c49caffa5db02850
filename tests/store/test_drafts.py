"""What killed commands leave behind goes with the next that writes, and what tells of a memory goes with its words."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from evermem_cli.engines import Request
from evermem_cli.errors import StoreError, UsageError
from evermem_cli.memory import Selection
from evermem_cli.store import Keys, Replies, Store
from evermem_cli.store.file import drafts
from evermem_cli.store.file.keys import write_new
from tests.support.lives import conversation, live, messages

CHAT = conversation("music")
MINE = Selection(user_id="default")
REQUEST = Request(system="", user="", max_tokens=1)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "memory.duckdb", timeout=0.3)
    live(made, CHAT, messages(CHAT, "I bought a xylophone.", "It rains."))
    return made


def die_with_draft(store: Store, target: Path) -> None:
    """Has a process die while it makes a file that tells of a memory."""
    body = """
import os, sys
from pathlib import Path
from evermem_cli.store import drafts
with drafts.drafted(Path(sys.argv[2]), Path(sys.argv[1])) as draft:
    for ending in ("", ".wal"):
        Path(f"{draft}{ending}").write_text("xylophone")
    os._exit(1)
"""
    subprocess.run([sys.executable, "-c", body, str(store.path), str(target)], check=False)


def test_the_copy_of_a_killed_backup_goes_with_the_next_command_that_writes(store: Store, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    die_with_draft(store, elsewhere / "copy.duckdb")
    assert len(list(elsewhere.iterdir())) == 2
    drafts.sweep(store.path)
    assert list(elsewhere.iterdir()) == []
    assert list(tmp_path.glob(".*")) == []


def test_what_a_killed_export_left_goes_with_the_next_backup(store: Store, tmp_path: Path) -> None:
    die_with_draft(store, tmp_path / "out.jsonl")
    store.backup(tmp_path / "copy.duckdb", force=False)
    assert {path.name for path in tmp_path.iterdir()} == {"memory.duckdb", "copy.duckdb"}


def test_a_draft_in_work_is_left_alone_and_one_out_of_reach_is_remembered(store: Store, tmp_path: Path) -> None:
    with drafts.drafted(tmp_path / "copy.duckdb", store.path) as draft:
        draft.write_text("in work")
        assert drafts.sweep(store.path) == []
        assert draft.exists()
    assert not draft.exists()
    unplugged = tmp_path / "unplugged"
    unplugged.mkdir()
    die_with_draft(store, unplugged / "copy.duckdb")
    unplugged.rename(tmp_path / "away")
    notes: list[str] = []
    replace(store, notify=notes.append).forget(replace(MINE, words=("rains",)))
    assert str(unplugged) in notes[0]
    (tmp_path / "away").rename(unplugged)
    assert drafts.sweep(store.path) == []
    assert list(unplugged.iterdir()) == []


def test_forgetting_takes_the_replies_under_every_name_of_the_memory(store: Store, tmp_path: Path) -> None:
    link = tmp_path / "link" / "mine.duckdb"
    link.parent.mkdir()
    link.symlink_to(store.path)
    (tmp_path / "near.duckdb").symlink_to(store.path)
    through = replace(store, path=link)
    for name in (link, tmp_path / "near.duckdb"):  # as earlier versions have left them
        name.with_name(f"{name.name}.replies").write_text("xylophone")
    replies = through.replies
    assert replies
    replies.put("model", {REQUEST: "a xylophone"})
    assert store.replies and store.replies.get("model", REQUEST) == "a xylophone"
    through.forget(replace(MINE, words=("xylophone",)))
    assert link.is_symlink()
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"xylophone" in path.read_bytes().lower()]


def test_a_reply_about_a_memory_that_has_changed_meanwhile_is_not_kept(store: Store) -> None:
    replies = store.replies
    assert replies
    store.forget(replace(MINE, words=("xylophone",)))
    replies.put("model", {REQUEST: "a xylophone"})
    assert not replies.path.exists()


def test_a_reply_in_which_a_bit_has_turned_is_none(store: Store) -> None:
    replies = Replies.of(store.path)
    replies.put("model", {REQUEST: "a xylophone"})
    replies.path.write_text(replies.path.read_text().replace("a xylophone", "a xylophune"))
    assert replies.get("model", REQUEST) is None


def test_a_memory_with_a_second_name_is_not_forgotten_in(store: Store, tmp_path: Path) -> None:
    os.link(store.path, tmp_path / "second.duckdb")
    with pytest.raises(StoreError, match="hard links"):
        store.forget(replace(MINE, words=("xylophone",)))


@pytest.mark.parametrize("bad", ["", "2025-1", "2025-03-01T09:00:00", "2025-03-01T09:00:00+00:00 msg", "\x00\x00 msg"])
def test_a_bad_line_among_the_accesses_is_skipped_and_said_once(store: Store, bad: str) -> None:
    notes: list[str] = []
    noting = replace(store, notify=notes.append)
    store.note_access(["msg-1"])
    with store.journal.path.open("a") as journal:
        journal.write(f"{bad}\n")
    store.note_access(["msg-2"])
    for _ in range(2):
        with noting.read():
            pass
    assert len(notes) == 1
    assert [line.split()[1] for line in store.journal.read().decode().splitlines()] == ["msg-1", "msg-2"]
    with noting.write():
        pass
    assert store.journal.read() == b""


def test_an_access_is_not_added_to_a_line_that_was_cut_off(store: Store) -> None:
    store.note_access(["msg-1"])
    held = store.journal.read()
    store.journal.path.write_bytes(held + held[:-1])
    store.note_access(["msg-2"])
    assert [line.split()[1] for line in store.journal.read().decode().splitlines()] == ["msg-1", "msg-1", "msg-2"]


@pytest.mark.parametrize(
    "name", ["memory.duckdb", "memory.duckdb.wal", "memory.duckdb.accesses", "link", "key", "same"]
)
def test_nothing_is_written_in_place_of_the_memory_its_side_files_or_its_key(tmp_path: Path, name: str) -> None:
    write_new(tmp_path / "key")
    store = Store(tmp_path / "memory.duckdb", timeout=0.3, keys=Keys(tmp_path / "key"))
    live(store, CHAT, messages(CHAT, "I bought a xylophone.", "It rains."))
    (tmp_path / "link").symlink_to(store.path)
    (tmp_path / "same").hardlink_to(tmp_path / "key")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(UsageError, match="of the memory"), store.temporary_path(tmp_path / name):
        pass
    with pytest.raises(UsageError):
        store.backup(tmp_path / name, force=True)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_link_to_itself_is_replaced_by_what_is_written_there(store: Store, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with store.temporary_path(tmp_path / "loop") as draft:
        draft.write_text("page")
        store.publish(draft, tmp_path / "loop")
    assert (tmp_path / "loop").read_text() == "page"


def test_a_link_to_itself_beside_a_memory_stops_no_forgetting(store: Store, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert store.forget(replace(MINE, words=("rains",))).counts["messages"] == 1
