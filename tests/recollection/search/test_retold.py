"""What was told anew about the same thing is read with what was told before, though it has no word of the question."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from evermem_cli.config import Settings
from evermem_cli.ingest import Ingestion
from evermem_cli.memory import Filter
from evermem_cli.recollection.search.find import look_up
from evermem_cli.recollection.search.retold import with_retold
from evermem_cli.store import Store
from evermem_cli.transcripts import ReadOptions
from tests.recollection.asking import recalled
from tests.support.fakes import WordEmbedder

CHAT = """[2025-02-05 07:50] Marek: Bruno was at the vet. 34 kilos.
[2025-02-05 07:52] Odile: poor Bruno
[2025-03-01 10:00] Marek: nothing new here
[2025-04-13 11:30] Marek: the vet says 31 now, good boy
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "chat.txt").write_text(CHAT)
    store = Store(tmp_path / "memory.duckdb", 1.0)
    Ingestion(store, WordEmbedder(), Settings(), lambda *_: None).run([tmp_path / "chat.txt"], ReadOptions(tz=UTC))
    return store


def test_a_later_message_about_the_same_thing_follows_the_result(store: Store) -> None:
    where = Filter(user_id="default", as_of=datetime(2025, 8, 1, tzinfo=UTC))
    [first] = look_up("How heavy is Bruno?", store, WordEmbedder(), where, 1).items
    assert [hit.text for hit in with_retold([first], store, WordEmbedder(), where)] == [
        "Bruno was at the vet. 34 kilos.",
        "the vet says 31 now, good boy",
    ]


def test_what_was_said_after_the_day_of_the_question_is_not_read(store: Store) -> None:
    _, recollection = recalled(store, "How heavy is Bruno?", "2025-03-01")
    assert "31" not in " ".join(recollection.quotes)
