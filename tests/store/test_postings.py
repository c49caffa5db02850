"""The keyword index is as complete after each transaction as if it were built at once of all that is remembered."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evermem_cli.memory import Message, Selection, Traces
from evermem_cli.store import Store
from evermem_cli.store.file import connection
from evermem_cli.store.index.postings import RUN, sort_run, stems
from evermem_cli.store.index.sketches import COLUMNS
from tests.store.test_store import CHAT, cell_of, fact_of, pool_of, said, vectors_of
from tests.support.chats import AFTER_13

TEXTS = (
    "I moved to Leeds, moving twice.",
    "Moving to Zürich: NAÏVE, naïve, don't... e.g. user_name@example.org 3.14 #42 🦊",
    "我喜欢喝茶，对核桃过敏。 ราคา 東京タワー Ελλάδα ÅNGSTRÖM ﬁne ½ Ⅷ x²",
    "...",
    "running runners ran; the cats' cat",
)
BY_MEMORY = """
    select memory_id, term, times, length from postings join documents on number = postings.head
    order by all"""
# What DuckDB's own extension makes of the same entries.
BUILT_AT_ONCE = (
    r"""pragma create_fts_index('documents', 'number', 'body', stemmer = 'porter', stopwords = 'none',
                                ignore = '(\.|[^\p{L}\p{N}])+')""",
    """select memory_id, md5_number_lower(term) as stem, count(*), len from fts_main_documents.terms
       join fts_main_documents.dict using (termid) join fts_main_documents.docs using (docid)
       join documents on number = name group by all order by all""",
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return made(tmp_path / "memory.duckdb")


def made(path: Path) -> Store:
    store = Store(path, timeout=1)
    store.create("words", 384)
    return store


def ask(store: Store, *statements: str) -> list[tuple[Any, ...]]:
    """The rows of the last statement; what the others do does not last."""
    with connection.attached(store.path, write=True, timeout=1) as opened:
        opened.execute("begin")
        rows = [opened.execute(statement).fetchall() for statement in statements]
        opened.execute("rollback")
    return rows[-1]


def remember(store: Store, messages: Sequence[Message]) -> None:
    with store.write() as writer:
        writer.chats.add_conversation(CHAT)
        writer.chats.add_messages(messages, [1] * len(messages), vectors_of(*messages))


def test_it_counts_the_words_that_duckdbs_own_index_counts(store: Store) -> None:
    remember(store, said(*TEXTS))
    counted = ask(store, BY_MEMORY)
    assert len(counted) > 40
    assert counted == ask(store, *BUILT_AT_ONCE)


def test_an_index_that_grew_and_changed_equals_one_that_was_built_at_once(store: Store, tmp_path: Path) -> None:
    messages = said(*TEXTS)
    remember(store, said("What is it?", *TEXTS)[:1])
    for message in messages[1:]:
        remember(store, [message])
    cell = cell_of(said("I lived in Leeds.", *TEXTS[1:4]))
    for told in ("Ann moved to York", "Ann moved to Leeds"):
        traces = Traces(summary="", facts=(fact_of(messages[0], told),))
        with store.write() as writer:
            writer.topics.put_open_cells(CHAT.id, [cell])
            writer.topics.put_traces([(cell, traces)], vectors_of(*traces.facts), "scripted")
    with store.write() as writer:
        writer.chats.edit(messages[:1], [1], vectors_of(messages[0]))
        writer.chats.change_places(CHAT.id, [messages[4].id], [], None)
    with store.write() as writer:
        writer.topics.put_traces([(cell, traces)], vectors_of(*traces.facts), "scripted")
    whole = made(tmp_path / "whole.duckdb")
    with whole.write() as writer:
        writer.chats.add_conversation(CHAT)
        writer.chats.add_messages(messages[:4], [1] * 4, vectors_of(*messages[:4]))
        writer.topics.put_open_cells(CHAT.id, [cell])
        writer.topics.put_traces([(cell, traces)], vectors_of(*traces.facts), "scripted")
    assert ask(store, BY_MEMORY) == ask(whole, BY_MEMORY) == ask(store, *BUILT_AT_ONCE)
    assert ask(store, "from postings where head not in (select head from documents)") == []
    for words in ("moved Leeds", "naïve Zurich", "茶", "cat York"):
        grown, built = pool_of(store, words), pool_of(whole, words)
        assert grown.text == built.text
        assert grown.counts.tolist() == built.counts.tolist()
        assert (grown.idf.tolist(), grown.mean_length) == (built.idf.tolist(), built.mean_length)


def test_what_is_much_is_put_in_the_order_of_the_words_and_stays_the_same(store: Store) -> None:
    remember(store, said("Leeds"))
    with connection.attached(store.path, write=True, timeout=1) as opened:
        for first, last in ((2, RUN - 1), (RUN, RUN + 9)):
            opened.execute(f"insert into postings select hash(n % 97), n, 1 from range({first}, {last + 1}) as t(n)")
            sort_run(opened, last)
            in_order = opened.execute("select term, head from postings order by rowid").fetchall()
            first_run = [row for row in in_order if row[1] <= RUN]
            assert (first_run == sorted(first_run)) == (last > RUN)
        assert [row[1] for row in in_order[:9]] == [*range(RUN + 1, RUN + 10)]  # these wait for more
        assert opened.execute("select count(*), count(distinct head) from postings").fetchall() == [(RUN + 9, RUN + 9)]
    assert pool_of(store, "Leeds").counts.sum() == 1


def test_words_of_one_stem_are_one_with_and_without_accents(store: Store) -> None:
    remember(store, said(*TEXTS))
    pool = pool_of(store, "moves Zurich Naïves")
    assert pool.counts.sum(axis=1).max() == 4  # "moving", "Zürich", and "naïve" twice


def test_a_questions_words_have_the_stems_that_the_extension_gives_them(store: Store) -> None:
    files = (Path(__file__).parents[2] / "sample_transcripts").iterdir()
    words = {*"naïve Zürich running ﬁne ÅNGSTRÖM ab 3rd yyy Ελλάδα".split()}
    words |= {word for file in files for word in re.findall(r"[^\W_]+", file.read_text(encoding="utf-8").lower())}
    with connection.attached(store.path, write=True, timeout=1) as opened:
        query = "select list(stem(strip_accents(word), 'porter')) from (select unnest($words) as word)"
        [(expected,)] = opened.execute(query, {"words": sorted(words)}).fetchall()
        assert len(words) > 1000
        assert stems(opened, sorted(words)) == expected


def test_a_file_with_the_old_index_is_indexed_anew_when_it_is_opened(store: Store) -> None:
    remember(store, said(*TEXTS))
    before = ask(store, BY_MEMORY)
    with connection.attached(store.path, write=True, timeout=1) as opened:
        opened.execute(BUILT_AT_ONCE[0])
        opened.execute("drop table postings")
        for column in ("length", *COLUMNS):
            opened.execute(f"alter table documents drop column {column}")
        for undone in AFTER_13:
            opened.execute(undone)
        opened.execute("update meta set value = '11' where key = 'schema_version'")
    assert pool_of(store, "Leeds").counts.sum() == 1
    assert ask(store, BY_MEMORY) == before
    assert ask(store, "select schema_name from duckdb_schemas() where schema_name like 'fts%'") == []


def test_a_forgotten_word_is_not_even_a_number_in_the_file(store: Store) -> None:
    remember(store, said("the xylophone is mine", "the piano is yours"))
    [(number,)] = ask(store, "select md5_number_lower(stem('xylophone', 'porter'))")
    forgotten = int(number).to_bytes(8, "little")
    assert forgotten in store.path.read_bytes()
    store.forget(Selection(user_id="default", words=("xylophone",)))
    assert forgotten not in store.path.read_bytes()
    assert pool_of(store, "piano").counts.sum() == 1
