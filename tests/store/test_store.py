import os
import signal
import stat
import subprocess
import sys
import textwrap
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pytest

from evermem_cli.engines import Vectors
from evermem_cli.errors import StoreBusy, StoreError, UsageError
from evermem_cli.languages.language import searchable
from evermem_cli.memory import (
    ChatKind,
    ChatOutline,
    Conversation,
    Episode,
    Extraction,
    Fact,
    Filter,
    Foresight,
    Kind,
    MemCell,
    Message,
    Role,
    Traces,
    chat_name,
    content_id,
)
from evermem_cli.memory.pool import Pool, Views
from evermem_cli.store import Store
from evermem_cli.store.file import connection
from tests.support.fakes import WordEmbedder
from tests.support.lives import EMBEDDER, START, messages
from tests.support.lives import cell_of as closed_cell_of
from tests.support.locking import can_be_written

CHAT = Conversation(
    id="conv-1", key="k", title="Chat", kind=ChatKind.ASSISTANT, format="text", group_id="g", user_id="default"
)


def said(
    *texts: str, conversation: Conversation = CHAT, user_id: str = "default", start: datetime = START
) -> list[Message]:
    """Messages whose ids come from their places, so that an edited one keeps its id."""
    return [
        replace(
            message,
            id=content_id("msg", conversation.id, message.ordinal),
            external_id=f"m{message.ordinal}",
            user_id=user_id,
        )
        for message in messages(conversation, *texts, start=start)
    ]


cell_of = partial(closed_cell_of, is_open=True)


def fact_of(message: Message, text: str, *, start: datetime | None = None, end: datetime | None = None) -> Fact:
    return Fact(
        id=content_id("fact", text),
        atomic_fact=text,
        speaker="Ann",
        user_id=message.user_id,
        group_id="g",
        parent_type="memcell",
        parent_id="cell",
        said_at=message.said_at,
        valid_at=start,
        invalid_at=end,
        confidence=0.9,
        message_ids=(message.id,),
    )


def episode_of(cell: MemCell, text: str, user_id: str | None = None) -> Episode:
    return Episode(
        id=f"ep-{user_id}",
        user_id=user_id,
        subject="",
        summary="",
        episode=text,
        memcell_event_id_list=(cell.event_id,),
        said_at=START,
    )


def vectors_of(*items: Message | Fact | Episode | Foresight) -> Vectors:
    return EMBEDDER.embed([item.search_text for item in items])


def remember(store: Store, messages: list[Message], conversation: Conversation = CHAT) -> MemCell:
    cell = cell_of(messages)
    with store.write() as writer:
        writer.chats.add_conversation(conversation)
        writer.chats.add_messages(messages, [1] * len(messages), vectors_of(*messages))
        writer.topics.put_open_cells(conversation.id, [cell])
    return cell


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "memory.duckdb", timeout=0.3)
    made.create(EMBEDDER.name, EMBEDDER.dimension)
    return made


def pool_of(store: Store, query: str, where: Filter | None = None) -> Pool:
    vector = EMBEDDER.embed([query])[0]
    with store.read() as reader:
        words = [(word,) for word in searchable(query).split()]
        return reader.candidates.pool(words, lambda: np.stack([vector, vector]), where or Filter(), 10, 1)


def views_of(store: Store, query: str) -> Views:
    """What was made of all messages of a small file, in the order they were said."""
    vector = EMBEDDER.embed([query])[0]
    with store.read() as reader:
        pool = reader.candidates.pool([(query,)], lambda: np.stack([vector, vector]), Filter(), 10, 1)
        return pool.views(np.flatnonzero(~pool.drawn))


def found_texts(store: Store, query: str, where: Filter | None = None) -> list[str]:
    """What the keyword view finds."""
    pool = pool_of(store, query, where)
    return [pool.text[row] for row in np.flatnonzero(pool.wanted & (pool.counts.sum(axis=1) > 0))]


def test_what_is_written_comes_back_as_it_was(store: Store) -> None:
    messages = said("I moved to Leeds.", "My cat is called Miso.")
    cell = remember(store, messages)
    with store.read() as reader:
        assert reader.topics.memcells() == [cell]
        assert reader.chats.message_ids(CHAT.id) == [message.id for message in messages]
        assert reader.chats.of("default") == [CHAT]


def test_a_chat_is_outlined_by_its_size_its_days_and_what_a_person_said_first(store: Store) -> None:
    greeting, *rest = said("How can I help?", "I moved to Leeds.", "My cat is called Miso.")
    remember(store, [replace(greeting, role=Role.ASSISTANT), *rest])
    with store.read() as reader:
        assert reader.chats.outlines("default") == {
            CHAT.id: ChatOutline(
                message_count=3,
                first_at=greeting.said_at,
                last_at=rest[-1].said_at,
                opening="I moved to Leeds.",
                name=CHAT.title or "I moved to Leeds.",
            )
        }


