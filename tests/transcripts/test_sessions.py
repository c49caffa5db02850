"""Sessions of assistants in databases: read while the program writes, refused where they are none."""

import json
import sqlite3
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from evermem_cli.errors import InputError
from evermem_cli.memory import Finding, Problem, Skipped, Transcript
from evermem_cli.transcripts import ReadOptions, find, read

SCHEMA = """
create table session (id text primary key, parent_id text, title text, revert text, time_created integer);
create table message (id text primary key, session_id text, time_created integer, data text);
create table part (id text primary key, message_id text, data text);
"""


def taken(path: Path) -> tuple[list[Transcript], list[Finding]]:
    findings: list[Finding] = []
    return list(read(path, ReadOptions(tz=UTC, me="Ann"), findings.append)), findings


def said(path: Path) -> list[tuple[str, str]]:
    return [(turn.speaker, turn.text) for transcript in taken(path)[0] for turn in transcript.turns]


def cursor(path: Path, *chats: dict[str, Any]) -> Path:
    """A database of Cursor with these chats, left open by the editor as it does."""
    database = sqlite3.connect(path)
    database.execute("pragma journal_mode = wal")
    database.execute("create table ItemTable (key text unique on conflict replace, value blob)")
    database.execute("create table cursorDiskKV (key text unique on conflict replace, value blob)")
    for chat in chats:
        bubbles = chat.pop("bubbles", {})
        rows = [(f"composerData:{chat['composerId']}", json.dumps(chat))]
        rows += [(f"bubbleId:{chat['composerId']}:{name}", json.dumps(bubble)) for name, bubble in bubbles.items()]
        database.executemany("insert into cursorDiskKV values (?, ?)", rows)
    database.commit()
    database.close()
    return path


def bubble(kind: int, text: str, **rest: Any) -> dict[str, Any]:
    return {"_v": 3, "type": kind, "text": text} | rest


CHAT = {
    "_v": 10,
    "composerId": "c1",
    "name": "Naming a cat",
    "createdAt": 1771063462000,
    "fullConversationHeadersOnly": [{"bubbleId": "b2", "type": 1}, {"bubbleId": "b1", "type": 2}, {"bubbleId": "gone"}],
}


def test_chats_of_cursor_are_in_the_order_that_their_record_tells(tmp_path: Path) -> None:
    bubbles = {
        "b1": bubble(2, "A lovely name.", bubbleId="b1", createdAt="2026-02-14T10:05:00Z"),
        "b2": bubble(1, "My cat is Biscuit", bubbleId="b2", createdAt="2026-02-14T10:04:22Z"),
        "old": bubble(1, "taken back", bubbleId="old"),
    }
    path = cursor(tmp_path / "state.vscdb", CHAT | {"bubbles": bubbles})
    (chat,), _ = taken(path)
    assert (chat.format, chat.key, chat.title) == ("cursor", "c1", "Naming a cat")
    assert said(path) == [("Ann", "My cat is Biscuit"), ("Assistant", "A lovely name.")]
    assert list(find([tmp_path])) == [path]


