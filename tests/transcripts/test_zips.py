"""Zips as exports come in, and as somebody hostile makes them: nothing gets out, nothing in them is lost."""

import io
import json
import struct
import zipfile
from datetime import UTC
from pathlib import Path

import pytest

from evermem_cli.errors import InputError
from evermem_cli.transcripts import ReadOptions, find, read
from tests.support.exports import chatgpt, reading, zipped

GOOD = json.dumps([chatgpt("a")]).encode()


def test_a_zip_bomb_is_refused_and_the_files_beside_it_are_read() -> None:
    data = zipped(
        {"conversations-000.json": b" " * 20_000_000, "conversations-001.json": json.dumps([chatgpt("a")]).encode()}
    )
    texts, _, problems = reading(data)
    assert texts == ["a"]
    assert "zip bomb" in problems[0].reason


def test_names_that_point_out_of_a_zip_are_told_and_left_alone() -> None:
    good = json.dumps([chatgpt("a")]).encode()
    names = [
        "../conversations.json",
        "/etc/conversations.json",
        "C:/conversations.json",
        "a\\..\\..\\conversations.json",
    ]
    texts, _, problems = reading(zipped(dict.fromkeys(names, good) | {"conversations.json": good}))
    assert texts == ["a"]
    assert len(problems) == len(names)
    assert all("points out of the zip" in problem.reason for problem in problems)


def test_a_damaged_or_cut_off_zip_is_one_line_and_what_is_whole_in_it_is_read() -> None:
    data = zipped({f"conversations-00{n}.json": json.dumps([chatgpt(str(n) * 500)]).encode() for n in range(3)})
    with pytest.raises(InputError, match="a damaged zip"):
        reading(data[:-40])
    second = data.index(b"conversations-001.json") + len("conversations-001.json")
    texts, _, problems = reading(data[: second + 5] + b"\xff\xff\xff\xff" + data[second + 9 :])
    assert [text[0] for text in texts] == ["0", "2"]
    assert "damaged in the zip" in problems[0].reason or "JSON" in problems[0].reason


def test_a_zip_with_a_password_says_so() -> None:
    data = bytearray(zipped({"chat.json": b"[]"}))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        struct.pack_into("<H", data, data.index(mark) + place, 1)
    with pytest.raises(InputError):
        reading(bytes(data))


def test_a_zip_without_chats_and_one_with_the_leavings_of_a_mac() -> None:
    for members in ({}, {"photo.jpg": b"x"}, {"__MACOSX/._chat.json": b"x"}):
        with pytest.raises(InputError, match="no "):
            reading(zipped(members))
    chat = json.dumps([{"role": "user", "content": "hi"}]).encode()
    assert reading(zipped({"chat.json": chat, "__MACOSX/._chat.json": b"\0", ".hidden.json": b"{"})) == (["hi"], 0, [])


def test_a_zip_in_a_directory_is_taken_if_it_may_hold_chats(tmp_path: Path) -> None:
    (tmp_path / "chats.zip").write_bytes(zipped({"chat.json": b"[]"}))
    (tmp_path / "photos.zip").write_bytes(zipped({"photo.jpg": b"x"}))
    (tmp_path / "damaged.zip").write_bytes(b"PK\x03\x04")
    assert [path.name for path in find([tmp_path])] == ["chats.zip", "damaged.zip"]


def test_a_zip_in_a_zip_and_a_wrong_format_say_what_to_do(tmp_path: Path) -> None:
    chat = tmp_path / "chat.txt"
    chat.write_text("Ann: hi\nBo: yo\n")
    for name, inside in (("in.zip", chat), ("out.zip", tmp_path / "in.zip")):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.write(inside, inside.name)
    with pytest.raises(InputError) as packed:
        list(read(tmp_path / "out.zip", ReadOptions(tz=UTC), print))
    assert packed.value.hint == "unpack the zip that is in it and name that"
    with pytest.raises(InputError) as wrong:
        list(read(chat, ReadOptions(tz=UTC, format="chatgpt"), print))
    assert wrong.value.hint == "leave out --format to have the format detected"


def patched(data: bytes, places: dict[bytes, int], layout: str, value: int) -> bytes:
    """A zip in whose headers, found by their marks, one field is changed."""
    changed = bytearray(data)
    for mark, place in places.items():
        at = changed.find(mark)
        while at >= 0:
            struct.pack_into(layout, changed, at + place, value)
            at = changed.find(mark, at + 4)
    return bytes(changed)


def test_names_in_utf_8_are_read_though_the_zip_does_not_say_so() -> None:
    day = [{"type": "message", "user": "U1", "text": "hi", "ts": "1767312000.000100"}]
    files = {"channels.json": [{"id": "C1", "name": "büro-☕"}], "users.json": [], "büro-☕/2026-01-02.json": day}
    data = zipped({name: json.dumps(content).encode() for name, content in files.items()})
    silent = patched(data, {b"PK\x03\x04": 7, b"PK\x01\x02": 9}, "<B", 0)
    for each in (data, silent):
        found = list(read(io.BytesIO(each), ReadOptions(tz=UTC), print))
        assert [(transcript.key, transcript.title) for transcript in found] == [("C1", "büro-☕")]


def test_a_link_in_a_zip_is_a_file_that_holds_a_path() -> None:
    link = zipfile.ZipInfo("conversations.json")
    link.external_attr = 0o120777 << 16
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("more.json", GOOD)
    texts, _, problems = reading(data.getvalue())
    assert texts == ["a"]
    assert "no messages found" in problems[0].reason


def test_of_files_with_one_name_the_last_is_read_and_that_is_told() -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("x/chat.json", json.dumps([chatgpt("first")]))
        archive.writestr("x\\chat.json", json.dumps([chatgpt("second")]))
    texts, _, problems = reading(data.getvalue())
    assert texts == ["second"]
    assert [problem.reason for problem in problems] == [
        "2 files in the zip are called 'x/chat.json'; the last one is read"
    ]


def test_many_entries_for_the_same_bytes_are_one_file() -> None:
    data = zipped({"chat.json": GOOD})
    start, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    entries = data[start:end] * 1000
    tail = bytearray(data[end:])
    struct.pack_into("<HHII", tail, 8, 1000, 1000, len(entries), start)
    texts, _, problems = reading(data[:start] + entries + bytes(tail))
    assert texts == ["a"]
    assert len(problems) == 1


@pytest.mark.parametrize("stated", [10, 0xFFFFFFF0])
def test_a_zip_that_lies_about_the_size_of_a_file_is_not_believed(stated: int) -> None:
    data = patched(
        zipped({"a.json": b" " * 3_000_000, "b.json": GOOD}), {b"PK\x03\x04": 22, b"PK\x01\x02": 24}, "<I", stated
    )
    with pytest.raises(InputError, match="no messages"):
        reading(data)


def test_a_name_of_many_thousand_folders_is_left_alone() -> None:
    texts, _, problems = reading(zipped({"a/" * 30_000 + "c.json": GOOD, "b.json": GOOD}))
    assert texts == ["a"]
    assert "too long" in problems[0].reason
    assert len(problems[0].reason) < 200