def test_a_chat_has_one_name_in_lists_results_and_the_page(store: Store) -> None:
    remember(store, said("I moved to Leeds."), conversation=replace(CHAT, title=""))
    with store.read() as reader:
        [result] = reader.candidates.evidence_of([said("I moved to Leeds.")[0].id])
        [size] = reader.overview.chats("default")
        assert {result.conversation, size.name} == {reader.chats.outlines("default")[CHAT.id].name}


@pytest.mark.parametrize(
    ("title", "kind", "name"),
    [
        ("Trip to Rome", ChatKind.GROUP, "Trip to Rome"),
        ("", ChatKind.GROUP, "Ann, Bob"),
        ("Photos", ChatKind.ASSISTANT, "Photos"),
        ("11111111-2222-4333", ChatKind.ASSISTANT, "Rename my photos."),
        ("rollout-2026-11-28T21-00-00-11111111-2222-4333", ChatKind.ASSISTANT, "Rename my photos."),
        ("session-2026-11-28T21-00-11111111", ChatKind.ASSISTANT, "Rename my photos."),
    ],
)
def test_a_chat_is_called_by_its_title_its_opening_or_its_speakers(title: str, kind: ChatKind, name: str) -> None:
    assert chat_name(title, "11111111-2222-4333", kind, "Rename\nmy photos.", ["Ann", "Bob"]) == name


def test_a_chat_in_which_only_its_owner_speaks_is_with_themselves(store: Store) -> None:
    remember(store, [replace(note, user_id="default", role=Role.USER) for note in said("I moved.", "The cat is ill.")])
    with store.read() as reader:
        assert reader.chats.outlines("default")[CHAT.id].is_alone


def test_writing_the_same_again_adds_nothing(store: Store) -> None:
    messages = said("I moved to Leeds.")
    remember(store, messages)
    with store.write() as writer:
        writer.chats.add_conversation(CHAT)
        assert writer.topics.put_open_cells(CHAT.id, [cell_of(messages)]) == 0
    with store.read() as reader:
        assert reader.overview.status().counts["memcells"] == 1


def test_a_message_that_another_process_has_stored_meanwhile_is_found_once(store: Store) -> None:
    messages = said("I moved to Leeds. My cat is called Miso.", "ok")
    remember(store, messages[:1])
    with store.write() as writer:
        writer.chats.add_messages(
            messages, [2, 1], EMBEDDER.embed(["I moved to Leeds.", "My cat is called Miso.", "ok"])
        )
        entries = writer.connection.execute("select memory_id, count(*) from documents group by all").fetchall()
    assert dict(entries) == {messages[0].id: 1, messages[1].id: 1}
    assert pool_of(store, "ok").cosine.max() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("moving", "I moved to Leeds in 2019."),
        ("2019", "I moved to Leeds in 2019."),
        ("北京", "我下周三去北京旅游"),
        ("кот", "Мой кот дома"),
        ("cafe", "We met at the Café"),
    ],
)
def test_keywords_find_stems_numbers_and_every_script(store: Store, query: str, text: str) -> None:
    remember(store, said("I moved to Leeds in 2019.", "我下周三去北京旅游", "Мой кот дома", "We met at the Café"))
    assert found_texts(store, query) == [text]


def test_both_views_find_candidates_on_their_own(store: Store) -> None:
    remember(store, said("I moved to Leeds.", "My cat is called Miso."))
    pool = pool_of(store, "my cat")
    assert pool.counts[:, 0].tolist() == [0, 1]
    assert pool.cosine[1] > pool.cosine[0]
    assert np.diff(pool.position).tolist() == [1]


def test_the_pieces_of_a_message_are_one_memory(store: Store) -> None:
    messages = said("I moved to Leeds. My cat is called Miso.", "ok")
    with store.write() as writer:
        writer.chats.add_conversation(CHAT)
        writer.chats.add_messages(
            messages, [2, 1], EMBEDDER.embed(["I moved to Leeds.", "My cat is called Miso.", "ok"])
        )
        tail, counts, vectors = writer.reader.chats.open_messages(CHAT.id)
    assert (len(tail), counts, vectors.shape) == (2, [2, 1], (3, 384))
    pool = pool_of(store, "My cat is called Miso.")
    assert len(pool.text) == 2
    assert pool.cosine[0] == pytest.approx(1.0)
    assert pool.mean_length == 5.0


