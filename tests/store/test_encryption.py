"""An encrypted memory: nothing of it is plain on the disk, it opens with its key only, and is whole at every moment."""

import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from evermem_cli.archive import export
from evermem_cli.cli.shared.output import destination
from evermem_cli.engines import Request
from evermem_cli.errors import StoreError
from evermem_cli.memory import Selection
from evermem_cli.store import Keys, Store, let_go
from evermem_cli.store.file import blocks, connection, drafts, keys
from evermem_cli.store.file.keys import Key
from tests.support.lives import conversation, live, messages
from tests.support.logs import left_in_log
from tests.support.tables import rows

SECRET, LATER = "xylophone", "theremin"
REQUEST = Request(system="", user="", max_tokens=1)
CHAT, OTHER = conversation("music"), conversation("noise")
MESSAGE_ID = messages(CHAT, f"I bought a {SECRET}.")[0].id  # a few letters alone stand in encrypted bytes by chance


@pytest.fixture
def plain(tmp_path: Path) -> Store:
    """A plain memory in a folder of its own, with accesses and a reply beside it."""
    made = Store(tmp_path / "memory" / "memory.duckdb", timeout=0.3)
    said = messages(CHAT, f"I bought a {SECRET}.", "It rains.", f"My {SECRET} is red.")
    live(made, CHAT, said[:2], said[2:])
    shown(made, SECRET)
    return made


@pytest.fixture
def sealed(plain: Store, tmp_path: Path) -> Store:
    """The same memory with a key."""
    return encrypted(plain, tmp_path / "key")


def encrypted(store: Store, file: Path) -> Store:
    store.encrypt(keys.write_new(file))
    return replace(store, keys=Keys(file))


def shown(store: Store, word: str) -> None:
    """Has all messages shown, and a reply kept that has a word."""
    with store.read() as reader:
        store.note_access([row["id"] for row in rows(reader, "select id from messages")])
    assert store.replies
    store.replies.put("model", {REQUEST: f"a {word}"})
    assert store.replies.get("model", REQUEST) == f"a {word}"


def plain_text(store: Store) -> set[str]:
    """What of all that was said, of ids and of columns stands in the bytes of the memory or of a file beside it."""
    said = (SECRET, LATER, "rains", MESSAGE_ID, "speaker", "fingerprint")
    held = [path.read_bytes() for path in store.path.parent.rglob("*") if path.is_file()]
    return {word for word in said if any(word.encode() in content for content in held)}


def all_rows(store: Store) -> list[str]:
    return sorted(export(store))


def test_nothing_is_plain_in_any_file_at_any_time(plain: Store, tmp_path: Path) -> None:
    assert {SECRET, MESSAGE_ID, "speaker"} <= plain_text(plain)
    store = encrypted(plain, tmp_path / "key")
    assert plain_text(store) == set()
    shown(store, LATER)
    live(store, OTHER, messages(OTHER, f"I sold the {LATER}.", "It snows."))
    shown(store, LATER)
    assert plain_text(store) == set()
    assert len(store.journal.accesses(store.journal.read())) == 5
    store.backup(store.path.with_name("copy.duckdb"), force=False)
    assert plain_text(store) == set()
    store.forget(Selection(user_id="default", words=(LATER,)))
    assert plain_text(store) == set()
    store.encrypt(keys.write_new(tmp_path / "other"))
    rekeyed = replace(store, keys=Keys(tmp_path / "other"))
    assert plain_text(rekeyed) == set()
    rekeyed.encrypt(None)
    store.path.with_name("copy.duckdb").unlink()
    assert LATER not in plain_text(plain)
    assert SECRET in plain_text(plain)


def test_what_a_killed_process_leaves_in_the_log_is_encrypted(sealed: Store) -> None:
    statement = f"update conversations set title = 'a {LATER} ' || repeat('{LATER}', 50)"
    assert left_in_log(statement, sealed.path, sealed.keys.file).stat().st_size > 400
    assert plain_text(sealed) == set()
    assert sum(LATER in line for line in export(sealed)) == 1


