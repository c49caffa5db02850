"""Reading a chat again: overlapping exports, edits, deletions, messages read half, and what is chosen."""

import json
import zipfile
from datetime import UTC, datetime
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pytest

from evermem_cli.ingest import OUT_OF_TIME, REPEATED, TWICE, survey
from evermem_cli.intake.chosen import NOT_CHOSEN
from evermem_cli.intake.reports import Choice
from evermem_cli.memory import Extraction, Filter, Selection
from evermem_cli.transcripts import ReadOptions
from tests.recollection.searching import search
from tests.test_ingest import Memory

LINES = [f"[2025-03-{day:02} 09:{minute:02}] Ann: note {day} {minute}\n" for day in (1, 2, 4) for minute in range(8)]


def texts(memory: Memory) -> list[list[str]]:
    """Each conversation's messages as its MemCells hold them, in order."""
    with memory.store.read() as reader:
        cells = reader.topics.memcells()
        return [
            [m.text for cell in cells if cell.conversation_id == chat.id for m in cell.messages]
            for chat in reader.chats.of("default")
        ]


def cells(memory: Memory) -> list[tuple[list[str], str, bool]]:
    with memory.store.read() as reader:
        return [([m.text for m in c.messages], c.boundary_reason, c.open) for c in reader.topics.memcells()]


def record(**fields: object) -> str:
    return json.dumps({"conversation_id": "c1", **fields}) + "\n"


def said(number: int, text: str, **fields: object) -> str:
    time = f"2025-03-01T09:{number:02}:00Z"
    return record(**{"id": f"m{number}", "speaker": "Ann", "content": text, "timestamp": time} | fields)


