"""What was forgotten by its own id, while its messages stay, is not formed again of the same words."""

from pathlib import Path

import pytest

from evermem_cli.archive import Import, export
from evermem_cli.consolidate import Consolidation
from evermem_cli.memory import Selection, forgotten_mark
from evermem_cli.recollection.experience import known_rules
from evermem_cli.repair.undoing import Undo, last_action
from evermem_cli.store import Store
from evermem_cli.store.file import connection
from tests.support.fakes import WordEmbedder
from tests.support.tables import rows
from tests.test_ingest import Memory
from tests.test_reflect import ME, chat, interactions, learn, memory_in, returns

CHAT = """[2025-03-01 09:00] Ann: I live in Leeds.
[2025-03-01 09:01] Ben: I am a nurse at St James.
[2025-03-01 09:02] Ann: I'm flying to Oslo tomorrow.
"""
MORE = "[2025-03-01 09:03] Ben: I moved to Hull last week.\n"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """A memory with a topic that may still grow."""
    memory = Memory(tmp_path, user="Ann")
    memory.ingest(memory.file(CHAT))
    memory.enrich()
    return memory


def formed(store: Store) -> dict[str, str]:
    """The ids of facts, foresights and episodes by their texts."""
    with store.read() as reader:
        facts = {fact.atomic_fact: fact.id for fact in reader.topics.facts()}
        foresights = {item.foresight: item.id for item in reader.topics.foresights()}
        return facts | foresights | {episode.episode: episode.id for episode in reader.topics.episodes()}


def places(store: Store) -> list[str]:
    """Where people are said to be."""
    with store.read() as reader:
        return [row["value"] for row in rows(reader, "select value from assertions where attribute = 'location'")]


def forget(memory: Memory, *ids: str) -> None:
    memory.store.forget(Selection(user_id="Ann", ids=ids))
    Consolidation(memory.store, memory.settings).run()


def grow(memory: Memory) -> None:
    memory.ingest(memory.file(CHAT + MORE))
    memory.enrich()


def marks(store: Store) -> int:
    with store.read() as reader:
        return len(rows(reader, "from forgotten_memories"))


LIVES = "Ann lives in Leeds."


def test_a_fact_stays_forgotten_when_its_topic_grows(memory: Memory) -> None:
    before = formed(memory.store)
    forget(memory, before[LIVES])
    grow(memory)
    after = formed(memory.store)
    assert LIVES not in after
    assert {text for text in before if text.startswith("Ben")} < {text for text in after if text.startswith("Ben")}


def test_what_is_found_by_words_alone_is_formed_again_of_messages_that_stay(memory: Memory) -> None:
    memory.store.forget(Selection(user_id="Ann", words=("lives",)))  # of the fact, not of the message
    assert LIVES not in formed(memory.store)
    grow(memory)
    assert LIVES in formed(memory.store)


def test_what_was_read_of_the_fact_stays_forgotten_when_all_is_derived_anew(memory: Memory) -> None:
    assert "Leeds" in places(memory.store)
    forget(memory, formed(memory.store)[LIVES])
    Consolidation(memory.store, memory.settings).again()
    assert "Leeds" not in places(memory.store)
    grow(memory)
    assert "Hull" in places(memory.store)
    assert "Leeds" not in places(memory.store)


def test_a_foresight_and_an_episode_stay_forgotten_when_their_topic_is_formed_again(memory: Memory) -> None:
    with memory.store.read() as reader:
        [foresight], [episode] = reader.topics.foresights(), reader.topics.episodes()
    forget(memory, foresight.id, episode.id)
    with memory.store.write() as writer:
        [event_id] = writer.reader.topics.ids_of_messages(foresight.message_ids)
        writer.topics.mark_failed(event_id, "to be formed again")
    memory.enrich()
    assert LIVES in formed(memory.store)
    with memory.store.read() as reader:
        assert (reader.topics.foresights(), reader.topics.episodes()) == ([], [])
        assert foresight.foresight in {fact.atomic_fact for fact in reader.topics.facts()}


def test_somebody_may_say_it_anew(memory: Memory) -> None:
    forget(memory, formed(memory.store)[LIVES])
    memory.ingest(memory.file("[2025-06-01 09:00] Ann: I live in Leeds.\n", "later.txt"))
    memory.enrich()
    assert LIVES in formed(memory.store)


def test_the_file_keeps_no_word_of_it_and_no_mark_once_its_message_goes(memory: Memory) -> None:
    fact_id = formed(memory.store)[LIVES]
    with memory.store.read() as reader:
        [fact] = [fact for fact in reader.topics.facts() if fact.id == fact_id]
    forget(memory, fact_id)
    with memory.store.read() as reader:
        kept = {row["mark"]: row["message_ids"] for row in rows(reader, "from forgotten_memories")}
    assert kept[forgotten_mark("fact", fact.message_ids[-1], LIVES)] == list(fact.message_ids)
    assert all("leeds" not in str(row).casefold() for row in kept.items())
    forget(memory, fact.message_ids[-1])
    assert marks(memory.store) == 0


def test_no_mark_is_made_of_what_goes_with_its_message(memory: Memory) -> None:
    memory.store.forget(Selection(user_id="Ann", words=("Leeds",)))
    assert marks(memory.store) == 0
    memory.enrich()
    assert "Ann is flying to Oslo tomorrow." in formed(memory.store)


def test_an_undone_ingest_leaves_it_forgotten(memory: Memory) -> None:
    forget(memory, formed(memory.store)[LIVES])
    grow(memory)
    Undo(memory.store, Consolidation(memory.store, memory.settings)).run(last_action(memory.store))
    assert marks(memory.store) > 0
    grow(memory)
    assert LIVES not in formed(memory.store)


def test_an_imported_memory_knows_it(memory: Memory, tmp_path: Path) -> None:
    forget(memory, formed(memory.store)[LIVES])
    expected = marks(memory.store)
    other = Store(tmp_path / "other.duckdb", timeout=1)
    lines = [line.encode() for line in export(memory.store)]
    Import(other, WordEmbedder(memory.embedder.name), lambda *_: None).run(lines)
    assert (expected > 0, marks(other)) == (True, expected)


def test_an_interaction_and_a_rule_stay_forgotten(tmp_path: Path) -> None:
    memory = memory_in(tmp_path)
    returns(memory)
    [rule] = known_rules(memory.store, ME)
    memory.store.forget(Selection(user_id="default", ids=(rule.id,)))
    learn(memory, chat(7, "Can you find me a flight to Oslo?"))
    assert (known_rules(memory.store, ME, retired=True), len(interactions(memory.store))) == ([], 3)
    first = interactions(memory.store)[0]
    memory.store.forget(Selection(user_id="default", ids=(first.id,)))
    with connection.connected(memory.store.path, write=True, timeout=1) as opened:
        opened.execute("delete from reflections")  # as if each chat had grown
    memory.enrich()
    assert first.id not in {interaction.id for interaction in interactions(memory.store)}
    assert len(interactions(memory.store)) == 2