@pytest.mark.parametrize("write", [True, False])
def test_what_does_not_fit_into_memory_is_spilled_encrypted(sealed: Store, write: bool) -> None:
    let_go()  # a database spills to where it has spilled before
    with connection.attached(sealed.path, write=write, timeout=1, keys=sealed.keys) as opened:
        opened.execute("set memory_limit = '30MB'")
        opened.execute(f"create temp table much as select '{SECRET}' || sha256(range::varchar) as t from range(800000)")
        spilled = [path for path in drafts.spill(sealed.path).iterdir() if path.is_file()]
        assert sum(path.stat().st_size for path in spilled) > 10_000_000
        assert not [path for path in spilled if SECRET.encode() in path.read_bytes()]
    assert plain_text(sealed) == set()


def test_encrypting_changes_no_row(plain: Store, tmp_path: Path) -> None:
    with plain.write():  # what was shown is in the file
        pass
    before = all_rows(plain)
    sealed = encrypted(plain, tmp_path / "key")
    assert all_rows(sealed) == before
    sealed.encrypt(None)
    assert all_rows(plain) == before
    assert plain.path.stat().st_mode & 0o777 == 0o600


def test_a_new_memory_is_encrypted_from_the_start_where_a_key_is_named(tmp_path: Path) -> None:
    keys.write_new(tmp_path / "key")
    store = Store(tmp_path / "memory" / "memory.duckdb", 0.3, keys=Keys(tmp_path / "key"))
    live(store, CHAT, messages(CHAT, f"I bought a {SECRET}."))
    assert store.is_encrypted
    assert plain_text(store) == set()


def test_a_backup_opens_with_the_key_that_the_memory_had_then(sealed: Store, tmp_path: Path) -> None:
    copy = replace(sealed, path=tmp_path / "copy.duckdb")
    sealed.backup(copy.path, force=False)
    sealed.encrypt(keys.write_new(tmp_path / "other"))
    assert len(all_rows(copy)) == len(all_rows(replace(sealed, keys=Keys(tmp_path / "other"))))
    with pytest.raises(StoreError, match="another key"):
        all_rows(sealed)


def test_without_its_key_or_with_another_nothing_is_read_and_nothing_changes(sealed: Store, tmp_path: Path) -> None:
    before = sealed.path.read_bytes()
    with pytest.raises(StoreError, match="encrypted") as refused, replace(sealed, keys=Keys()).read():
        pass
    assert "--key-file" in refused.value.hint
    keys.write_new(tmp_path / "other")
    other = replace(sealed, keys=Keys(tmp_path / "other"))
    with pytest.raises(StoreError, match="another key"), other.read():
        pass
    with pytest.raises(StoreError, match="another key"):
        other.encrypt(None)
    with pytest.raises(StoreError, match="another key"):
        other.forget(Selection(user_id="default", words=(SECRET,)))
    with pytest.raises(StoreError, match="another key"):
        other.backup(tmp_path / "copy.duckdb", force=False)
    assert sealed.path.read_bytes() == before
    assert not (tmp_path / "copy.duckdb").exists()


def test_a_plain_memory_is_not_taken_for_an_encrypted_one(plain: Store, tmp_path: Path) -> None:
    keys.write_new(tmp_path / "key")
    with (
        pytest.raises(StoreError, match="not encrypted") as refused,
        replace(plain, keys=Keys(tmp_path / "key")).read(),
    ):
        pass
    assert "evermem encrypt" in refused.value.hint


@pytest.mark.parametrize("content", ["", "secret", "c2hvcnQ=", "é", "A" * 44, "%" * 44])
def test_what_is_no_key_is_told(tmp_path: Path, content: str) -> None:
    file = tmp_path / "key"
    file.write_text(content, encoding="utf-8")
    file.chmod(0o600)
    with pytest.raises(StoreError, match="not a key of evermem"):
        keys.read(file)


def test_a_key_that_others_can_read_or_that_is_not_there_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "key"
    made = keys.write_new(file)
    assert keys.read(file) == made
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o640)
    with pytest.raises(StoreError, match="others can read the key"):
        keys.read(file)
    with pytest.raises(StoreError, match="No such file"):
        keys.read(tmp_path / "none")
    (tmp_path / "folder").mkdir(mode=0o755)
    with pytest.raises(StoreError, match=r"Is a directory|Permission denied"):
        keys.read(tmp_path / "folder")
    assert made.text not in repr(made)


