"""A shared memory in a DuckLake: its log, what remains of removed lines, and what can be wrong with its address."""

import json
import multiprocessing
import os
import shutil
import signal
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evermem_cli.errors import StoreBusy, StoreError, UsageError
from evermem_cli.memory.lake_address import LakeAddress
from evermem_cli.store.lake.log import Bookmark, LakeLine
from evermem_cli.store.lake.shared_memory import SharedMemory
from evermem_cli.store.lake.visits import visited
from tests.support.lakes import documents_in_files
from tests.support.postgres import Postgres

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SECRET = b"xylophone"


def line(thing: str, text: bytes = b"{}", *, revision: int = 0, presence: int = 1, at: float | None = 1.0) -> LakeLine:
    place = None if at is None else (NOON, at)
    return LakeLine(thing, revision, presence, "", f"{thing} {revision} {presence}", place, text)


def data_of(shared: SharedMemory) -> Path:
    return shared.address.data or Path(f"{shared.address.file}.files")


def documents(shared: SharedMemory, bookmark: Bookmark | None = None) -> list[bytes]:
    with shared.read() as log:
        return [] if log is None else [*log.after(bookmark or Bookmark(""))]


@pytest.mark.parametrize(
    ("text", "is_here"),
    [
        ("ducklake:/team/memory.ducklake", True),
        ("ducklake:postgres:dbname=team?data=/team", True),
        ("ducklake:postgres:dbname=team host=/var/run/postgresql", True),
        ("ducklake:postgres:dbname='my team' host=127.0.0.1 port=5433", True),
        ("ducklake:postgres:dbname=team host=::1", True),
        ("ducklake:postgres:dbname=team host=db.example", False),
        ("ducklake:postgres:dbname=team host=localhost,10.0.0.7", False),
        ("ducklake:postgres:dbname=team hostaddr=10.0.0.7 host=localhost", False),
        ("ducklake:postgres:service=team", False),
    ],
)
def test_an_address_tells_whether_chats_stay_on_this_machine(text: str, is_here: bool) -> None:
    address = LakeAddress.read(text)
    assert address.is_here is is_here
    assert LakeAddress.read(address.text) == address


def test_a_host_in_the_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGHOST", "db.example")
    assert not LakeAddress.read("ducklake:postgres:dbname=team").is_here
    assert LakeAddress.read("ducklake:postgres:dbname=team host=localhost").is_here


@pytest.mark.parametrize(
    "text",
    [
        "ducklake:postgres:dbname=team password=hunter2",
        "ducklake:postgres:dbname=team password = 'hunter2'",
        "ducklake:postgres:postgresql://ann:hunter2@localhost/team",
        "ducklake:postgresql://ann:hunter2@localhost/team",
        "ducklake:postgres:hunter2",
        "ducklake:",
    ],
)
def test_an_address_with_a_password_or_of_another_form_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        LakeAddress.read(text)
    assert "hunter2" not in refused.value.message + refused.value.hint


@pytest.mark.parametrize("catalog", ["ducklake:postgres:dbname=team", "ducklake:/team/memory.ducklake"])
def test_data_behind_an_address_is_refused_with_what_to_name_instead(catalog: str) -> None:
    with pytest.raises(UsageError) as refused:
        LakeAddress.read(f"{catalog}?data=s3://id:hunter2@team/x")
    assert "a folder that is mounted on this machine" in refused.value.hint
    assert "hunter2" not in refused.value.message + refused.value.hint


def test_lines_are_read_once_and_in_order(shared: SharedMemory) -> None:
    assert shared.snapshot() is None
    with shared.write() as log:
        first = log.append([line("a", b"1"), line("b", b"2")], removes=False)
        bookmark = Bookmark(log.lake, log.end())
        own = log.append([line("c", b"3")], removes=False)
        log.append([line("d", b"4")], removes=False)
    assert documents(shared) == [b"1", b"2", b"3", b"4"]
    assert documents(shared, bookmark) == [b"3", b"4"]
    assert documents(shared, Bookmark(bookmark.lake, bookmark.cursor, own)) == [b"4"]
    assert documents(shared, Bookmark("another lake", 99)) == [b"1", b"2", b"3", b"4"]
    assert first != own