def test_messages_around_a_hit_are_context_and_no_results(store: Store) -> None:
    remember(store, said("I moved to Leeds.", "My cat is called Miso."))
    pool = pool_of(store, "Leeds", Filter(until=START + timedelta(minutes=1)))
    assert pool.wanted.tolist() == [True, False]


def test_a_grown_open_cell_replaces_the_old_one_and_waits_for_the_model(store: Store) -> None:
    messages = said("My favourite film is...", "...The Matrix")
    first = remember(store, messages[:1])
    with store.write() as writer:
        writer.topics.put_traces(
            [(first, Traces(summary="film", facts=(fact_of(messages[0], "Ann likes films"),)))],
            EMBEDDER.embed(["x"]),
            "m",
        )
        writer.chats.add_messages(messages[1:], [1] * len(messages[1:]), vectors_of(messages[1]))
        assert writer.topics.put_open_cells(CHAT.id, [cell_of(messages)]) == 1
    with store.read() as reader:
        (cell,) = reader.topics.memcells()
        assert [message.text for message in cell.messages] == ["My favourite film is...", "...The Matrix"]
        assert cell.extraction is Extraction.PENDING
        assert reader.topics.facts() == []
        assert reader.overview.status().counts["facts"] == 0


def test_messages_of_closed_cells_are_not_cut_again(store: Store) -> None:
    messages = said("one", "two", "three")
    remember(store, messages)
    with store.write() as writer:
        writer.topics.put_open_cells(CHAT.id, [cell_of(messages[:2], is_open=False), cell_of(messages[2:])])
        tail, _, vectors = writer.reader.chats.open_messages(CHAT.id)
    assert [message.text for message in tail] == ["three"]
    assert vectors.shape == (1, 384)


def test_traces_are_stored_with_their_sources_and_replace_earlier_ones(store: Store) -> None:
    messages = said("I flew to Lisbon.")
    cell = remember(store, messages)
    fact = fact_of(messages[0], "Ann flew to Lisbon")
    episode = episode_of(cell, "Ann told of a trip.")
    traces = Traces(summary="A trip", episodes=(episode,), facts=(fact,))
    for _ in range(2):
        with store.write() as writer:
            writer.topics.put_traces([(cell, traces)], vectors_of(episode, fact), "tiny")
    with store.read() as reader:
        assert reader.topics.facts() == [fact]
        assert reader.topics.episodes() == [episode]
        (stored,) = reader.topics.memcells()
        assert (stored.extraction, stored.summary) == (Extraction.DONE, "A trip")
    pool = pool_of(store, "lisbon", Filter(kinds=(Kind.FACT,)))
    with store.read() as reader:
        (found,) = reader.candidates.evidence([(int(pool.head[row]), 1.0) for row in np.flatnonzero(pool.wanted)])
    assert (found.kind, found.messages) == (Kind.FACT, tuple(messages))


def test_a_failed_cell_is_recorded_and_waits(store: Store) -> None:
    cell = remember(store, said("hello"))
    with store.write() as writer:
        writer.topics.mark_failed(cell.event_id, "no usable reply")
    with store.read() as reader:
        assert reader.topics.pending_ids() == [cell.event_id]
        assert reader.topics.failures() == {cell.event_id: "no usable reply"}


def test_users_see_only_their_own_and_shared_chats(store: Store) -> None:
    other = replace(CHAT, id="conv-2", key="k2", user_id="u2")
    remember(store, said("I eat meat."))
    remember(store, said("I eat plants.", conversation=other, user_id="u2"), other)
    assert found_texts(store, "eat", Filter(user_id="u2")) == ["I eat plants."]
    assert found_texts(store, "eat", Filter(user_id="default")) == ["I eat meat."]


def test_as_of_ends_facts_and_known_at_hides_what_was_told_later(store: Store) -> None:
    messages = said("I take antibiotics for ten days.")
    cell = remember(store, messages)
    told = messages[0].said_at
    fact = fact_of(messages[0], "Ann takes antibiotics", start=told, end=told + timedelta(days=10))
    with store.write() as writer:
        writer.topics.put_traces([(cell, Traces(summary="", facts=(fact,)))], vectors_of(fact), "m")
    facts = Filter(kinds=(Kind.FACT,))
    day5, day20 = told + timedelta(days=5), told + timedelta(days=20)
    assert found_texts(store, "antibiotics", replace(facts, as_of=day5, ended=False))
    assert not found_texts(store, "antibiotics", replace(facts, as_of=day20, ended=False))
    assert found_texts(store, "antibiotics", replace(facts, as_of=day20))
    assert not found_texts(store, "antibiotics", replace(facts, known_at=told - timedelta(days=1)))


