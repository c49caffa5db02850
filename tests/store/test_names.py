"""Who is called what."""

from dataclasses import dataclass
from datetime import UTC
from pathlib import Path

import pytest

from evermem_cli.config import Settings
from evermem_cli.consolidate import Consolidation
from evermem_cli.ingest import Ingestion
from evermem_cli.intake.reports import InputReport
from evermem_cli.repair.owner_names import OwnerNames
from evermem_cli.repair.undoing import Undo, last_action
from evermem_cli.store import Store
from evermem_cli.transcripts import ReadOptions
from tests.support.fakes import WordEmbedder

TURN = '{"role": "%s", "content": "%s", "timestamp": "2025-03-0%dT09:00:00Z"}\n'


@dataclass
class Chats:
    """A memory of a chat between people, in which the owner is Kim, and of sessions that only know a user."""

    folder: Path

    def __post_init__(self) -> None:
        self.store = Store(self.folder / "memory.duckdb", 1.0)
        chat, session = self.folder / "chat.txt", self.folder / "session.jsonl"
        chat.write_text("[2025-03-01 09:00] Kim: Hello, Ann.\n[2025-03-01 09:01] Ann: Hello!\n")
        session.write_text("".join(TURN % (role, "Fine.", day) for day in (2, 3) for role in ("user", "assistant")))
        self.chat, self.session = (chat, "Kim"), (session, "")

    def ingest(self, *chats: tuple[Path, str]) -> list[InputReport]:
        return [
            report
            for path, me in chats
            for report in Ingestion(self.store, WordEmbedder(), Settings(me=me), lambda *_: None).run(
                [path], ReadOptions(tz=UTC)
            )
        ]

    def owner_speaks_as(self) -> list[str]:
        with self.store.read() as reader:
            return reader.names.of_user("default")


@pytest.fixture
def chats(tmp_path: Path) -> Chats:
    return Chats(tmp_path)


@pytest.mark.parametrize("order", [1, -1])
def test_the_owner_is_called_by_name_also_where_a_session_says_user(chats: Chats, order: int) -> None:
    chats.ingest(*[chats.chat, chats.session][::order])
    assert chats.owner_speaks_as() == ["Kim"]
    assert [report.status for report in chats.ingest(chats.session)] == ["unchanged"]


def test_the_owner_has_the_whole_name_also_where_the_settings_have_its_beginning(chats: Chats) -> None:
    chats.chat[0].write_text(chats.chat[0].read_text().replace("Kim", "Kim Berg"))
    session = chats.session[0]
    session.write_text(session.read_text().replace("user", "Kim"))
    chats.ingest((chats.chat[0], "Kim Berg"), (session, "Kim"))
    assert chats.owner_speaks_as() == ["Kim Berg"]
    with chats.store.read() as reader:
        assert reader.names.ownership("default").names == {"Kim Berg": 3}, "what is said to assistants counts, too"


def test_another_name_of_the_owner_and_its_undoing_reach_sessions_too(chats: Chats) -> None:
    chats.ingest(chats.chat, chats.session)
    owner = OwnerNames(chats.store, Consolidation(chats.store, Settings()), "default")
    owner.assign(["Ann"])
    assert chats.owner_speaks_as() == ["Ann"]
    Undo(chats.store, owner.consolidation).run(last_action(chats.store))
    assert chats.owner_speaks_as() == ["Kim"]
