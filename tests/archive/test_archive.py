import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evermem_cli.archive import Import, export
from evermem_cli.errors import InputError, StoreError, UsageError
from evermem_cli.memory import Filter, Selection
from evermem_cli.store import Store
from evermem_cli.store.file import connection
from evermem_cli.store.lifecycle import forget
from evermem_cli.store.transfer import portable
from tests.recollection.searching import search
from tests.support.fakes import WordEmbedder
from tests.support.lives import EMBEDDER, START, conversation, live, messages
from tests.support.logs import left_in_log
from tests.support.tables import execute, rows

CHAT = conversation("music")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "memory.duckdb", timeout=0.3)
    said = messages(
        CHAT, "I bought a xylophone.", "It rains.\u2028Again.", "My cat is Miso.", "我下周三去北京旅游", "ok"
    )
    live(made, CHAT, said[:2], said[2:])
    made.forget(Selection(user_id="default", words=("ok",)))
    with made.write() as writer:
        centroid = np.array2string(EMBEDDER.embed(["rain"])[0], separator=",", threshold=1000)
        scene = f"'scene-1', 'default', 'weather', 'It rains.', {centroid}::float[384], 0, $at, $at, null, $at"
        told = "'a', 'x', 'y', $at, $at, ['m'], ['m'], 'recency_wins', 'day', null"
        conflict = f"'cf-1', 'profile', 'default', 'default', {told}"
        execute(writer, f"insert into scenes select {scene}", at=START)
        execute(writer, f"insert into conflicts select {conflict}", at=START)
        execute(writer, "insert into merged values ('default', 'Miso', 'Ann', $at)", at=START)
        execute(writer, "insert into privacy select id, 'sensitive' from messages limit 1")
        execute(
            writer.reader, "insert into access_log values ($at, 'travel', 'to book a hotel', 'search', true)", at=START
        )
        correction = "'cr-1', 'fact-1', 'fact', 'default', '', 'a', 'b', null, ['m'], null, $at, null"
        execute(writer, f"insert into corrections select {correction}", at=START)
        execute(writer, "insert into forgotten_memories values ('forgotten-1', ['m'])")
        execute(
            writer, "insert into message_edits select id, 1, 'I bought', created_at from messages where ordinal = 1"
        )
    return made


def exported(store: Store) -> list[bytes]:
    return [line.encode() for line in export(store)]


def imported(store: Store, lines: list[bytes], embedder: WordEmbedder = EMBEDDER) -> Counter[str]:
    return Import(store, embedder, lambda what, done, total: None).run(lines)


def empty(folder: Path) -> Store:
    return Store(folder / "new.duckdb", timeout=0.3)


def test_what_was_imported_exports_to_the_same_lines(store: Store, tmp_path: Path) -> None:
    lines = exported(store)
    new = empty(tmp_path)
    taken = imported(new, lines)
    assert taken.total() == len(lines) - 2
    assert exported(new) == lines
    assert {json.loads(line)["type"] for line in lines} == {"memory", "end", *portable.TYPES.values()}


def test_every_line_tells_its_type_and_schema_and_a_message_who_said_what_when_and_where(store: Store) -> None:
    found = [json.loads(line) for line in export(store)]
    assert all(line["type"] and line["schema_version"] == connection.SCHEMA_VERSION for line in found)
    said = next(line for line in found if line["type"] == "message")
    assert (said["speaker"], said["text"], said["said_at"]) == ("Ann", "I bought a xylophone.", "2025-03-01T09:01:00Z")
    assert (said["external_id"], said["conversation"]) == ("1", "conv-music")


def test_what_was_imported_is_found_by_words_and_by_meaning(store: Store, tmp_path: Path) -> None:
    new = empty(tmp_path)
    imported(new, exported(store))
    (found, *_) = search("Miso", new, EMBEDDER, Filter(), 5)
    assert "Miso" in found.text
    with new.read() as there, store.read() as here:
        assert there.overview.status().counts == here.overview.status().counts
    assert new.path.stat().st_mode & 0o777 == 0o600


def test_another_embedder_may_take_it_in(store: Store, tmp_path: Path) -> None:
    new, other = empty(tmp_path), WordEmbedder("other", 16)
    imported(new, exported(store), other)
    with new.read() as reader:
        reader.meta.check_embedder("other", 16)
        assert rows(reader, "select count(centroid) as n from scenes") == [{"n": 0}]


def test_every_table_is_exported_or_left_out_for_a_reason(store: Store) -> None:
    assert set(portable.TYPES) | set(portable.LEFT_OUT) == set(forget.KEYS)
    with store.read_for_export() as opened:
        labels = {column.label for table in opened.tables() for column in table.columns}
    assert not labels & {"type", "schema_version"}