def test_an_id_prefix_that_is_ambiguous_or_unknown_is_refused(store: Store) -> None:
    remember(store, said("one", "two"))
    with store.read() as reader:
        with pytest.raises(UsageError, match="several"):
            reader.records.resolve("msg-")
        with pytest.raises(UsageError, match="not in this memory"):
            reader.records.resolve("nothing")


def test_the_file_is_private_and_stays_one_file(store: Store) -> None:
    remember(store, said("secret"))
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert [path.name for path in store.path.parent.iterdir()] == [store.path.name]


def test_another_embedder_is_refused_with_advice(store: Store) -> None:
    with store.read() as reader, pytest.raises(StoreError) as refused:
        reader.meta.check_embedder("other", 384)
    assert "--embedder words" in refused.value.hint


def test_vectors_of_another_length_can_be_kept(tmp_path: Path) -> None:
    wide = WordEmbedder("wide", 512)
    store = Store(tmp_path / "wide.duckdb", timeout=1)
    store.create(wide.name, wide.dimension)
    messages = said("hello")
    with store.write() as writer:
        writer.chats.add_conversation(CHAT)
        writer.chats.add_messages(messages, [1] * len(messages), wide.embed(["hello"]))
    vector = wide.embed(["hello"])[0]
    with store.read() as reader:
        assert reader.candidates.pool([], lambda: np.stack([vector, vector]), Filter(), 1, 1).cosine[
            0
        ] == pytest.approx(1.0)


def test_a_missing_file_says_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as refused, Store(tmp_path / "none.duckdb", 0.1).read():
        pass
    assert "evermem ingest" in refused.value.hint


def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.duckdb"
    path.write_bytes(b"not a database" * 1000)
    with pytest.raises(StoreError, match="not a usable DuckDB file"), Store(path, 0.1).read():
        pass


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "foreign.duckdb"
    duckdb.connect(str(path)).close()
    with pytest.raises(StoreError, match="not a memory of evermem"), Store(path, 0.1).read():
        pass


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        ("drop table postings", "the table postings"),
        ("drop table messages", "the table messages"),
        ("alter table messages drop column text", "the column text of messages"),
    ],
)
def test_a_memory_that_lacks_a_table_or_a_column_is_refused(store: Store, damage: str, what: str) -> None:
    with duckdb.connect(str(store.path)) as connection:
        connection.execute(damage)
    for opening in (store.read, store.write):
        with pytest.raises(StoreError, match=f"damaged: it lacks {what}$") as refused, opening():
            pass
        assert "doctor --deep" in refused.value.hint


def test_a_memory_whose_version_is_no_number_is_refused(store: Store) -> None:
    connection = duckdb.connect(str(store.path))
    connection.execute("update meta set value = 'x' where key = 'schema_version'")
    connection.close()
    with pytest.raises(StoreError, match="not a memory of evermem"), Store(store.path, 0.1).read():
        pass


def test_a_file_of_a_newer_version_is_refused(store: Store) -> None:
    connection = duckdb.connect(str(store.path))
    connection.execute("update meta set value = '99' where key = 'schema_version'")
    connection.close()
    with pytest.raises(StoreError, match="newer evermem"), store.read():
        pass


def other_process(body: str, path: Path) -> subprocess.Popen[str]:
    code = """
        import sys, time
        from pathlib import Path
        from evermem_cli.store import Store
        store = Store(Path(sys.argv[1]), 1.0)
    """
    script = textwrap.dedent(code) + textwrap.dedent(body)
    return subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_a_file_held_by_another_process_is_named_after_the_wait(store: Store) -> None:
    holder = other_process("with store.write() as w:\n    print('held', flush=True)\n    time.sleep(60)", store.path)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreBusy, match=str(holder.pid)), store.read():
            pass
    finally:
        holder.kill()
        holder.communicate()


def test_a_file_stays_locked_for_whoever_reads_it_while_it_is_read_once_more(store: Store) -> None:
    with store.read():
        assert store.embedder == EMBEDDER.name
        with store.read() as reader:
            assert not reader.names.owners()
        writer = other_process("with store.write():\n    pass", store.path)
        _, refusal = writer.communicate()
    assert writer.returncode != 0
    assert f"in use by process {os.getpid()}" in refusal


@pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
def test_a_file_stays_locked_for_whoever_reads_it_while_it_is_copied(store: Store) -> None:
    remember(store, said("lasting words"))
    copy = store.path.with_name("copy.duckdb")
    with store.read() as reader:
        assert replace(store, timeout=0.0).backup(copy, force=False)["messages"] == 1
        assert not can_be_written(store.path)
        assert len(reader.names.owners()) == 1
    assert can_be_written(store.path)
    assert found_texts(Store(copy, 1.0), "lasting") == ["lasting words"]


def test_a_write_within_a_reading_is_refused(store: Store) -> None:
    with store.read(), pytest.raises(StoreBusy, match="this command itself"), store.write():
        pass
    remember(store, said("lasting words"))
    assert found_texts(store, "lasting") == ["lasting words"]


def test_a_writer_killed_mid_transaction_leaves_what_was_committed(store: Store) -> None:
    messages = said("lasting words")
    remember(store, messages)
    body = """
        with store.write() as w:
            w.connection.execute("delete from messages")
            w.connection.execute("delete from postings")
            print("ready", flush=True)
            time.sleep(60)
    """
    victim = other_process(body, store.path)
    assert victim.stdout is not None
    assert victim.stdout.readline() == "ready\n"
    os.kill(victim.pid, signal.SIGKILL)
    victim.communicate()
    assert found_texts(store, "lasting") == ["lasting words"]


def test_an_error_inside_a_write_leaves_nothing_half_written(store: Store) -> None:
    with pytest.raises(RuntimeError), store.write() as writer:
        writer.chats.add_conversation(CHAT)
        raise RuntimeError
    with store.read() as reader:
        assert reader.chats.of("default") == []


def test_many_messages_are_stored_in_bulk(store: Store) -> None:
    messages = said(*(f"message {i}" for i in range(2000)))
    vectors = np.full((2000, 384), 384**-0.5, dtype=np.float32)
    with store.write() as writer:
        writer.chats.add_conversation(CHAT)
        writer.chats.add_messages(messages, [1] * len(messages), vectors)
    with store.read() as reader:
        assert reader.overview.status().counts["messages"] == 2000


def test_messages_are_seen_through_the_best_fact_and_the_episode_made_of_them(store: Store) -> None:
    messages = said("I bought one there yesterday.", "What a day that was.")
    cell = remember(store, messages)
    before = views_of(store, "kayak")
    assert np.isnan([before.fact, before.episode]).all()
    facts = (fact_of(messages[0], "Ann bought a kayak"), fact_of(messages[0], "Ann was in Ulm"))
    episode = episode_of(cell, "A day of kayaks.")
    with store.write() as writer:
        writer.topics.put_traces(
            [(cell, Traces(summary="", episodes=(episode,), facts=facts))], vectors_of(episode, *facts), "m"
        )
    views = views_of(store, "kayak")
    asked, by_fact, by_episode = EMBEDDER.embed(["kayak", facts[0].search_text, episode.search_text])
    assert views.fact == pytest.approx([float(asked @ by_fact), np.nan], abs=1e-6, nan_ok=True)
    assert views.episode == pytest.approx([float(asked @ by_episode)] * 2, abs=1e-6)


def test_an_owner_reads_every_episode_and_a_participant_the_groups_and_their_own(store: Store) -> None:
    messages = said("Lunch on Thursday?", user_id="Bob")
    cell = remember(store, messages)
    episodes = tuple(episode_of(cell, "Lunch on Thursday.", owner) for owner in (None, "Bob", "Cem"))
    with store.write() as writer:
        writer.topics.put_traces([(cell, Traces(summary="", episodes=episodes))], vectors_of(*episodes), "m")
    with store.read() as reader:
        assert [episode.user_id for episode in reader.topics.episodes_for("default")] == [None, "Bob", "Cem"]
        assert [episode.user_id for episode in reader.topics.episodes_for("bob")] == [None, "Bob"]
        assert reader.topics.episodes_for("dora") == []
    kind = Filter(kinds=(Kind.EPISODE,))
    assert len(found_texts(store, "lunch", replace(kind, user_id="default"))) == 3
    assert len(found_texts(store, "lunch", replace(kind, user_id="bob"))) == 2


def test_writing_holds_little_memory_and_puts_the_rest_beside_the_file(store: Store) -> None:
    asked = "select current_setting('memory_limit'), current_setting('temp_directory')"
    found = {}
    for write in (True, False):
        with connection.connected(store.path, write=write, timeout=1) as opened:
            found[write] = opened.execute(asked).fetchall()[0]
    assert found[True][0] == "488.2 MiB" != found[False][0]
    assert Path(found[True][1]).parent == Path(found[False][1]).parent != Path.cwd()
    assert [path.name for path in store.path.parent.iterdir() if path != store.path] == []
