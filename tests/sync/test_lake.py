"""Memories on several machines that share one memory in a DuckLake."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evermem_cli.ingest import Ingestion
from evermem_cli.memory import Action, ActionKind, Selection
from evermem_cli.store.file import connection
from evermem_cli.store.lake.shared_memory import SharedMemory
from evermem_cli.store.lake.visits import visited
from evermem_cli.sync.lake_syncing import LakeSyncing
from evermem_cli.sync.syncing import SyncReport
from tests.repair.test_repair import FAMILY, LATER
from tests.sync.test_sync import NIGHT, Machine


class LakeMachine(Machine):
    """A memory on a machine of its own, and the shared memory."""

    def __init__(self, lake: SharedMemory, folder: Path, name: str, me: str = "") -> None:
        super().__init__(folder / "machines", name, me)
        self.lake = lake

    def sync(self) -> SyncReport:
        ingestion = Ingestion(
            self.store, self.embedder, self.settings, lambda *_: None, action=Action(kind=ActionKind.SYNC)
        )
        return LakeSyncing(self.lake, self.store, self.read).run(ingestion)


@pytest.fixture
def pair(shared: SharedMemory, tmp_path: Path) -> tuple[LakeMachine, LakeMachine]:
    """Two machines that hold the same."""
    one, other = LakeMachine(shared, tmp_path, "one", "Ann"), LakeMachine(shared, tmp_path, "other")
    one.ingest(one.file(FAMILY), one.file(NIGHT, "night.txt"))
    one.read()
    one.sync()
    other.sync()
    return one, other


def test_two_machines_give_each_other_what_they_lack(shared: SharedMemory, tmp_path: Path) -> None:
    one, other = (
        LakeMachine(shared, tmp_path, "one", me="Ann"),
        LakeMachine(shared, tmp_path, "other"),
    )
    one.ingest(one.file(FAMILY))
    other.ingest(other.file(NIGHT))
    assert one.sync().went["messages"] == 3
    report = other.sync()
    assert (report.came["messages"], report.went["messages"]) == (3, 2)
    assert one.sync().came["messages"] == 2
    assert one.said() == other.said() and len(one.said()) == 5
    before = shared.snapshot()
    for each in (one, other, one):
        report = each.sync()
        assert not report.came and not report.went and not report.problems
    assert shared.snapshot() == before


def test_only_news_is_read_and_written(pair: tuple[LakeMachine, LakeMachine]) -> None:
    one, other = pair
    with one.lake.read() as log:
        assert log is not None
        end = log.end()
    one.ingest(one.file(LATER))
    assert one.sync().went == {"messages": 2}
    with one.lake.read() as log:
        assert log is not None
        assert log.end() == end + 4  # two messages, and the two rows that hide the extremes
    assert other.sync().came == {"messages": 2}
    assert one.said() == other.said()


def test_a_snapshot_holds_what_was_known_then(pair: tuple[LakeMachine, LakeMachine]) -> None:
    one, other = pair
    moments = [(one.lake.snapshot(), datetime.now(UTC))]
    for text in (LATER, LATER + "[2025-04-06 09:00] Ann: I work at Tidewater now.\n"):
        one.ingest(one.file(text))
        one.sync()
        moments.append((one.lake.snapshot(), datetime.now(UTC)))
    other.sync()
    sizes = []
    with visited(one.lake.address, write=False, timeout=5) as visit:
        visit.attach()
        for snapshot, moment in moments:
            query = f"select document from lake.lines at (version => {snapshot}) where thing is not null"
            lines = [json.loads(document) for (document,) in visit.connection.execute(query).fetchall()]
            shared = {line["id"] for line in lines if line["type"] == "message"}
            assert shared == known_at(one, moment)
            sizes.append(len(shared))
    assert sizes == [5, 7, 8]


def known_at(machine: LakeMachine, moment: datetime) -> set[str]:
    """The messages that the memory file of the machine had by then."""
    with connection.connected(machine.store.path, write=False, timeout=1) as opened:
        query = "select id from messages where created_at <= $moment"
        return {name for (name,) in opened.execute(query, {"moment": moment.replace(tzinfo=None)}).fetchall()}


def test_what_is_forgotten_goes_on_all_machines(pair: tuple[LakeMachine, LakeMachine]) -> None:
    one, other = pair
    one.store.forget(Selection(user_id="default", words=("xylophone",)))
    assert one.sync().went == {"forgotten": 1}
    assert other.sync().came == {"forgotten": 1}
    assert other.said() == one.said() and not [line for line in one.said() if "xylophone" in line]
    (report,) = other.ingest(other.file(NIGHT, "read-again.txt"))
    assert (report.new_messages, report.forgotten) == (0, 1)


@pytest.mark.parametrize("has_seen_it", [False, True])
def test_what_is_undone_and_comes_again_comes_to_a_machine_that_looked_meanwhile(
    shared: SharedMemory, tmp_path: Path, has_seen_it: bool
) -> None:
    one, other = LakeMachine(shared, tmp_path, "one", "Ann"), LakeMachine(shared, tmp_path, "other")
    one.ingest(one.file(FAMILY))
    one.sync()
    if has_seen_it:
        other.sync()
    one.undo()
    one.sync()
    other.sync()
    assert one.said() == other.said() == []
    one.ingest(one.file(FAMILY))
    one.sync()
    other.sync()
    assert one.said() == other.said() != []


@pytest.mark.parametrize("is_forgotten", [False, True])
def test_a_chat_that_was_removed_here_and_grew_elsewhere_meanwhile_comes_back_with_what_is_new(
    shared: SharedMemory, tmp_path: Path, is_forgotten: bool
) -> None:
    one, other = LakeMachine(shared, tmp_path, "one", "Ann"), LakeMachine(shared, tmp_path, "other")
    other.ingest(other.file(FAMILY))
    for each in (other, one):
        each.sync()
    one.ingest(one.file(LATER))
    one.sync()
    if is_forgotten:
        with other.store.read() as reader:
            (chat,) = reader.chats.of("default")
        other.store.forget(Selection(user_id="default", ids=(chat.id,)))
    else:
        other.undo()
    for each in (other, one, other):
        each.sync()
    assert other.said() == one.said() == ["Ann: I work at Corvane now.", "Bob: I am allergic to nuts."]