def test_an_export_that_begins_later_adds_only_its_end(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.ingest(memory.file("".join(LINES[:16])))
    (report,) = memory.ingest(memory.file("".join(LINES[10:]), "later.txt"))
    assert (report.messages, report.new_messages, report.unchanged_messages) == (14, 8, 6)
    (chat,) = texts(memory)
    assert chat == [line.split(": ")[1].strip() for line in LINES]


def test_older_messages_that_come_later_take_their_place_and_topics_are_as_if_all_came_at_once(tmp_path: Path) -> None:
    whole, pieces = Memory(tmp_path / "a"), Memory(tmp_path / "b")
    for memory in (whole, pieces):
        memory.folder.mkdir()
    whole.ingest(whole.file("".join(LINES)))
    pieces.ingest(pieces.file("".join(LINES[9:14])))
    pieces.ingest(pieces.file("".join(LINES[:10] + LINES[13:]), "gap.txt"))
    assert cells(pieces) == cells(whole)
    with pieces.store.read() as reader:
        (chat,) = reader.chats.of("default")
        messages = reader.messages.by_id(reader.chats.message_ids(chat.id)).values()
        assert sorted(int(message.external_id) for message in messages) == list(range(1, 25))


def test_chats_that_share_one_message_are_two(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    wish = "[2025-01-01 00:00] Maya: Happy new year!\n"
    memory.ingest(memory.file(wish + "[2025-01-01 00:01] Ann: You too!\n[2025-01-01 00:05] Maya: Dinner?\n", "a.txt"))
    memory.ingest(memory.file(wish + "[2025-01-01 00:02] Bo: Thanks!\n[2025-01-01 00:09] Bo: Call me.\n", "b.txt"))
    assert len(texts(memory)) == 2


def test_copies_of_which_half_is_shared_are_one_chat_only_if_the_same_people_speak(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    lines = [f"[2025-03-01 09:0{n // 2}] {'Bo' if n % 2 else 'Ann'}: note {n}\n" for n in range(8)]
    memory.ingest(memory.file("".join(lines[:4]), "a.txt"))
    (report,) = memory.ingest(memory.file("".join([lines[3], "[2025-03-01 09:01] Ann: and\n", *lines[4:]]), "b.txt"))
    assert (report.new_messages, len(texts(memory))) == (5, 1)
    memory.ingest(memory.file(f"{lines[0]}[2025-03-01 09:00] Cy: hi\n", "c.txt"))
    assert len(texts(memory)) == 2


def test_an_edited_message_is_found_as_it_is_now_and_what_it_said_is_kept(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.ingest(memory.file(said(1, "The hut is booked.") + said(2, "We meet at Zagreb station."), "a.jsonl"))
    memory.enrich()
    assert memory.counts()["episodes"] > 0
    (report,) = memory.ingest(memory.file(said(1, "The hut is booked.") + said(2, "We meet at Ljubljana."), "a.jsonl"))
    assert (report.status, report.new_messages, report.edited_messages, report.unchanged_messages) == ("ok", 0, 1, 1)
    assert texts(memory) == [["The hut is booked.", "We meet at Ljubljana."]]
    with memory.store.read() as reader:
        (cell,) = reader.topics.memcells()
        assert cell.extraction is Extraction.PENDING
        assert reader.chats.versions(cell.messages[1].id) == ["We meet at Zagreb station."]
    assert memory.counts()["episodes"] == memory.counts()["facts"] == 0
    found = search("Zagreb", memory.store, memory.embedder, Filter(), 5)
    assert not [evidence for evidence in found if "Zagreb" in evidence.text]


def test_an_older_export_does_not_undo_an_edit(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    old, new = memory.file(said(1, "at six"), "old.jsonl"), memory.file(said(1, "at seven"), "new.jsonl")
    memory.ingest(old, new)
    (report,) = memory.ingest(old)
    assert report.status == "unchanged"
    assert texts(memory) == [["at seven"]]


SAID = ["[14/02/2026, 10:0{}:00] Ann: {}", "14/02/2026, 10:0{} - Ann: {}", "Feb 14, 2026 10:0{}:00 AM\nAnn\n{}\n"]
EDIT = [
    "{1} \u200e<This message was edited>",
    "{1} <This message was edited>",
    "Feb 14, 2026 10:00:00 AM {0}\nEdited 5 seconds later: {1}",
]


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize(("head", "edit"), [*zip(SAID, EDIT, strict=True)])
def test_an_edited_message_without_an_id_replaces_what_it_was(tmp_path: Path, head: str, edit: str, place: int) -> None:
    memory = Memory(tmp_path)
    before = [head.format(minute, f"note {minute}") + "\n" for minute in range(4)]
    after = [*before, head.format(8, "then") + "\n"]
    after[place] = head.format(place, edit.format(f"note {place}", "changed")) + "\n"
    old, new = memory.file("".join(before), "old.txt"), memory.file("".join(after), "new.txt")
    memory.ingest(old)
    (report,) = memory.ingest(new)
    assert (report.new_messages, report.edited_messages, report.unchanged_messages) == (1, 1, 3)
    wanted = [f"note {minute}" if minute != place else "changed" for minute in range(4)]
    assert texts(memory) == [[*wanted, "then"]]
    assert {report.status for report in memory.ingest(new, old)} == {"unchanged"}
    memory.ingest(memory.file("".join(after[place:]), "end.txt"))
    assert memory.counts()["messages"] == 5


@pytest.mark.parametrize("now", ["10:01 - Ann: in", "10:01 - Bo: in", "10:02 - Ann: in"])
def test_an_edited_message_of_which_it_is_uncertain_what_it_was_is_new(tmp_path: Path, now: str) -> None:
    memory = Memory(tmp_path)
    lines = [f"14/02/2026, 10:0{n // 3} - Ann: {word}\n" for n, word in enumerate("vwxabcyz")]
    memory.ingest(memory.file("".join(lines), "old.txt"))
    edited = f"14/02/2026, {now} <This message was edited>\n"
    (report,) = memory.ingest(memory.file("".join([*lines[:3], edited, *lines[6:]]), "new.txt"))
    assert (report.new_messages, report.edited_messages) == (1, 0)


def test_one_id_at_many_messages_loses_none(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.ingest(memory.file("".join(said(n, f"note {n}", id="ann") for n in range(3)), "a.jsonl"))
    assert texts(memory) == [["note 0", "note 1", "note 2"]]


def test_deleted_messages_stay_unless_pruned(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    every = [said(n, f"note {n}") for n in range(5)]
    memory.ingest(memory.file("".join(every), "a.jsonl"))
    memory.enrich()
    fewer = memory.file("".join(every[1:2] + every[3:4]), "a.jsonl")
    (report,) = memory.ingest(fewer)
    assert (report.status, len(texts(memory)[0])) == ("unchanged", 5)
    (report,) = memory.ingest(fewer, choice=Choice(prune=True))
    assert report.removed_messages == 1
    assert texts(memory) == [["note 0", "note 1", "note 3", "note 4"]]
    assert memory.counts()["episodes"] == 0
    assert not [e for e in search("note 2", memory.store, memory.embedder, Filter(), 9) if e.text == "note 2"]


def test_a_message_that_was_read_half_is_replaced_by_the_whole(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.ingest(memory.file(LINES[0] + "[2025-03-01 09:01] Bo: I bring\n"))
    memory.ingest(memory.file(LINES[0] + "[2025-03-01 09:01] Bo: I bring\n- the boat\n"))
    memory.ingest(memory.file(LINES[0] + "[2025-03-01 09:01] Bo: I bring\n- the boat\n" + LINES[2]))
    assert texts(memory) == [["note 1 0", "I bring\n- the boat", "note 1 2"]]


def test_what_was_forgotten_of_overlapping_exports_stays_so(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    later = memory.file("".join(LINES[10:]), "later.txt")
    memory.ingest(memory.file("".join(LINES[:16])), later)
    with memory.store.read() as reader:
        (chat,) = reader.chats.of("default")
    memory.store.forget(Selection(user_id="default", ids=(chat.id,)))
    (report,) = memory.ingest(later)
    assert (report.new_messages, report.forgotten) == (0, 14)
    (report,) = memory.ingest(later, choice=Choice(again=True))
    assert report.new_messages == 14
    assert texts(memory) == [[line.split(": ")[1].strip() for line in LINES[10:]]]


def test_messages_are_chosen_by_time_and_the_others_can_come_later(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    path = memory.file("".join(LINES))
    second = Choice(since=datetime(2025, 3, 2, tzinfo=UTC), until=datetime(2025, 3, 3, tzinfo=UTC))
    (report,) = memory.ingest(path, choice=second)
    assert (report.messages, report.skipped[OUT_OF_TIME]) == (8, 16)
    (report,) = memory.ingest(path)
    assert report.new_messages == 16
    assert texts(memory) == [[line.split(": ")[1].strip() for line in LINES]]


def test_a_message_that_a_chat_has_twice_counts_as_that(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    lines = [{"id": f"m{n}", "speaker": "Ann", "text": "ok", "time": "2025-03-01T09:00:00Z"} for n in (1, 2, 2)]
    (report,) = memory.ingest(memory.file("".join(f"{json.dumps(line)}\n" for line in lines), "chat.jsonl"))
    assert (report.messages, report.skipped) == (2, {TWICE: 1})


def test_chats_are_chosen_by_parts_of_their_titles(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    for name in ("Trip to Bohinj", "Trip to Rome", "Work"):
        memory.file(f"[2025-03-01 09:00] Ann: about {name}\n[2025-03-01 09:01] Bo: yes\n", f"{name}.txt")
    files = sorted(memory.folder.glob("*.txt"))
    reports = memory.ingest(*files, choice=Choice(only=("TRIP",), exclude=("rome",)))
    assert [report.conversations for report in reports] == [1, 0, 0]
    assert [report.skipped.get(NOT_CHOSEN, 0) for report in reports] == [0, 2, 2]
    assert len(texts(memory)) == 1


def test_a_dry_run_says_what_would_be_read_and_writes_nothing(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    path = memory.file("".join(LINES[:16]))
    options = ReadOptions(tz=UTC)
    (report,) = survey([path], options, memory.store, memory.settings, Choice())
    (chat,) = report.chats
    assert (chat.title, chat.participants, chat.messages, chat.new_messages) == ("chat", ("Ann",), 16, 16)
    assert (chat.first.day, chat.last.day) == (1, 2)
    assert not memory.store.exists
    memory.ingest(path)
    (report,) = survey([memory.file("".join(LINES))], options, memory.store, memory.settings, Choice())
    assert (report.new_messages, report.chats[0].new_messages) == (8, 8)
    assert memory.counts()["messages"] == 16


def test_a_dry_run_counts_what_several_inputs_have_once_as_the_ingestion_does(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    asked = {"header": "Gemini Apps", "title": "Prompted What is a fjord?", "products": ["Gemini Apps"]}
    takeout = json.dumps([asked | {"time": "2025-03-01T09:00:00Z"}, asked | {"time": "2025-03-02T09:00:00Z"}])
    with zipfile.ZipFile(tmp_path / "takeout.zip", "w") as archive:
        archive.writestr("Takeout/My Activity/Gemini Apps/MyActivity.json", takeout)
    wish = "[2025-01-01 00:00] Maya: Happy new year!\n"
    inputs = [
        memory.file(takeout, "MyActivity.json"),
        tmp_path / "takeout.zip",
        memory.file("".join(LINES[:10]), "notes.txt"),
        memory.file("".join(LINES), "newer.txt"),
        memory.file(wish + "[2025-01-01 00:01] Ann: You!\n[2025-01-01 00:05] Maya: Dinner?\n", "ann.txt"),
        memory.file(wish + "[2025-01-01 00:02] Bo: Thanks!\n[2025-01-01 00:09] Bo: Call me.\n", "bo.txt"),
        memory.file(session("old", "a", "b"), "old.jsonl"),
        memory.file(session("resumed", "a", "b", "c"), "resumed.jsonl"),
    ]
    surveyed = survey(inputs, ReadOptions(tz=UTC), memory.store, memory.settings, Choice())
    assert [report.new_messages for report in surveyed] == [2, 0, 10, 14, 3, 3, 2, 1]
    stored = memory.ingest(*inputs)
    assert [(report.messages, report.new_messages, report.skipped) for report in surveyed] == [
        (report.messages, report.new_messages, report.skipped) for report in stored
    ]
    assert memory.counts()["messages"] == sum(report.new_messages for report in surveyed)


def test_an_export_of_many_small_chats_is_stored_in_few_steps(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    chats = "".join(record(conversation_id=f"c{n // 2}", speaker="Ann", content=f"note {n}") for n in range(60))
    steps: list[int] = []
    (report,) = memory.ingest(memory.file(chats, "a.jsonl"), then=steps.append)
    assert (report.conversations, report.new_messages) == (30, 60)
    assert steps == [60, 30]


def test_many_files_of_small_chats_are_stored_in_few_steps_and_reported_one_by_one(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    files = [
        memory.file("".join(record(conversation_id=f"c{n}", speaker="Ann", content=f"{n} {i}") for i in range(n)), name)
        for n, name in enumerate(("a.jsonl", "b.jsonl", "c.jsonl"), 1)
    ]
    steps: list[int] = []
    reports = memory.ingest(*files, then=steps.append)
    assert [(report.path, report.new_messages, report.memcells) for report in reports] == [
        (str(file), n, 1) for n, file in enumerate(files, 1)
    ]
    assert len(steps) == 2  # messages, chats


def test_what_was_read_before_an_interruption_is_stored(tmp_path: Path) -> None:
    class Stopped(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise KeyboardInterrupt

    memory = Memory(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        memory.ingest(memory.file(record(conversation_id="c1", speaker="Ann", content="tea"), "a.jsonl"), Stopped(b"x"))
    assert memory.counts()["messages"] == 1


def session(name: str, *uuids: str) -> str:
    events: list[dict[str, object]] = []
    for before, uuid in pairwise([None, *uuids]):
        said = {"role": "user", "content": f"prompt {uuid}"}
        events.append({"type": "user", "sessionId": name, "uuid": uuid, "parentUuid": before, "message": said})
        events[-1]["timestamp"] = f"2026-07-02T10:0{len(events)}:00Z"
    return "".join(json.dumps(event) + "\n" for event in events)


@pytest.mark.parametrize("order", [("old", "resumed", "forked"), ("forked", "old", "resumed")])
def test_what_a_session_copies_from_another_is_remembered_once(tmp_path: Path, order: tuple[str, ...]) -> None:
    uuids = {"old": "ab", "resumed": "abcd", "forked": "abxy"}
    memory = Memory(tmp_path)
    for round_ in ("first", "again"):
        for name in order:
            file = tmp_path / f"{name}.jsonl"
            file.write_text(session(name, *uuids[name]))
            (report,) = memory.ingest(file)
            assert report.status == ("ok" if report.new_messages else "unchanged")
            assert report.messages + report.skipped.get(REPEATED, 0) == len(uuids[name])
            assert round_ == "first" or not report.new_messages
    assert sorted(text for chat in texts(memory) for text in chat) == [f"prompt {uuid}" for uuid in "abcdxy"]


def test_what_a_session_copies_from_another_of_the_same_folder_is_remembered_once(tmp_path: Path) -> None:
    memory, uuids = Memory(tmp_path), {"forked": "abxy", "old": "ab", "resumed": "abcd"}
    reports = memory.ingest(*(memory.file(session(name, *uuids[name]), f"{name}.jsonl") for name in uuids))
    assert [report.new_messages for report in reports] == [4, 0, 2]
    assert sorted(text for chat in texts(memory) for text in chat) == [f"prompt {uuid}" for uuid in "abcdxy"]


def test_an_account_stored_in_one_step_is_as_one_stored_chat_by_chat(tmp_path: Path) -> None:
    together, apart = Memory(tmp_path / "a"), Memory(tmp_path / "b")
    chats = [
        [record(conversation_id=f"c{chat}", id=f"m{n}", speaker="Ann", content=f"word{n} " * (1 + 400 * (n == 2)),
                timestamp=f"2025-03-0{1 + n // 4}T09:{n:02}:00Z") for n in range(3 + 2 * chat)]
        for chat in range(5)
    ]  # fmt: skip
    for chat in chats:
        apart.ingest(file_of(tmp_path, "one.jsonl", *chat[:2]))
        apart.ingest(file_of(tmp_path, "one.jsonl", *chat))
    (report,) = together.ingest(file_of(tmp_path, "all.jsonl", *[line for chat in chats for line in chat]))
    assert (report.conversations, report.messages, report.new_messages) == (5, 35, 35)
    assert texts(together) == texts(apart)
    assert cells(together) == cells(apart)
    (again,) = together.ingest(file_of(tmp_path, "all.jsonl", *[line for chat in chats for line in chat]))
    assert again.status == "unchanged"


def file_of(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("".join(lines))
    return path
