"""What can be read of a damaged memory file is told, and saved by an export that import takes."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from evermem_cli.archive import Import, export, salvage
from evermem_cli.cli.actions.diagnosis import whole_file
from evermem_cli.cli.shared.session import Session
from evermem_cli.errors import ExitCode, StoreError
from evermem_cli.memory import Access
from evermem_cli.store import Store
from evermem_cli.store.file import blocks, connection
from tests.support.lives import EMBEDDER, conversation, live, messages, without_explanations
from tests.support.locking import can_be_written

CHAT = conversation("music")
FIRST = 3 * 4096


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "memory.duckdb", timeout=0.3)
    said = messages(CHAT, *(f"{number} xylophones, and {number * 7919} reasons" for number in range(300)))
    live(made, CHAT, said[:100], said[100:])
    return made


def change(store: Store, place: int, content: bytes) -> None:
    with store.path.open("rb+") as opened:
        opened.seek(place)
        opened.write(content)


def turn(store: Store, place: int) -> None:
    """Turns the lowest bit of a byte."""
    change(store, place, bytes([store.path.read_bytes()[place] ^ 1]))


def imported(lines: list[str], path: Path) -> Store:
    other = Store(path, timeout=0.3)
    Import(other, EMBEDDER, lambda *_: None).run(line.encode() for line in lines)
    return other


def by_type(lines: list[str]) -> dict[str, int]:
    kinds = [json.loads(line)["type"] for line in lines]
    return {kind: kinds.count(kind) for kind in kinds}


def catalogue(store: Store) -> set[int]:
    """The places of the blocks that tell DuckDB where all else is: it reads every one before it opens the file."""
    with connection.connected(store.path, write=False, timeout=0.3) as opened:
        found = opened.execute("select block_id from pragma_metadata_info('evermem')").fetchall()
    return {FIRST + number * blocks.BLOCK_SIZE for (number,) in found}


def test_of_an_undamaged_file_all_is_saved(store: Store) -> None:
    lost: list[object] = []
    assert sorted(salvage(store, lambda *told: lost.append(told))) == sorted(map(without_explanations, export(store)))
    assert lost == []


def test_who_has_read_and_what_was_shown_is_saved_also_while_only_the_journal_knows(store: Store) -> None:
    with store.read() as reader:
        shown = [message.id for message in reader.messages.by_id(reader.chats.places(CHAT.id)).values()][:2]
    store.note_access(shown)
    store.note_access(shown[:1])
    with replace(store, access=Access(agent="helper", reason="a test", command="search", tiers={})).read():
        pass
    held = store.journal.read()
    found = [json.loads(line) for line in salvage(store, lambda *_: None)]
    assert store.journal.read() == held
    expected = [json.loads(without_explanations(line)) for line in export(store)]  # has taken the journal in
    assert store.journal.read() == b""
    assert [row["agent"] for row in found if row["type"] == "access"] == ["helper"]
    assert sorted(row["access_count"] for row in found if row.get("id") in shown) == [1, 2]
    assert _by_content(found) == _by_content(expected)


def _by_content(rows: list[dict[str, Any]]) -> list[str]:
    rounded = [row | ({"strength": round(row["strength"], 9)} if row.get("strength") else {}) for row in rows]
    return sorted(json.dumps(row, sort_keys=True) for row in rounded)


def test_a_block_in_which_one_bit_has_turned_is_mended_and_all_is_saved(store: Store) -> None:
    before, content = sorted(map(without_explanations, export(store))), store.path.read_bytes()
    for block in range(FIRST, len(content), 12 * blocks.BLOCK_SIZE):
        turn(store, block + 8 * 16)
        with store.path.open("rb") as opened:
            damage = blocks.damage(opened)
        assert damage.places == (block,)
        if damage.mended:
            assert damage.mended[block] == content[block : block + blocks.BLOCK_SIZE]
            assert sorted(salvage(store, lambda *_: None)) == before
        store.path.write_bytes(content)
    assert [path.name for path in store.path.parent.iterdir()] == ["memory.duckdb"]


def test_of_a_file_that_is_too_short_nothing_is_read(store: Store) -> None:
    store.path.write_bytes(store.path.read_bytes()[: blocks.HEADER + 100])
    with store.path.open("rb") as opened:
        assert blocks.damage(opened).blocks == 1
    with pytest.raises(StoreError, match=str(store.path)):
        list(salvage(store, lambda *_: None))


def test_of_a_file_with_a_block_beyond_mending_all_else_is_saved(store: Store, tmp_path: Path) -> None:
    before, content = by_type(list(export(store))), store.path.read_bytes()
    beyond = set()
    for number, block in enumerate(range(FIRST, len(content), 3 * blocks.BLOCK_SIZE)):
        change(store, block + 1000, b"damaged, and in more than a bit")
        lost: dict[str, int | None] = {}
        try:
            lines = list(salvage(store, lost.__setitem__))
        except StoreError:
            beyond.add(block)
        else:
            found = by_type(lines)
            assert {kind: found.get(kind, 0) + (lost.get(kind) or 0) for kind in before if kind == "message"} == {
                "message": before["message"]
            }
            if number == 1:
                imported(lines, tmp_path / f"{number}.duckdb")
        store.path.write_bytes(content)
    assert beyond <= catalogue(store)


def test_a_damaged_index_of_what_the_file_says_of_itself_costs_nothing(store: Store) -> None:
    before, content = sorted(map(without_explanations, export(store))), store.path.read_bytes()
    told = []
    for block in set(range(FIRST, len(content), blocks.BLOCK_SIZE)) - catalogue(store):
        change(store, block + 1000, b"damaged, and in more than a bit")
        lost: dict[str, int | None] = {}
        header, *_ = salvage(store, lost.__setitem__)
        told.append((header in before, "memory.embedder" in lost))
        store.path.write_bytes(content)
    assert all(whole != lost for whole, lost in told)
    assert [lost for _, lost in told].count(True) == 1  # where the table itself lies


def test_of_a_file_that_lacks_a_table_or_a_column_all_else_is_saved(store: Store, tmp_path: Path) -> None:
    with duckdb.connect(str(store.path)) as opened:
        opened.execute("drop table mentions; drop table postings; alter table messages drop column domain")
    lost: dict[str, int | None] = {}
    lines = list(salvage(store, lost.__setitem__))
    assert lost == {"mention": None, "message.domain": 300}
    assert by_type(list(export(imported(lines, tmp_path / "new.duckdb"))))["message"] == 300


def test_doctor_says_what_the_tables_and_the_keyword_index_lack(store: Store) -> None:
    session = Session.open(db=store.path)
    assert [check.name for check in whole_file(session)] == ["blocks"]
    with duckdb.connect(str(store.path)) as opened:
        opened.execute("delete from postings where head <= 2")
    [index, _] = whole_file(session)
    assert (index.name, index.code) == ("index", ExitCode.STORE)
    assert "2 memories" in index.finding
    with duckdb.connect(str(store.path)) as opened:
        opened.execute("drop table postings; alter table messages drop column text")
    [tables, _] = whole_file(session)
    assert (tables.name, tables.code) == ("tables", ExitCode.STORE)
    assert tables.finding == "the file lacks the table postings, the column text of messages"


def test_of_a_database_of_something_else_nothing_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "foreign.duckdb"
    with duckdb.connect(str(path)) as opened:
        opened.execute("create table invoices (id integer)")
    with pytest.raises(StoreError, match="not a memory of evermem"):
        list(salvage(Store(path, timeout=0.3), lambda *_: None))


def test_few_blocks_are_beyond_mending(store: Store) -> None:
    assert len(catalogue(store)) * blocks.BLOCK_SIZE <= store.path.stat().st_size / 10


@pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
def test_a_damaged_file_stays_locked_while_it_is_read_and_after_it_was_copied(store: Store) -> None:
    content, mended = store.path.read_bytes(), 0
    for block in set(range(FIRST, len(content), 6 * blocks.BLOCK_SIZE)) - catalogue(store):
        turn(store, block + 8 * 16)
        with store.salvage() as opened:
            assert opened.damage.places == (block,)
            mended += len(opened.damage.mended)
            assert not can_be_written(store.path)
        assert can_be_written(store.path)
        store.path.write_bytes(content)
    assert mended


def test_doctor_reads_every_block_and_says_what_can_be_saved(store: Store) -> None:
    session = Session.open(db=store.path)
    checks = {check.name: check for check in whole_file(session)}
    assert checks["blocks"].code is ExitCode.OK
    for block in range(FIRST, store.path.stat().st_size, blocks.BLOCK_SIZE):
        content = store.path.read_bytes()
        change(store, block + 1000, b"damaged, and in more than a bit")
        checks = {check.name: check for check in whole_file(session)}
        assert checks["blocks"].code is ExitCode.STORE
        assert checks["blocks"].advice
        change(store, 0, content)
        break
