"""Memories on several machines that give each other what they lack through a folder."""

import hashlib
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evermem_cli.errors import StoreBusy, UsageError
from evermem_cli.ingest import Ingestion
from evermem_cli.intake.reports import Choice
from evermem_cli.memory import Action, ActionKind, Selection, Tier
from evermem_cli.repair.undoing import last_action
from evermem_cli.sync import syncing
from evermem_cli.sync.meeting import Meeting
from evermem_cli.sync.syncing import Syncing, SyncReport
from evermem_cli.sync.taking import take_in
from tests.repair.test_repair import FAMILY, LATER, Home, edited

NIGHT = "[2025-05-01 20:00] Ann: My xylophone is in the attic.\n[2025-05-01 20:01] Bob: Good night.\n"


class Machine(Home):
    """A memory on a machine of its own, and the folder that all share."""

    def __init__(self, shared: Path, name: str, me: str = "") -> None:
        folder = shared.parent / name
        folder.mkdir()
        super().__init__(folder, me=me or None)
        self.shared = shared
        shared.mkdir(exist_ok=True)

    def sync(self) -> SyncReport:
        ingestion = Ingestion(
            self.store, self.embedder, self.settings, lambda *_: None, action=Action(kind=ActionKind.SYNC)
        )
        return self.syncing().run(ingestion)

    def syncing(self) -> Syncing:
        return Syncing(self.shared, self.store, self.read)

    def read(self) -> None:
        """Draws from facts alone: what the tagger reads of a message depends on nothing but the message."""
        self.consolidation.run()

    def said(self) -> list[str]:
        with self.store.read() as reader:
            chats = sorted(reader.chats.of("default"), key=lambda each: each.id)
            return [
                f"{message.speaker}: {message.text}"
                for chat in chats
                for message in sorted(
                    reader.messages.by_id(reader.chats.places(chat.id)).values(), key=lambda m: m.ordinal
                )
            ]


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    return tmp_path / "shared"


def test_two_machines_give_each_other_what_they_lack(shared: Path) -> None:
    one, other = Machine(shared, "one", me="Ann"), Machine(shared, "other")
    one.ingest(one.file(FAMILY))
    other.ingest(other.file(NIGHT))
    assert one.sync().went["messages"] == 3
    report = other.sync()
    assert (report.came["messages"], report.went["messages"], len(report.machines)) == (3, 2, 1)
    assert one.sync().came["messages"] == 2
    assert one.said() == other.said() and len(one.said()) == 5
    for each in (one, other):
        report = each.sync()
        assert not report.came and not report.went and not report.problems


@pytest.fixture
def pair(shared: Path) -> tuple[Machine, Machine]:
    """Two machines that hold the same."""
    one, other = Machine(shared, "one", "Ann"), Machine(shared, "other")
    one.ingest(one.file(FAMILY), one.file(NIGHT, "night.txt"))
    one.read()
    one.sync()
    other.sync()
    return one, other


def everywhere(shared: Path) -> bytes:
    """All bytes of all memories and of the folder."""
    files = [
        path for path in shared.parent.rglob("*") if path.is_file() and path.suffix in (".duckdb", ".jsonl", ".wal")
    ]
    return b"".join(path.read_bytes() for path in files)