def test_small_files_become_one_and_bookmarks_and_snapshots_stay(shared: SharedMemory) -> None:
    with shared.write() as log:
        log.append([line("first", b"0")], removes=False)
        bookmark = Bookmark(log.lake, log.end())
        snapshot = log.snapshot
        for number in range(1, 55):
            log.append([line(f"t{number}", b"%d" % number)], removes=False)
            log.tidy()
    assert len([*(data_of(shared) / "main" / "lines").iterdir()]) < 10
    assert documents(shared, bookmark) == [b"%d" % number for number in range(1, 55)]
    with visited(shared.address, write=False, timeout=5) as visit:
        visit.attach()
        query = f"select document from lake.lines at (version => {snapshot}) where thing is not null"
        assert visit.connection.execute(query).fetchall() == [(b"0",)]


def test_nothing_is_left_of_what_is_purged(shared: SharedMemory, server: Postgres | None) -> None:
    with shared.write() as log:
        log.append([line(f"t{n}", b'{"text": "%s %d"}' % (SECRET, n)) for n in range(9)], removes=False)
        log.append(
            [line("b", b"Bob"), *(line(f"t{n}", revision=1, presence=2, at=None) for n in range(9))], removes=True
        )
        assert log.is_to_be_purged()
    assert SECRET in documents_in_files(shared.address, data_of(shared))
    with shared.write() as log:
        log.purge()
        assert not log.is_to_be_purged()
        ((snapshots,),) = log.connection.execute("select count(*) from lake.snapshots()").fetchall()
    assert SECRET not in documents_in_files(shared.address, data_of(shared))
    assert b"Bob" in documents_in_files(shared.address, data_of(shared))
    assert sorted(documents(shared)) == [b"Bob", *[b"{}"] * 9]
    assert snapshots < 4  # of the purge itself
    assert_catalogue_has_no_words(shared, server)


def assert_catalogue_has_no_words(shared: SharedMemory, server: Postgres | None) -> None:
    """Neither as they are nor in hexadecimal digits, as DuckLake notes the extremes of blobs."""
    written = shared.address.file.read_bytes() if shared.address.file else (server.everything() if server else b"")
    assert b"ducklake_data_file" in written
    for form in (SECRET, SECRET.hex().encode(), SECRET.hex().upper().encode()):
        assert form not in written


def test_of_two_lines_the_winner_stays_and_the_earlier_place(shared: SharedMemory) -> None:
    with shared.write() as log:
        log.append([line("edited", b"old"), line("moved", b"early", at=1.0), line("same", b"x")], removes=False)
        log.append([line("edited", b"new", revision=1), line("moved", b"late", revision=1, at=2.0)], removes=False)
        log.append([line("same", b"x"), line("same", b"sooner", at=0.5)], removes=True)
        log.purge()
    assert documents(shared) == [b"early", b"new", b"late", b"sooner"]


def _die_amid_a_push(text: str) -> None:
    with SharedMemory(LakeAddress.read(text), 5).write() as log:
        log.connection.execute("begin")
        log.connection.execute(
            "insert into lake.lines (thing, document) values ('killed', $text)", {"text": SECRET * 99}
        )
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_push_that_is_killed_leaves_nothing_behind(shared: SharedMemory) -> None:
    with shared.write() as log:
        log.append([line("a", b"1")], removes=False)
    killed = multiprocessing.get_context("spawn").Process(target=_die_amid_a_push, args=[shared.address.text])
    killed.start()
    killed.join()
    assert killed.exitcode == -signal.SIGKILL
    orphans = {*(data_of(shared) / "main" / "lines").iterdir()}
    assert len(orphans) == 2
    assert not any(SECRET in path.read_bytes() for path in orphans)  # encrypted, and its key is gone
    assert documents(shared) == [b"1"]
    with shared.write() as log:
        log.append([line("a", revision=1, presence=2, at=None)], removes=True)
        log.purge()
    assert not orphans & {*(data_of(shared) / "main" / "lines").iterdir()}
    assert documents(shared) == [b"{}"]


def test_only_one_writes_at_a_time(shared: SharedMemory) -> None:
    if shared.address.file:
        pytest.skip("within one process DuckDB's lock on a file excludes nobody")
    with shared.write() as log:
        log.append([line("a", b"1")], removes=False)
        for open_other in (shared.write, shared.read):
            with pytest.raises(StoreBusy), open_other_with(open_other, shared):
                pass
    with shared.read(), shared.read():
        pass


def open_other_with(opening, shared: SharedMemory):  # type: ignore[no-untyped-def]
    return getattr(SharedMemory(shared.address, 0.2), opening.__name__)()