def test_a_chat_of_cursor_in_the_database_and_in_a_transcript_is_one(tmp_path: Path) -> None:
    bubbles = {
        "b2": bubble(1, "My cat is Biscuit", bubbleId="b2", createdAt="2026-02-14T10:04:22Z"),
        "b1": bubble(2, "A lovely\nname.", bubbleId="b1", createdAt="2026-02-14T10:05:00Z"),
        "b3": bubble(2, "", bubbleId="b3", toolFormerData={"name": "edit"}),
        "b4": bubble(2, "Done.", bubbleId="b4"),
        "b5": bubble(1, "My cat is Biscuit", bubbleId="b5"),
    }
    order = [{"bubbleId": name} for name in ("b2", "b1", "b3", "b4", "b5")]
    path = cursor(tmp_path / "state.vscdb", CHAT | {"fullConversationHeadersOnly": order, "bubbles": bubbles})
    asked = (
        "<timestamp>Saturday, Feb 14, 2026, 6:04 PM (UTC+8)</timestamp>\n<user_query>\nMy cat is Biscuit\n</user_query>"
    )
    blocks = ["A lovely\nname.\n\n[REDACTED]", "[REDACTED]", "Done."]
    lines = [
        {"role": "user", "message": {"content": [{"type": "text", "text": asked}]}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": text} for text in blocks]}},
        {"role": "user", "message": {"content": [{"type": "text", "text": "My cat is Biscuit"}]}},
    ]
    (session := tmp_path / "c1.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (stored,), (spoken,) = taken(path)[0], taken(session)[0]
    assert stored.key == spoken.key == "c1"
    assert [turn.external_id for turn in stored.turns] == [turn.external_id for turn in spoken.turns]
    assert len({turn.external_id for turn in stored.turns}) == 4
    assert [turn.text.split("\n")[0] for turn in spoken.turns] == [
        "My cat is Biscuit",
        "A lovely",
        "Done.",
        *said(path)[-1][1:],
    ]
    assert spoken.turns[0].sent_at.isoformat() == "2026-02-14T18:04:00+08:00"


def test_an_answer_of_cursor_keeps_its_id_while_it_grows(tmp_path: Path) -> None:
    answer = "Biscuit is a lovely name for a cat that sleeps on every"
    stages = (answer, f"{answer} bread. Do you want more of them?")
    shorter, longer = (
        taken(cursor(tmp_path / f"{n}.vscdb", CHAT | {"bubbles": {"b2": bubble(1, "Hi"), "b1": bubble(2, text)}}))[0]
        for n, text in enumerate(stages)
    )
    assert [turn.external_id for turn in shorter[0].turns] == [turn.external_id for turn in longer[0].turns]


def test_older_chats_of_cursor_hold_their_messages(tmp_path: Path) -> None:
    older = {"composerId": "c2", "conversation": [bubble(1, "I use nano"), bubble(2, ""), bubble(2, "Good.")]}
    agents = {"composerId": "c3", "subagentInfo": {"x": 1}, "conversation": [bubble(1, "I am another agent")]}
    path = cursor(tmp_path / "state.vscdb", older | {"createdAt": 1771063462000}, agents, {"composerId": "c4"})
    found, findings = taken(path)
    assert said(path) == [("Ann", "I use nano"), ("Assistant", "Good.")]
    assert {turn.sent_at.year for chat in found for turn in chat.turns} == {2026}
    assert sum(each.messages for each in findings if isinstance(each, Skipped)) == 2


def test_a_database_that_is_written_at_the_same_time_is_read(tmp_path: Path) -> None:
    bubbles = {"b2": bubble(1, "My cat is Biscuit", bubbleId="b2")}
    path = cursor(tmp_path / "state.vscdb", CHAT | {"bubbles": bubbles})
    writer = sqlite3.connect(path)
    writer.execute("begin immediate")
    writer.execute("insert into ItemTable values ('a', 'b')")
    assert said(path) == [("Ann", "My cat is Biscuit")]
    writer.rollback()
    writer.close()


def test_sessions_of_opencode_come_from_its_database(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    database.executemany(
        "insert into session values (?, ?, ?, ?, ?)",
        [("s1", None, "Cats", None, 1), ("s2", "s1", "sub", None, 2), ("s3", None, "Dogs", "{broken", 3)],
    )
    database.executemany(
        "insert into message values (?, ?, ?, ?)",
        [
            ("m1", "s1", 1, '{"role": "user", "time": {"created": 1771063462000}}'),
            ("m2", "s1", 2, '{"role": "assistant", "time": {"created": 1771063463000}}'),
            ("m3", "s2", 1, '{"role": "user"}'),
            ("m4", "s3", 1, '{"role": "user"}'),
            ("m5", "s1", 3, "no json"),
        ],
    )
    database.executemany(
        "insert into part values (?, ?, ?)",
        [
            ("p1", "m1", '{"type": "text", "text": "My cat is Biscuit"}'),
            ("p2", "m1", '{"type": "text", "text": "Read the file", "synthetic": true}'),
            ("p3", "m2", '{"type": "text", "text": "Noted."}'),
            ("p4", "m3", '{"type": "text", "text": "I am another agent"}'),
        ],
    )
    database.commit()
    database.close()
    assert said(path) == [("Ann", "My cat is Biscuit"), ("Assistant", "Noted.")]
    assert [each.reason for each in taken(path)[1] if isinstance(each, Problem)] == [
        "not a session of opencode: not a JSON object"
    ]
    assert list(find([tmp_path])) == [path]


def test_other_and_damaged_databases_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.vscdb"
    database = sqlite3.connect(other)
    database.execute("create table t (a)")
    database.commit()
    database.close()
    with pytest.raises(InputError, match="no chats of cursor or opencode"):
        taken(other)
    damaged = cursor(tmp_path / "state.vscdb", {"composerId": "c", "conversation": [bubble(1, "hi" * 5000)]})
    data = bytearray(damaged.read_bytes())
    data[100:4000] = b"\xff" * 3900
    damaged.write_bytes(data)
    with pytest.raises(InputError, match="cannot be read"):
        taken(damaged)