def test_what_is_forgotten_on_one_machine_goes_on_all_byte_for_byte(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    assert everywhere(one.shared).count(b"xylophone") >= 3
    gone = next(line for line in one.said() if "xylophone" in line)
    one.store.forget(Selection(user_id="default", words=("xylophone",)))
    assert one.sync().went == {"forgotten": 1}
    assert other.sync().came == {"forgotten": 1}
    assert other.said() == one.said() and gone not in one.said()
    assert b"xylophone" not in everywhere(one.shared)
    (report,) = other.ingest(other.file(NIGHT, "read-again.txt"))
    assert (report.new_messages, report.forgotten) == (0, 1)


def test_what_is_taken_in_again_comes_back_on_all(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    one.store.forget(Selection(user_id="default", words=("xylophone",)))
    one.sync()
    other.sync()
    other.ingest(other.file(NIGHT, "read-again.txt"), choice=Choice(again=True))
    other.sync()
    assert one.sync().came == {"messages": 1}
    assert one.said() == other.said() and any("xylophone" in line for line in one.said())


def test_what_is_read_again_and_pruned_before_a_sync_may_be_read_on_all(shared: Path) -> None:
    one, other = Machine(shared, "one", "Ann"), Machine(shared, "other")
    whole = edited(FAMILY)
    first, _, last = whole.splitlines(keepends=True)
    one.ingest(one.file(whole, "chat.jsonl"))
    one.store.forget(Selection(user_id="default", words=("Hull",)))
    for each in (one, other):
        each.sync()
    other.ingest(other.file(whole, "chat.jsonl"), choice=Choice(again=True))
    other.ingest(other.file(first + last, "chat.jsonl"), choice=Choice(prune=True))
    for each in (other, one):
        each.sync()
    for each in (other, one):
        (report,) = each.ingest(each.file(whole, "chat.jsonl"))
        assert (report.new_messages, report.forgotten) == (1, 0)


def test_a_machine_that_has_never_synced_forgets_too(pair: tuple[Machine, Machine]) -> None:
    one, _ = pair
    one.store.forget(Selection(user_id="default", words=("xylophone",)))
    one.sync()
    third = Machine(one.shared, "third")
    third.ingest(third.file(NIGHT, "night.txt"))
    assert third.sync().came["forgotten"] == 1
    assert third.said() == one.said()


def test_a_file_that_still_holds_what_was_forgotten_is_named(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    one.store.forget(Selection(user_id="default", words=("xylophone",)))
    one.sync()
    assert [each.stale for each in one.sync().machines] == [1]
    other.sync()
    assert [each.stale for each in one.sync().machines] == [0]


def test_corrections_hold_on_all_machines_with_what_they_put_in_place(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    for each in (one, other):
        each.enrich()
    wrong = one.id_of("fact", "Larkfield")
    assert wrong == other.id_of("fact", "Larkfield")
    one.correct(wrong, "I work at Tidewater.")
    one.sync()
    assert other.sync().came["corrections"] == 1
    for each in (one, other):
        told = each.facts()
        assert "I work at Tidewater." in told and not [fact for fact in told if "Larkfield" in fact]
    other.enrich()
    other.consolidation.again()
    assert sorted(one.facts()) == sorted(other.facts())
    assert one.values("job") == other.values("job")


def test_a_corrected_title_is_the_title_on_all_machines(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    for each in (one, other):
        each.enrich()
    one.correct(one.id_of("episode", ""), "Where we all live and work")
    one.sync()
    other.sync()
    assert other.id_of("episode", "Where we all live and work") == one.id_of("episode", "Where we all live and work")


def test_a_correction_of_what_another_machine_forgets_leaves_nothing(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    one.enrich()
    one.correct(one.id_of("fact", "xylophone"), "The xylophone is in the cellar.")
    other.store.forget(Selection(user_id="default", words=("xylophone",)))
    one.sync()
    for each in (other, one, other, one):
        each.sync()
    assert one.said() == other.said()
    assert b"xylophone" not in everywhere(one.shared)


def test_who_is_who_and_who_may_see_what_goes_over(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    with one.store.write() as writer:
        writer.actions.merge("default", "Helen", "Bob")
    with other.store.read() as reader:
        (chat, *_) = reader.chats.of("default")
    with other.store.privacy(write=True) as opened:
        assert opened.set_tier(chat.id, Tier.PRIVATE) > 1
    one.own("Ann", "Bob")
    for each in (one, other, one):
        each.sync()
    for each in (one, other):
        with each.store.read() as reader:
            assert reader.names.merged("default") == {"helen": "default"}
            assert {*reader.names.ownership("default").names} == {"Ann", "Bob"}
        with each.store.privacy(write=False) as opened:
            assert opened.tier(chat.id, each.settings.privacy)[0] is Tier.PRIVATE
    other.own("Ann")
    for each in (other, one):
        each.sync()
    with one.store.read() as reader:
        assert {*reader.names.ownership("default").names} == {"Ann"}


def test_what_was_undone_goes_elsewhere_but_not_where_it_never_came_from(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    one.ingest(one.file(LATER))
    one.sync()
    other.sync()
    third = Machine(one.shared, "third")
    third.ingest(third.file(LATER))
    one.undo()
    one.sync()
    assert other.sync().came["removed"] == 2
    assert len(other.said()) == 5
    third.sync()
    assert len(third.said()) == 7  # nobody took it back there
    with pytest.raises(UsageError, match="what other machines have sent stays"):
        last_action(third.store)


def test_edits_go_over_and_the_later_one_stands(shared: Path) -> None:
    one, other = Machine(shared, "one", "Ann"), Machine(shared, "other")
    for each in (one, other):
        each.ingest(each.file(edited(FAMILY), "chat.jsonl"))
    one.ingest(one.file(edited(FAMILY, m0="I work at Tidewater."), "chat.jsonl"))
    other.ingest(other.file(edited(FAMILY, m0="I work at Acme."), "chat.jsonl"))
    for each in (one, other, one):
        each.sync()
    assert one.said() == other.said()
    assert "Ann: I work at Acme." in one.said()


def test_parts_of_a_chat_meet_in_its_order(shared: Path) -> None:
    one, other = Machine(shared, "one", "Ann"), Machine(shared, "other")
    lines = edited(LATER).splitlines(keepends=True)
    one.ingest(one.file("".join(lines[:1] + lines[2:4]), "chat.jsonl"))
    other.ingest(other.file("".join(lines[:3] + lines[4:]), "chat.jsonl"))
    for each in (one, other, one):
        each.sync()
    whole = Machine(shared, "whole", "Ann")
    whole.ingest(whole.file("".join(lines), "chat.jsonl"))
    assert one.said() == other.said() == whole.said()


def test_a_damaged_or_half_copied_or_strange_file_is_named_and_the_rest_goes_on(shared: Path) -> None:
    one, other, third = (Machine(shared, name, "Ann") for name in ("one", "other", "third"))
    one.ingest(one.file(FAMILY))
    other.ingest(other.file(NIGHT))
    one.sync()
    (bundle,) = shared.iterdir()
    other.sync()
    whole = bundle.read_bytes()
    newer = whole.replace(b'"format": 1', b'"format": 2')
    bad = {
        "half": whole[: len(whole) // 2],
        "cut at a line": b"".join(whole.splitlines(keepends=True)[:-1]),
        "empty": b"",
        "noise": b"\xff\x00\n",
        "changed": whole.replace(b"Larkfield", b"Lurkfield"),
        "newer": newer,
        "no version": re.sub(rb'"schema_version": \d+', b'"schema_version": null', whole),
    }
    for content in bad.values():
        bundle.write_bytes(content)
        report = third.sync()
        assert [each.path for each in report.problems] == [bundle]
        assert "\n" not in report.problems[0].message
    assert third.sync().problems and len(third.said()) >= 2
    bundle.write_bytes(whole)
    (shared / f"{bundle.stem} (conflicted copy).jsonl").write_bytes(whole)
    report = third.sync()
    assert len(report.problems) == 1 and len(third.said()) == 5


def test_a_bundle_that_says_what_no_evermem_writes_is_not_taken_in(pair: tuple[Machine, Machine]) -> None:
    one, _ = pair
    third = Machine(one.shared, "third")
    (bundle, *_) = one.shared.iterdir()
    lines = bundle.read_bytes().splitlines(keepends=True)
    stray = next(line for line in lines if b'"type": "message"' in line).replace(
        b'"conversation": "', b'"conversation": "0'
    )
    for wrong in (
        b'{"type": "message", "revision": 0}\n',
        b'{"type": "soup", "revision": 1}\n',
        b'{"type": "gone"}\n',
        stray,
    ):
        body = b"".join([*lines[:-1], wrong])
        end = {"type": "end", "lines": len(lines), "sha256": hashlib.sha256(body).hexdigest()}
        for path in one.shared.iterdir():
            path.unlink()
        bundle.write_bytes(body + json.dumps(end).encode() + b"\n")
        (problem,) = third.sync().problems
        assert problem.line == len(lines)
        assert third.said() == []


def test_a_copy_of_a_memory_becomes_a_machine_of_its_own(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    copy = Machine(one.shared, "copy", "Ann")
    shutil.copy(one.store.path, copy.store.path)
    one.ingest(one.file("[2025-06-01 20:00] Ann: I moved to Leeds.\n", "one.txt"))
    copy.ingest(copy.file("[2025-06-01 20:00] Ann: I bought a boat.\n", "copy.txt"))
    for each in (one, copy, one, other, copy):
        each.sync()
    assert len([*one.shared.iterdir()]) == 3
    assert one.said() == copy.said() == other.said()
    assert {"Ann: I moved to Leeds.", "Ann: I bought a boat."} <= {*one.said()}


def test_a_memory_from_a_backup_gets_back_what_it_lacks(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    backup = one.folder / "backup.duckdb"
    one.store.backup(backup, force=False)
    one.ingest(one.file(LATER))
    one.sync()
    other.sync()
    shutil.copy(backup, one.store.path)
    one.sync()
    other.sync()
    assert len(one.said()) == 7
    assert one.said() == other.said()


def test_a_folder_that_was_emptied_is_filled_again(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    for path in one.shared.iterdir():
        path.unlink()
    for each in (one, other):
        report = each.sync()
        assert not report.came and not report.problems
    assert len([*one.shared.iterdir()]) == 2


def test_a_dry_run_writes_nothing(shared: Path) -> None:
    one, other = Machine(shared, "one", "Ann"), Machine(shared, "other")
    one.ingest(one.file(FAMILY))
    assert one.syncing().survey().went["messages"] == 3
    assert [*shared.iterdir()] == []
    one.sync()
    assert other.syncing().survey().came["messages"] == 3
    assert not other.store.exists


@pytest.mark.parametrize("where", ["derive", "before_forgetting"])
def test_a_sync_that_is_stopped_on_its_way_has_lost_nothing_and_goes_on(
    pair: tuple[Machine, Machine], where: str
) -> None:
    one, other = pair
    one.ingest(one.file(LATER))
    one.store.forget(Selection(user_id="default", words=("xylophone",)))
    one.sync()

    def stop() -> None:
        raise KeyboardInterrupt

    stopped = {
        "derive": replace(other.syncing(), derive=stop),
        "before_forgetting": replace(other.syncing(), before_forgetting=stop),
    }
    ingestion = Ingestion(other.store, other.embedder, other.settings, lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        stopped[where].run(ingestion)
    other.sync()
    assert other.said() == one.said() and len(one.said()) == 6
    assert b"xylophone" not in everywhere(one.shared)
    report = one.sync()
    assert not report.came and not report.went


def test_messages_go_over_with_their_chat_where_its_title_is_changed_during_a_sync(shared: Path) -> None:
    one, other = Machine(shared, "one", "Ann"), Machine(shared, "other")
    one.ingest(one.file(FAMILY))

    def entitle() -> None:
        with one.store.write_for_sync() as writer:
            writer.exchange.entitle({chat.id: "Home" for chat in writer.reader.chats.of("default")})

    replace(one.syncing(), derive=entitle).run(Ingestion(one.store, one.embedder, one.settings, lambda *_: None))
    report = other.sync()
    assert (report.came["messages"], other.said(), report.problems) == (0, [], [])
    one.sync()
    assert other.sync().came["messages"] == 3
    assert other.said() == one.said()


def test_what_comes_for_a_chat_that_is_removed_during_the_sync_comes_with_the_next(
    pair: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = pair
    one.ingest(one.file(LATER))
    one.sync()

    def remove_first(meeting: Meeting, *others: Any) -> None:
        other.store.forget(Selection(user_id="default", ids=tuple({*meeting.held.chats.values()})))
        take_in(meeting, *others)

    with monkeypatch.context() as patched, pytest.raises(StoreBusy, match="removed during the sync"):
        patched.setattr(syncing, "take_in", remove_first)
        other.sync()
    for each in (other, one):
        each.sync()
    assert other.said() == one.said() == ["Ann: I work at Corvane now.", "Bob: I am allergic to nuts."]
