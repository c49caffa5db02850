"""A search among entries in memory finds what a scan of the file finds: for owner and agents, under every filter."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import duckdb
import numpy as np
import pytest

from evermem_cli.config import PRIVACY
from evermem_cli.memory import Access, Evidence, Filter, Kind
from evermem_cli.memory.pool import Pool
from evermem_cli.store import Searcher, Store
from evermem_cli.store.search.entries_in_memory import LoadedEntries
from tests.store.test_candidates import LIMIT, WORDS, random_vectors, store
from tests.support.lives import START
from tests.support.tables import execute

__all__ = ["store"]

AGENT = Access(agent="spy", reason="", command="test", tiers=PRIVACY)
FILTERS = (
    Filter(),
    Filter(user_id="default"),
    Filter(kinds=(Kind.MESSAGE,)),
    Filter(kinds=(Kind.FACT,), user_id="default"),
    Filter(since=START + timedelta(minutes=50), until=START + timedelta(minutes=100)),
    Filter(as_of=START + timedelta(minutes=200)),
    Filter(known_at=START + timedelta(minutes=200), archived=True),
    Filter(people=("default",)),
    Filter(people=("nobody",)),
)


@contextmanager
def searcher(memory: Store, *, in_memory: bool) -> Iterator[Searcher]:
    if in_memory:
        memory.load_entries()
    with memory.at_once() as opened, replace(memory, opened=opened).read() as reader:
        assert isinstance(reader.candidates.entries, LoadedEntries) is in_memory
        yield reader


def pool_and_evidence(reader: Searcher, where: Filter) -> tuple[Pool, list[Evidence]]:
    vectors = random_vectors(2, 2)
    words = [("violin",), ("soup", "station"), ("nowhere",)]
    found = reader.candidates.pool(words, lambda: vectors, where, LIMIT, 3)
    return found, reader.candidates.evidence([(int(head), 0.0) for head in found.head[found.wanted][:30]])


def assert_alike(memory: Store, where: Filter) -> None:
    with searcher(memory, in_memory=False) as reader:
        scanned, shown = pool_and_evidence(reader, where)
        views = scanned.views(np.arange(len(scanned.head)))
    with searcher(memory, in_memory=True) as reader:
        pool, shown_in_memory = pool_and_evidence(reader, where)
        views_in_memory = pool.views(np.arange(len(pool.head)))
    for name in ("head", "position", "drawn", "opens", "said_at", "speaker", "wanted", "counts", "text"):
        assert np.array_equal(getattr(pool, name), getattr(scanned, name)), name
    for name in ("length", "cosine", "idf"):
        assert np.allclose(getattr(pool, name), getattr(scanned, name), atol=1e-5), name
    assert pool.archived == scanned.archived
    assert pool.mean_length == pytest.approx(scanned.mean_length)
    assert np.allclose(views_in_memory.fact, views.fact, atol=1e-5, equal_nan=True)
    assert np.allclose(views_in_memory.episode, views.episode, atol=1e-5, equal_nan=True)
    assert shown_in_memory == shown
    assert shown or where.people == ("nobody",)


@pytest.fixture
def memory(store: Store, tmp_path: Path) -> Store:
    """A copy in which a tenth of what is said concerns health, some was accessed, and cosines are scaled."""
    copy = Store(tmp_path / "memory.duckdb", timeout=1)
    copy.path.write_bytes(store.path.read_bytes())
    with duckdb.connect(copy.path) as opened:
        opened.execute("update messages set domain = if(ordinal % 10 = 3, 'health', 'work')")
        opened.execute("update event_logs set domain = 'work'")
        opened.execute("insert or replace into meta values ('slope', '0.8'), ('shift', '0.1')")
        opened.execute("update messages set strength = 0.01, last_accessed = said_at where ordinal % 7 = 1")
    with copy.read() as reader:
        copy.note_access(list(reader.chats.message_ids("conv-1"))[:20])
    return copy


@pytest.mark.parametrize("where", FILTERS)
@pytest.mark.parametrize("access", [None, AGENT])
def test_a_search_in_memory_finds_what_a_scan_finds(memory: Store, access: Access | None, where: Filter) -> None:
    assert_alike(replace(memory, access=access), where)


def test_what_is_withheld_is_not_found_among_entries_in_memory(memory: Store) -> None:
    with duckdb.connect(memory.path, read_only=True) as opened:
        health = {row[0] for row in opened.execute("select id from messages where domain = 'health'").fetchall()}
    agent = replace(memory, access=AGENT)
    agent.load_entries()
    with agent.at_once() as opened_once, replace(agent, opened=opened_once).read() as reader:
        vectors = random_vectors(2, 2)
        found = reader.candidates.pool([(word,) for word in WORDS], lambda: vectors, Filter(), 1000, 6)
        shown = reader.candidates.evidence([(int(head), 0.0) for head in found.head])
        assert not health & {message.id for each in shown for message in each.messages}
    with replace(agent, access=None).read() as reader:
        everything = reader.candidates.pool([(word,) for word in WORDS], lambda: vectors, Filter(), 1000, 6)
    assert len(everything.head) > len(found.head)


@pytest.mark.parametrize("access", [None, AGENT])
def test_chats_are_called_the_same_whichever_were_asked_for_before(memory: Store, access: Access | None) -> None:
    with memory.write() as writer:
        second = "select * replace ('conv-2' as id, 'conv-2' as key, 'Soups' as title) from conversations"
        execute(writer, f"insert into conversations {second}")
        execute(writer, "update documents set conversation_id = 'conv-2' where head % 2 = 0")
    asker = replace(memory, access=access)
    with searcher(asker, in_memory=False) as reader:
        heads = pool_and_evidence(reader, Filter())[0].head
        names = [hit.conversation for hit in reader.candidates.evidence([(int(head), 0.0) for head in heads])]
    assert len(set(names)) > 1
    with searcher(asker, in_memory=True) as reader:
        for count in (1, 1, len(heads), len(heads)):
            hits = reader.candidates.evidence([(int(head), 0.0) for head in heads[:count]])
            assert [hit.conversation for hit in hits] == names[:count]


def test_a_renamed_chat_has_its_new_name_in_the_next_search(memory: Store) -> None:
    for title in ("Of violins", "Of soups"):
        with memory.write() as writer:
            execute(writer, "update conversations set title = $title", title=title)
        with searcher(memory, in_memory=True) as reader:
            assert {hit.conversation for hit in pool_and_evidence(reader, Filter())[1]} == {title}


def test_a_changed_file_is_scanned_until_its_entries_are_loaded_again(memory: Store) -> None:
    memory.load_entries()
    with memory.write() as writer:
        execute(writer, "update meta set value = value where key = 'dimension'")
    with searcher(memory, in_memory=False):
        pass
    with searcher(memory, in_memory=True):
        pass