def without(label: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda line: {key: value for key, value in line.items() if key != label}


@pytest.mark.parametrize(
    ("kind", "change", "reason"),
    [
        ("message", without("text"), "message without text"),
        ("message", lambda line: line | {"text": None}, "message without text"),
        ("message", lambda line: line | {"text": 5}, "text of this message: 5 is not a valid value"),
        ("message", lambda line: line | {"text": "\ud800"}, "text of this message"),
        ("message", lambda line: line | {"role": "king"}, "role of this message: 'king'"),
        ("message", lambda line: line | {"said_at": "yesterday"}, "said_at of this message"),
        ("message", lambda line: line | {"ordinal": True}, "ordinal of this message"),
        ("message", lambda line: line | {"conversation": "conv-x"}, "unknown conversation, conv-x"),
        ("message", lambda line: line | {"memcell_id": "cell-x"}, "unknown memcell, cell-x"),
        ("message", lambda line: line | {"mood": "good"}, "message has no mood"),
        ("message", lambda line: line | {"type": "dream"}, "dream is not a known type"),
        ("message", lambda line: line | {"schema_version": 99}, "schema_version 99"),
        ("memcell", lambda line: line | {"event_id": "cell-x"}, "unknown memcell"),
        ("scene", lambda line: line | {"centroid": [1, "2"]}, "centroid of this scene"),
        ("memory", lambda line: line | {"type": "message"}, "begins with a line of type memory"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_imported(
    store: Store, tmp_path: Path, kind: str, change: Callable[[dict[str, Any]], dict[str, Any]], reason: str
) -> None:
    found = [json.loads(line) for line in export(store)]
    place = next(number for number, line in enumerate(found) if line["type"] == kind)
    found[place] = change(found[place])
    new = empty(tmp_path)
    with pytest.raises(InputError, match=reason) as error:
        imported(new, [json.dumps(line).encode() for line in found])
    assert error.value.line is not None
    assert error.value.line >= place + 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["memory.duckdb"]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], "nothing in it"),
        ([b"{"], "1: not JSON"),
        ([b"\xff\xfe"], "1: not JSON"),
        ([b"[" * 100_000], "1: not JSON"),
        ([b"[1]"], "1: no object with a type"),
    ],
)
def test_what_is_no_export_is_refused(lines: list[bytes], reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=reason):
        imported(empty(tmp_path), lines)
    assert list(tmp_path.iterdir()) == []


def test_the_same_row_twice_and_a_memcell_without_messages_are_refused(store: Store, tmp_path: Path) -> None:
    lines = exported(store)
    with pytest.raises(InputError, match="conversation conv-music a second time"):
        imported(empty(tmp_path), [*lines[:2], lines[1]])
    cells = [line for line in lines if b'"type": "message"' not in line and b'"memcell"' in line]
    with pytest.raises(InputError, match="memcell without messages"):
        imported(empty(tmp_path), [*lines[:2], *cells[:1], b'{"type": "end", "schema_version": 1, "rows": 2}'])


def test_an_export_that_was_cut_off_is_refused_unless_its_form_has_no_last_line(store: Store, tmp_path: Path) -> None:
    lines = exported(store)
    with pytest.raises(InputError, match="was cut off"):
        imported(empty(tmp_path), lines[:-1])
    with pytest.raises(InputError, match="of which"):
        imported(empty(tmp_path), [*lines[:-2], lines[-1]])
    with pytest.raises(InputError, match="after the end"):
        imported(empty(tmp_path), [*lines, lines[1]])
    head = json.loads(lines[0])
    del head["export_version"]
    assert imported(empty(tmp_path), [json.dumps(head).encode(), *lines[1:-1]]).total() == len(lines) - 2


def test_a_memory_that_holds_chats_is_not_imported_into(store: Store) -> None:
    lines = exported(store)
    with pytest.raises(UsageError, match="holds chats already"):
        imported(store, lines)
    assert exported(store) == lines


def test_a_memory_without_chats_gives_way(store: Store, tmp_path: Path) -> None:
    new = empty(tmp_path)
    new.create("other", 16)
    imported(new, exported(store))
    assert exported(new) == exported(store)


def test_a_backup_is_the_same_memory_and_never_overwrites_unasked(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "backup.duckdb"
    rows = store.backup(target, force=False)
    assert rows["messages"] == 4
    assert exported(Store(target, 0.3)) == exported(store)
    assert target.stat().st_mode & 0o777 == 0o600
    with pytest.raises(UsageError, match="exists already"):
        store.backup(target, force=False)
    with pytest.raises(UsageError, match="is a file of the memory itself"):
        store.backup(store.path, force=True)
    store.backup(target, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup.duckdb", "memory.duckdb"]
    with pytest.raises(StoreError, match="No such file"):
        store.backup(tmp_path / "nowhere" / "backup.duckdb", force=False)


def test_backups_are_whole_while_another_process_writes(store: Store, tmp_path: Path) -> None:
    """Each transaction adds an assertion and a conflict; a copy that has one without the other is torn."""
    body = """
import sys
from pathlib import Path
from evermem_cli.store import Store
from tests.support.lives import START
store = Store(Path(sys.argv[1]), 10.0)
for number in range(200):
    with store.write() as writer:
        for statement in ("insert into assertions select 't' || $n, 'c', 'u', 'a', repeat('x', 9000), 'holds', $at,"
                          "null, $at, 1, [], $at, true, null, null",
                          "insert into conflicts select 'c' || $n, 's', 'o', 'u', repeat('x', 9000), 'o', 'n', $at,"
                          "$at, [], [], 'r', null, null"):
            writer.connection.execute(statement, {"n": number, "at": START})
    print(number, flush=True)
"""
    command = [sys.executable, "-c", body, str(store.path)]
    patient = Store(store.path, timeout=10)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writing:
        assert writing.stdout is not None
        writing.stdout.readline()
        copies = [patient.backup(tmp_path / f"{number}.duckdb", force=False) for number in range(5)]
        assert writing.poll() is None
        writing.kill()
    assert len({rows["assertions"] - rows["conflicts"] for rows in copies}) == 1
    assert len({rows["conflicts"] for rows in copies}) > 1


def test_a_log_that_a_crash_left_is_part_of_the_backup(store: Store, tmp_path: Path) -> None:
    assert left_in_log("update conversations set title = 'in the log'", store.path).exists()
    store.backup(tmp_path / "backup.duckdb", force=False)
    with Store(tmp_path / "backup.duckdb", 0.3).read() as reader:
        assert reader.chats.of("default")[0].title == "in the log"
