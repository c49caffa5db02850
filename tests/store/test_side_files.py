"""Whoever may write into the folder of a memory can give the names of its side files to something else."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from evermem_cli.engines import Request
from evermem_cli.errors import StoreError
from evermem_cli.memory import Access, Selection
from evermem_cli.store import Store
from tests.support.lives import conversation, live, messages

CHAT = conversation("music")
KEPT = r"memory.duckdb.accesses: evermem keeps a file of this name"
AGENT = Access(agent="helper", reason="", command="search", tiers={})


def link_to_a_letter(path: Path) -> None:
    """A link to what somebody else would have overwritten."""
    path.symlink_to(path.with_name("letter.txt"))
    path.with_name("letter.txt").write_text("Dear Ann")


PLANTED = [Path.mkdir, link_to_a_letter] + ([os.mkfifo] if hasattr(os, "mkfifo") else [])
planted = pytest.mark.parametrize("plant", PLANTED)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "memory.duckdb", timeout=0.3)
    live(made, CHAT, messages(CHAT, "I bought a xylophone.", "It rains."))
    return made


@planted
@pytest.mark.parametrize("access", [None, AGENT])
def test_what_is_no_journal_is_named_and_nothing_is_read(
    store: Store, plant: Callable[[Path], None], access: Access | None
) -> None:
    plant(store.journal.path)
    with pytest.raises(StoreError, match=KEPT), replace(store, access=access).read():
        pass
    with pytest.raises(StoreError, match=KEPT), store.write():
        pass


@pytest.mark.parametrize("text", ["Dear Ann\n", "2025-01-01T00:00:00 msg-1\nDear Ann", None])
def test_a_journal_that_is_a_link_to_another_file_changes_and_makes_none(store: Store, text: str | None) -> None:
    letter = store.path.with_name("letter.txt")
    if text is not None:
        letter.write_text(text)
    store.journal.path.symlink_to(letter)
    for access in (None, AGENT):
        with pytest.raises(StoreError, match="not a file"), replace(store, access=access).read():
            pass
    with pytest.raises(StoreError, match="not a file"), store.write():
        pass
    assert (letter.read_text() if letter.exists() else None) == text


@planted
def test_what_are_no_replies_is_not_read_and_stops_no_forgetting(store: Store, plant: Callable[[Path], None]) -> None:
    assert store.replies
    plant(store.replies.path)
    assert store.replies.get("model", Request(system="", user="", max_tokens=1)) is None
    assert store.forget(Selection(user_id="default", words=("rains",))).counts["messages"] == 1


@planted
def test_what_is_no_note_and_no_draft_stays_where_it_is(store: Store, plant: Callable[[Path], None]) -> None:
    names = [store.path.with_name(f".memory.duckdb.1{ending}") for ending in (".draft", ".new")]
    for name in names:
        plant(name)
    store.forget(Selection(user_id="default", words=("rains",)))
    assert all(name.exists() for name in names)


@pytest.mark.parametrize(
    "name", ["other.duckdb.wal.recovery", ".other.duckdb.1.new", ".other.duckdb.replies-x", "by.duckdb.replies"]
)
def test_what_a_killed_command_left_does_not_outlive_forgetting(store: Store, tmp_path: Path, name: str) -> None:
    fresh = replace(store, path=tmp_path / "other.duckdb")  # which this process has not written yet
    shutil.copy(store.path, fresh.path)
    (tmp_path / "by.duckdb").symlink_to(fresh.path)
    (tmp_path / name).write_text("It rains.")
    assert fresh.forget(Selection(user_id="default", words=("rains",))).counts["messages"] == 1
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("named", ["letter.txt", "letter.1.new", "letter\0.1.new"])
def test_a_planted_note_removes_no_file_that_is_no_draft(store: Store, tmp_path: Path, named: str) -> None:
    letter = tmp_path / "elsewhere" / named.replace("\0", "")
    letter.parent.mkdir()
    letter.write_text("Dear Ann")
    note = tmp_path / ".memory.duckdb.1.draft"
    note.write_text(str(letter.with_name("letter")) + named.removeprefix("letter"))
    store.forget(Selection(user_id="default", words=("rains",)))
    assert letter.read_text() == "Dear Ann"
    assert not note.exists()
