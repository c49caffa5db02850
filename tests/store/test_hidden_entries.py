"""What an agent may not see and is nearest to a question: in the file as in memory, and nothing else."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from evermem_cli.memory import Filter
from evermem_cli.recollection.search.find import look_up
from evermem_cli.store import Store
from tests.cli.test_privacy import CAT, CHAT, HEALTH, MONEY, REASON, TEXTS, as_agent
from tests.support.lives import EMBEDDER, START, live, messages


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "memory.duckdb", timeout=2)
    said = messages(CHAT, *TEXTS)
    live(made, CHAT, said[:2], said[2:])
    return made


def nearest(store: Store, text: str, where: Filter, count: int = 20) -> list[tuple[str, float]]:
    [vector] = EMBEDDER.embed([text])
    return store.nearest_withheld(np.stack([vector, vector]), where, count)


@pytest.mark.parametrize("reason", ["", REASON])
@pytest.mark.parametrize("where", [Filter(), Filter(until=START + timedelta(seconds=30)), Filter(people=("nobody",))])
def test_entries_in_memory_and_in_the_file_agree(store: Store, reason: str, where: Filter) -> None:
    agent = as_agent(store, reason)
    in_file = nearest(agent, HEALTH, where)
    with agent.at_once() as opened:
        within = replace(agent, opened=opened)
        within.load_entries()
        assert within.is_in_memory
        in_memory = nearest(within, HEALTH, where)
    assert sorted(name for name, _ in in_memory) == sorted(name for name, _ in in_file)
    assert [cosine for _, cosine in in_memory] == pytest.approx([cosine for _, cosine in in_file], abs=1e-6)


def test_only_what_is_hidden_is_found_the_nearest_first(store: Store) -> None:
    with store.read() as reader:
        health, _, money, cat = reader.chats.message_ids(CHAT.id)
    found = [name for name, _ in nearest(as_agent(store), MONEY, Filter())]
    assert money in found and health in found and cat not in found
    assert found.index(money) < found.index(health)
    assert money not in [name for name, _ in nearest(as_agent(store, REASON), MONEY, Filter())]
    assert nearest(store, MONEY, Filter()) == []


def test_a_search_counts_what_lies_nearer_than_what_it_shows(store: Store) -> None:
    for text, reason, count in ((HEALTH, "", 1), (HEALTH, REASON, 1), (MONEY, REASON, 0), (CAT, "", 0)):
        found = look_up(text, as_agent(store, reason), EMBEDDER, Filter(), 1)
        assert found.withheld == count, (text, reason)
    assert look_up(HEALTH, store, EMBEDDER, Filter(), 1).withheld is None
