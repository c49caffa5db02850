"""The candidates of a search are those that comparing the question with every entry finds."""

from datetime import timedelta
from pathlib import Path

import duckdb
import numpy as np
import pytest

from evermem_cli.engines import Vectors
from evermem_cli.memory import Filter, Kind, Traces
from evermem_cli.store import Store
from evermem_cli.store.index.sketches import COARSE, COLUMNS, Outlines, among, nearest, sketches
from evermem_cli.store.search import queries
from tests.store.test_store import CHAT, cell_of, fact_of, said
from tests.support.chats import AFTER_13
from tests.support.lives import START
from tests.support.tables import rows

COUNT, LIMIT, DIMENSION = 400, 25, 16
WORDS = "cat garden Leeds station rent Miso violin Tuesday soup bicycle".split()


def random_vectors(count: int, seed: int) -> Vectors:
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Messages in two pieces each and a fact for each message; entry n has row n - 1 of `random_vectors`."""
    made = Store(tmp_path_factory.mktemp("many") / "memory.duckdb", timeout=1)
    made.create("random", DIMENSION)
    chosen = np.random.default_rng(0)
    texts = [" ".join(chosen.choice(WORDS, size=n % 5 + 1)) + f" {n}" for n in range(COUNT)]
    messages = said(*texts)
    cell = cell_of(messages)
    facts = tuple(fact_of(message, f"Ann: {message.text}") for message in messages)
    vectors = random_vectors(3 * COUNT, 1)
    with made.write() as writer:
        writer.chats.add_conversation(CHAT)
        writer.chats.add_messages(messages, [2] * COUNT, vectors[: 2 * COUNT])
        writer.topics.put_open_cells(CHAT.id, [cell])
        writer.topics.put_traces([(cell, Traces(summary="", facts=facts))], vectors[2 * COUNT :], "scripted")
    return made


@pytest.mark.parametrize(
    ("where", "first", "last"),
    [
        (Filter(), 1, 3 * COUNT),
        (Filter(kinds=(Kind.MESSAGE,)), 1, 2 * COUNT),
        (Filter(kinds=(Kind.FACT,), user_id="default"), 2 * COUNT + 1, 3 * COUNT),
        (Filter(kinds=(Kind.MESSAGE,), until=START + timedelta(minutes=100)), 1, 200),
    ],
)
def test_by_meaning_exactly_the_nearest_that_may_be_found(store: Store, where: Filter, first: int, last: int) -> None:
    spoken, asked = random_vectors(2, 2)
    vectors = random_vectors(3 * COUNT, 1)
    cosines = np.concatenate([vectors[: 2 * COUNT] @ spoken, vectors[2 * COUNT :] @ asked])
    number = np.arange(1, 3 * COUNT + 1)
    head = np.where(number <= 2 * COUNT, number - (number + 1) % 2, number)
    best = {int(each): float(cosines[head == each].max()) for each in np.unique(head)}
    wanted = sorted((each for each in best if first <= each <= last), key=lambda each: -best[each])
    messages, facts = ([each for each in wanted if (each <= 2 * COUNT) is is_message] for is_message in (True, False))
    nearest = messages[:LIMIT] + facts[: LIMIT // 3 if messages else LIMIT]
    with store.read() as reader:
        pool = reader.candidates.pool([], lambda: np.stack([spoken, asked]), where, LIMIT, 0)
    assert sorted(pool.head[pool.wanted]) == sorted(nearest)
    assert np.allclose(pool.cosine, [best[each] for each in pool.head], atol=1e-6)


def test_by_words_exactly_the_entries_that_have_them(store: Store) -> None:
    spoken, asked = random_vectors(2, 2)
    with store.read() as reader:
        words = [("violin",), ("soup",)]
        pool = reader.candidates.pool(words, lambda: np.stack([spoken, asked]), Filter(kinds=(Kind.FACT,)), COUNT, 0)
    spelled = [sum(text.split().count(word) for word in ("violin", "soup")) for text in pool.text]
    assert sorted(pool.counts.sum(axis=1)) == sorted(spelled)
    assert len(pool.head) == COUNT
    assert pool.wanted.all()


def test_the_forms_of_a_word_count_as_one_and_so_do_words_of_one_stem(store: Store) -> None:
    vectors = random_vectors(2, 2)
    with store.read() as reader:
        one, two, alike = (
            reader.candidates.pool(words, lambda: vectors, Filter(kinds=(Kind.FACT,)), COUNT, 0)
            for words in ([("violin", "soup")], [("violin",), ("soup",)], [("violin",), ("violins", "soup")])
        )
    assert one.counts.shape[1] == alike.counts.shape[1] == 1
    assert two.counts.shape[1] == 2
    assert one.counts[:, 0].tolist() == alike.counts[:, 0].tolist() == two.counts.sum(axis=1).tolist()


def test_the_first_message_of_a_chat_opens_it_and_no_fact_does(store: Store) -> None:
    vectors = random_vectors(2, 2)
    with store.read() as reader:
        pool = reader.candidates.pool([], lambda: vectors, Filter(), 3 * COUNT, 0)
    assert pool.head[pool.opens].tolist() == [1]


def test_what_is_near_by_sketch_holds_the_nearest() -> None:
    chosen = np.random.default_rng(3)
    vectors = chosen.standard_normal((2 * COARSE, 384)).astype(np.float32)
    is_message = chosen.random(len(vectors)) < 0.5
    spoken, asked = vectors[7] + 0.5 * vectors[8], vectors[11]
    rows = np.arange(len(vectors))
    found = Outlines(sketches(vectors), rows + 1, rows[is_message], rows[~is_message])
    closeness = np.where(is_message, vectors @ spoken, vectors @ asked)
    near = nearest(found, (spoken, 600), (asked, 500))
    assert len(set(near.tolist())) == 1100
    assert is_message[near - 1].sum() == 600
    for side in (is_message, ~is_message):
        assert np.isin(np.argsort(-np.where(side, closeness, -np.inf))[:10] + 1, near).all()


def test_numbers_as_bits_are_the_entries_that_duckdb_takes() -> None:
    query = f"select number from range(1, 41) as entries(number) where {queries.among('number')}"
    connection = duckdb.connect()
    for numbers in ([1, 7, 8, 39, 40], [], [40]):
        found = connection.execute(query, {"numbers": among(np.array(numbers, dtype=np.int64), 40)}).fetchall()
        assert [number for (number,) in found] == numbers


def test_a_file_of_before_sketches_finds_the_same(store: Store, tmp_path: Path) -> None:
    older = Store(tmp_path / "older.duckdb", timeout=1)
    older.path.write_bytes(store.path.read_bytes())
    with duckdb.connect(older.path) as opened:
        for column in COLUMNS:
            opened.execute(f"alter table documents drop column {column}")
        for undone in AFTER_13:
            opened.execute(undone)
        opened.execute("update meta set value = '12' where key = 'schema_version'")
    spoken, asked = random_vectors(2, 2)
    with older.read() as migrated, store.read() as reader:
        pools = [
            each.candidates.pool([("violin",)], lambda: np.stack([spoken, asked]), Filter(), LIMIT, 0)
            for each in (migrated, reader)
        ]
        assert rows(migrated, "select * from documents") == rows(reader, "select * from documents")
    assert pools[0].head.tolist() == pools[1].head.tolist()
