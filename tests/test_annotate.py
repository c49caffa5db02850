"""Messages become statements once, and anew when their text or the weights have changed."""

from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path

import pytest

from evermem_cli.annotate import Annotation
from evermem_cli.config import Settings
from evermem_cli.consolidate import Consolidation
from evermem_cli.ingest import Ingestion
from evermem_cli.memory import Selection, Stance, Statement, Whose
from evermem_cli.reading.statements.decode import Passage
from evermem_cli.reading.statements.tagger import Tagger
from evermem_cli.store import Store
from evermem_cli.transcripts import ReadOptions
from tests.support.fakes import WordEmbedder

CHAT = "[2025-03-01 09:00] User: I work as a nurse in Leeds.\n[2025-03-01 09:01] Assistant: I live in the cloud.\n"


@dataclass(frozen=True)
class Noting(Tagger):
    """The tagger, which notes what it has read."""

    heard: list[str] = field(default_factory=list, compare=False)

    def read(self, passages: list[Passage]) -> list[list[Statement]]:  # type: ignore[override]
        self.heard.extend(passage.text for passage in passages)
        return super().read(passages)


@dataclass(frozen=True)
class Other(Noting):
    """The same weights under another name."""

    @property
    def name(self) -> str:
        return "other"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "memory.duckdb", timeout=1.0)
    take_in(store, CHAT)
    return store


def take_in(store: Store, chat: str) -> None:
    path = store.path.with_name("chat.txt")
    path.write_text(chat, "utf-8")
    Ingestion(store, WordEmbedder(), Settings(), lambda *_: None).run([path], ReadOptions(tz=UTC))


def annotate(store: Store, tagger: Tagger) -> int:
    return Annotation(store, tagger, lambda *_: None).run()


def test_each_message_of_a_person_is_read_once(store: Store) -> None:
    tagger = Noting()
    assert annotate(store, tagger) == 1
    assert annotate(store, tagger) == 0
    assert tagger.heard == ["I work as a nurse in Leeds."]


def test_other_weights_read_it_anew_and_what_was_drawn_is_drawn_anew(store: Store) -> None:
    annotate(store, Tagger())
    Consolidation(store, Settings()).run()
    assert annotate(store, Other()) == 1
    with store.read() as reader:
        assert len(reader.topics.unconsolidated_ids()) == 1


def test_after_tier_1_the_profile_is_known_without_a_language_model(store: Store) -> None:
    annotate(store, Tagger())
    Consolidation(store, Settings()).run()
    with store.read() as reader:
        found = {(each.attribute, each.value, each.stance) for each in reader.consolidation.assertions()}
    assert ("job", "nurse", Stance.HOLDS) in found


def test_an_edited_message_is_read_anew(tmp_path: Path) -> None:
    store = Store(tmp_path / "memory.duckdb", timeout=1.0)
    line = '{"id": "1", "role": "user", "content": "I work as a %s.", "timestamp": "2025-03-01T09:00:00Z"}'
    take_in(store, line % "nurse")
    annotate(store, Tagger())
    take_in(store, line % "baker")
    tagger = Noting()
    assert annotate(store, tagger) == 1
    assert tagger.heard == ["I work as a baker."]


def test_forgetting_a_message_forgets_what_was_read_of_it(store: Store) -> None:
    annotate(store, Tagger())
    with store.read() as reader:
        [message_id] = reader.statements.unread_ids("none")
    store.forget(Selection(user_id="default", ids=(message_id,)))
    with store.read() as reader:
        assert reader.statements.of([message_id]) == {}
    assert b"nurse" not in store.path.read_bytes()


def test_statements_are_stored_as_they_were_read(store: Store) -> None:
    with store.read() as reader:
        [message_id] = reader.statements.unread_ids("t")
    statement = Statement(
        message_id=message_id,
        start=12,
        stop=17,
        kind="job",
        value="nurse",
        whose=Whose.OTHER,
        person="she",
        stance=Stance.ENDED,
        probability=0.75,
    )
    with store.write() as writer:
        writer.consolidation.put_statements("t", [message_id], [statement])
    with store.read() as reader:
        assert reader.statements.of([message_id, "unknown"]) == {message_id: [statement]}
        assert reader.statements.unread_ids("t") == []
