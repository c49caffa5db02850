"""Memories on several machines that give each other what they lack through a folder."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from evermem_cli.ingest import Ingestion
from evermem_cli.intake.reports import Choice
from evermem_cli.memory import Action, ActionKind, Selection, Tier
from evermem_cli.sync.syncing import Syncing, SyncReport
from tests.repair.test_repair import FAMILY, LATER, Home, edited

NIGHT = "[2025-05-01 20:00] Ann: The xylophone is in the attic.\n[2025-05-01 20:01] Bob: Good night.\n"


class Machine(Home):
    """A memory on a machine of its own, and the folder that all share."""

    def __init__(self, shared: Path, name: str, me: str = "") -> None:
        folder = shared.parent / name
        folder.mkdir()
        super().__init__(folder, me=me)
        self.shared = shared
        shared.mkdir(exist_ok=True)

    def sync(self) -> SyncReport:
        ingestion = Ingestion(
            self.store, self.embedder, self.settings, lambda *_: None, action=Action(kind=ActionKind.SYNC)
        )
        return self.syncing().run(ingestion)

    def syncing(self) -> Syncing:
        return Syncing(self.shared, self.store, self.read)

    def said(self) -> list[str]:
        with self.store.read() as reader:
            chats = sorted(reader.conversations("default"), key=lambda each: each.id)
            return [
                f"{message.speaker}: {message.text}"
                for chat in chats
                for message in sorted(reader.messages(reader.places(chat.id)).values(), key=lambda m: m.ordinal)
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