@pytest.mark.parametrize("step", ["to a key", "to another key", "to none"])
def test_a_process_killed_midway_leaves_the_old_file_and_the_next_that_writes_clears_up(
    plain: Store, tmp_path: Path, step: str
) -> None:
    store = plain if step == "to a key" else encrypted(plain, tmp_path / "key")
    before = all_rows(store)
    body = """
import sys, time
from pathlib import Path
from evermem_cli.store.file.keys import Key, Keys
from evermem_cli.store.file.renewal import carry_over_all, renewed
path, old, new = sys.argv[1:]
with renewed(Path(path), 1.0, Keys(Path(old) if old else None), Key.parsed(new) if new else None) as opened:
    carry_over_all(opened, Path(path))
    print("ready", flush=True)
    time.sleep(60)
"""
    arguments = [str(store.path), str(store.keys.file or ""), "" if step == "to none" else Key.made().text]
    victim = subprocess.Popen([sys.executable, "-c", body, *arguments], stdout=subprocess.PIPE, text=True)
    assert victim.stdout is not None
    assert victim.stdout.readline() == "ready\n"
    os.kill(victim.pid, signal.SIGKILL)
    victim.communicate()
    assert len(list(store.path.parent.glob(".*"))) > 1
    assert all_rows(store) == before
    store.encrypt(keys.write_new(tmp_path / "next"))
    assert list(store.path.parent.glob(".*")) == []
    assert plain_text(store) == set()


def test_a_turned_bit_is_told_and_never_read(sealed: Store) -> None:
    whole = sealed.path.read_bytes()
    before, told = all_rows(sealed), 0
    for place in range(8, len(whole), len(whole) // 12):
        changed = bytearray(whole)
        changed[place] ^= 4
        sealed.path.write_bytes(changed)
        try:
            assert all_rows(sealed) == before  # of a block that holds nothing
        except StoreError:
            told += 1
    assert told > 0
    sealed.path.write_bytes(whole)
    assert all_rows(sealed) == before


def test_what_can_be_read_of_a_damaged_file_is_saved(sealed: Store) -> None:
    with sealed.salvage() as opened:
        found = opened.survey()
    assert (found.blocks, found.lost) == (0, {})
    assert found.rows > 20
    changed = bytearray(sealed.path.read_bytes())
    lost: dict[str, int] = {}
    for start in reversed(range(blocks.HEADER * blocks.HEADERS, len(changed), blocks.BLOCK_SIZE)):
        damaged = bytearray(changed)
        damaged[start + 1000] ^= 1
        sealed.path.write_bytes(damaged)
        try:
            with sealed.salvage() as opened:
                lost = opened.survey().lost
        except StoreError:
            continue  # a block that everything rests on
        if lost:
            return
    raise AssertionError("no block was damaged that a part of the rows rests on")


def test_lines_that_are_plain_or_of_another_key_are_no_accesses(sealed: Store) -> None:
    journal = sealed.journal
    journal.path.write_bytes(b"2025-03-01T09:00:00 msg-1\n" + Key.made().seal(b"2025-03-01T09:00:00 msg-2", "accesses"))
    notes: list[str] = []
    with replace(sealed, notify=notes.append).read():
        pass
    assert len(notes) == 1
    assert journal.read() == b""


def test_what_was_sealed_for_one_purpose_is_nothing_for_another() -> None:
    key = Key.made()
    once, again = key.seal(b"a", "replies"), key.seal(b"a", "replies")
    assert once != again
    assert key.unseal(once, "replies") == b"a"
    assert key.unseal(once, "accesses") is None
    assert Key.made().unseal(once, "replies") is None


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="a folder of Linux")
def test_an_export_of_an_encrypted_memory_to_stdout_is_gathered_in_no_file(capfd: pytest.CaptureFixture[str]) -> None:
    before = open_files()
    with destination(None, nullcontext, force=False, spill=False) as out:
        out.write("a line\n")
        assert open_files() <= before
    assert capfd.readouterr().out == "a line\n"


def open_files() -> set[str]:
    return {os.readlink(each) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()}


def test_what_has_spilled_plain_before_hinders_no_encryption(plain: Store, tmp_path: Path) -> None:
    let_go()
    with connection.attached(plain.path, write=True, timeout=1) as opened:
        opened.execute("set memory_limit = '30MB'")
        opened.execute("create temp table much as select sha256(range::varchar) from range(800_000)")
    assert plain_text(encrypted(plain, tmp_path / "key")) == set()