def test_a_catalogue_without_a_data_folder_asks_for_one(server: Postgres | None, tmp_path: Path) -> None:
    if server is None:
        pytest.skip("PostgreSQL is not installed (Debian's package postgresql)")
    parameters = server.parameters()
    with pytest.raises(StoreError, match="names no data folder"), _write(f"ducklake:postgres:{parameters}"):
        pass
    missing = f"ducklake:postgres:{parameters}?data={tmp_path}/not-mounted"
    with pytest.raises(StoreError, match="not-mounted"), _write(missing):
        pass
    assert not (tmp_path / "not-mounted").exists()
    with _write(f"ducklake:postgres:{parameters}?data={tmp_path}") as log:
        log.append([line("a", b"1")], removes=False)
    assert documents(SharedMemory(LakeAddress.read(f"ducklake:postgres:{parameters}"), 5)) == [b"1"]
    moved = tmp_path.rename(tmp_path.with_name("moved"))
    with pytest.raises(StoreError, match="is not here"):
        documents(SharedMemory(LakeAddress.read(f"ducklake:postgres:{parameters}"), 5))
    assert documents(SharedMemory(LakeAddress.read(f"ducklake:postgres:{parameters}?data={moved}"), 5)) == [b"1"]
    moved.rename(tmp_path)


def _write(text: str):  # type: ignore[no-untyped-def]
    return SharedMemory(LakeAddress.read(text), 5).write()


def test_a_server_that_is_down_or_wants_a_password_is_named(
    server: Postgres | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StoreError, match=r"no connection.*No such file"):
        SharedMemory(LakeAddress.read(f"ducklake:postgres:dbname=x host={tmp_path}"), 5).snapshot()
    if server is None:
        pytest.skip("PostgreSQL is not installed (Debian's package postgresql)")
    server.lock("ann", "right")
    guarded = server.parameters().replace("user=evermem", "user=ann")
    shared = SharedMemory(LakeAddress.read(f"ducklake:postgres:{guarded}?data={tmp_path}"), 5)
    monkeypatch.setenv("PGPASSWORD", "wrong hunter2")
    with pytest.raises(StoreError, match="refuses the password") as refused:
        shared.snapshot()
    assert "hunter2" not in refused.value.message and "PGPASSWORD" in refused.value.hint
    monkeypatch.setenv("PGPASSWORD", "right")
    assert shared.snapshot() is None


def test_a_newer_or_foreign_catalogue_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    shared = SharedMemory(LakeAddress.read(f"ducklake:{tmp_path}/catalog.ducklake"), 5)
    with shared.write() as log:
        log.append([line("a", b"1")], removes=False)
        log.connection.execute("update lake.about set value = '99' where key = 'format'")
    with pytest.raises(StoreError, match="written by a newer evermem"):
        documents(shared)
    with pytest.raises(StoreError, match="written by a newer evermem"), shared.write():
        pass
    with visited(shared.address, write=True, timeout=5) as visit:
        visit.connection.execute(f"attach '{shared.address.file}' as catalogue")
        visit.connection.execute("update catalogue.ducklake_metadata set value = '9.9' where key = 'version'")
    with pytest.raises(StoreError, match="of another version of DuckLake"):
        documents(shared)
    foreign = SharedMemory(LakeAddress.read(f"ducklake:{tmp_path}/foreign.ducklake"), 5)
    with visited(foreign.address, write=True, timeout=5) as visit:
        visit.attach()
        visit.connection.execute("create table lake.sales (amount integer)")
    with pytest.raises(StoreError, match="not a memory of evermem"), foreign.write():
        pass


def test_a_file_that_is_no_catalogue_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no database " * 99, encoding="utf-8")
    with pytest.raises(StoreError, match=r"notes\.txt"):
        SharedMemory(LakeAddress.read(f"ducklake:{tmp_path}/notes.txt"), 5).snapshot()


def test_files_are_as_readable_as_their_folder(server: Postgres | None, tmp_path: Path) -> None:
    shared = SharedMemory(LakeAddress.read(f"ducklake:{tmp_path}/catalog.ducklake?data={tmp_path}/data"), 5)
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o770)
    with shared.write() as log:
        log.append([line("a", json.dumps({"text": "a"}).encode())], removes=False)
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "data").rglob("*.parquet")}
    assert modes == {0o660}
    shutil.rmtree(tmp_path / "data")
