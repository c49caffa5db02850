import os
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from evermem_cli.errors import UsageError
from evermem_cli.memory import Forgotten, Message, Selection
from evermem_cli.store import Store
from evermem_cli.store.file import connection
from evermem_cli.store.lifecycle import forget
from tests.support.lives import EMBEDDER, START, cell_of, conversation, live, messages, traces_of
from tests.support.logs import left_in_log
from tests.support.tables import rows

SECRET = "xylophone"
CHAT = conversation("music")
MINE = Selection(user_id="default")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "memory.duckdb", timeout=0.3)


@pytest.fixture
def topics(store: Store) -> list[list[Message]]:
    """One topic that keeps a message when the secret goes, one that loses all, one that has nothing of it."""
    said = messages(
        CHAT, "I bought a xylophone.", "It rains.", "My xylophone is red.", "I moved to Leeds.", "My cat is Miso."
    )
    found = [said[:2], said[2:3], said[3:]]
    live(store, CHAT, *found)
    return found


def by_words(*words: str) -> Selection:
    return replace(MINE, words=words)


def values(store: Store) -> list[str]:
    """Every value of every table of the file, the index's own tables included."""
    with connection.connected(store.path, write=False, timeout=1) as opened:
        tables = opened.execute("select schema_name, table_name from duckdb_tables() where database_name = 'evermem'")
        return [
            str(value)
            for schema, table in tables.fetchall()
            for row in opened.execute(f"select * from evermem.{schema}.{table}").fetchall()
            for value in row
        ]


def count(store: Store, table: str) -> int:
    with store.read() as reader:
        return int(rows(reader, f"select count(*) as n from {table}")[0]["n"])


def test_what_was_forgotten_is_found_nowhere_in_the_file_or_beside_it(
    store: Store, topics: list[list[Message]], tmp_path: Path
) -> None:
    (tmp_path / ".memory.duckdb.1.new").write_text(SECRET)  # as a crash leaves it
    log = left_in_log(f"update conversations set title = 'all about a {SECRET}'", store.path)
    gone_ids = [message.id for message in (topics[0][0], topics[1][0])]
    assert any(SECRET in value for value in values(store))
    assert SECRET.encode() in log.read_bytes()
    store.forget(by_words(SECRET))
    assert [value for value in values(store) if SECRET[:7] in value.casefold()] == []
    assert [path.name for path in tmp_path.iterdir()] == ["memory.duckdb"]
    assert SECRET.encode() not in store.path.read_bytes().lower()
    assert set(gone_ids) <= set(values(store))  # of what went only the ids are known
    with store.read() as reader:
        assert [message.text for message in reader.messages.neighbours([topics[2][0].id], 9).values()]


def test_every_table_and_every_reference_has_its_rule(store: Store) -> None:
    """A new table, or a new column that names a row, must say what becomes of it when something is forgotten."""
    no_reference = {"user_id", "owner_id", "group_id", "external_id"}
    store.create(EMBEDDER.name, EMBEDDER.dimension)
    with connection.connected(store.path, write=False, timeout=1) as opened:
        columns = opened.execute("""
            select table_name, column_name from duckdb_columns()
            where database_name = 'evermem' and schema_name = 'main'""").fetchall()
    assert {table for table, _ in columns} == set(forget.KEYS)
    names = {name for name in forget.KEYS.values() if name} | {
        name for rule in (forget.RESTS_ON, forget.MENTIONS) for columns in rule.values() for name in columns
    }
    for table, column in columns:
        rules = (forget.RESTS_ON, forget.MENTIONS, forget.RESTS_ON_ANY, forget.RESTS_ON_ALL, forget.DRAWN_ANEW)
        ruled = {forget.KEYS[table], *(name for rule in rules for name in rule.get(table, ()))}
        refers = column in names or column.endswith(("_id", "_ids", "_by"))
        unplaced = (table, column) == ("memcells", "scene_id")
        if refers and column not in no_reference and table != "forgotten" and not unplaced:
            assert column in ruled, f"{table}.{column}: say in store/lifecycle/forget.py what becomes of it"


def test_all_that_rests_on_a_message_goes_with_it(store: Store, topics: list[list[Message]]) -> None:
    gone = store.forget(replace(MINE, ids=(topics[1][0].id,)))
    assert gone == Forgotten(
        counts={
            "conversations": 0, "messages": 1, "memcells": 1, "episodes": 1, "facts": 1, "foresights": 1,
            "scenes_changed": 1, "assertions": 1, "conflicts": 1, "interactions": 1, "rules": 1, "digests": 1,
            "corrections": 0,
        },
        pending=0,
    )  # fmt: skip
    for table in ("memcells", "assertions"):
        assert count(store, table) == 2
    assert count(store, "documents") == 3 * 4 + 2  # of each message, fact and foresight, and of each episode


def test_a_memcell_that_keeps_messages_waits_for_the_model_without_its_memories(
    store: Store, topics: list[list[Message]]
) -> None:
    gone = store.forget(replace(MINE, ids=(topics[0][0].id,)))
    assert gone.pending == 1
    rest = topics[0][1]
    with store.read() as reader:
        (pending,) = reader.topics.pending_ids()
        (cell,) = reader.topics.memcells([pending])
        assert [message.text for message in cell.messages] == ["It rains."]
        assert (cell.start_at, cell.end_at, cell.summary, cell.scene_id) == (rest.said_at, rest.said_at, "", None)
        assert reader.topics.facts([pending]) == []


def test_a_model_still_at_work_on_what_was_forgotten_cannot_bring_it_back(
    store: Store, topics: list[list[Message]]
) -> None:
    old = cell_of(topics[0])
    store.forget(by_words(SECRET))
    with store.write() as writer:
        assert writer.reader.topics.memcells([old.event_id]) == []  # what `enrich` looks at before it stores


def test_forgetting_a_fact_leaves_what_was_said(store: Store, topics: list[list[Message]]) -> None:
    fact = traces_of(cell_of(topics[1])).facts[0]
    gone = store.forget(replace(MINE, ids=(fact.id,)))
    assert (gone.counts["facts"], gone.counts["messages"], gone.counts["assertions"]) == (1, 0, 1)
    assert count(store, "messages") == 5
    with store.read() as reader:
        assert reader.topics.pending_ids() == []


def test_a_conversation_goes_with_its_last_message(store: Store, topics: list[list[Message]]) -> None:
    assert store.forget(replace(MINE, conversation="music")).counts["conversations"] == 1
    for table in forget.KEYS:
        if table not in ("meta", "forgotten"):
            assert count(store, table) == 0, table


def test_what_is_chosen_fits_all_marks(store: Store, topics: list[list[Message]]) -> None:
    other = conversation("other")
    live(store, other, messages(other, "Ben has a xylophone.", speaker="Ben", start=START + timedelta(days=1)))
    stranger = conversation("theirs", user_id="stranger")
    live(store, stranger, messages(stranger, "A xylophone of mine."))

    def chosen(**marks: object) -> int:
        return store.would_forget(replace(MINE, **marks)).counts["messages"]  # type: ignore[arg-type]

    assert chosen(words=(SECRET,)) == 3
    assert chosen(words=("xylo",)) == 0
    assert chosen(words=("RED Xylophone",)) == 1
    assert chosen(person="ben") == 1
    assert chosen(words=(SECRET,), person="ann") == 2
    assert chosen(before=START + timedelta(minutes=2)) == 1
    assert chosen(after=START + timedelta(minutes=2)) == 5
    assert chosen(conversation="conv-o") == 1
    assert chosen(conversation="music", after=START + timedelta(days=1)) == 0
    with pytest.raises(UsageError, match="not one of your conversations"):
        chosen(conversation="theirs")
    with pytest.raises(UsageError, match="no word"):
        chosen(words=("!?",))


def test_chinese_words_choose_too(store: Store) -> None:
    chat = conversation("zh")
    live(store, chat, messages(chat, "医生给我开了抗生素", "今天下雨"))
    assert store.would_forget(by_words("抗生素")).counts["messages"] == 1


def test_a_title_with_the_words_is_blanked(store: Store) -> None:
    chat = replace(conversation("c"), title="My xylophone")
    live(store, chat, messages(chat, "I bought a xylophone.", "It rains."))
    store.forget(by_words(SECRET))
    with store.read() as reader:
        assert [each.title for each in reader.chats.of("default")] == [""]


def test_looking_first_changes_nothing(store: Store, topics: list[list[Message]]) -> None:
    before = store.path.read_bytes()
    store.would_forget(by_words(SECRET))
    assert store.path.read_bytes() == before


def test_a_memory_that_is_being_read_is_waited_for(store: Store, topics: list[list[Message]]) -> None:
    body = """
import sys
from pathlib import Path
from evermem_cli.errors import StoreBusy
from evermem_cli.memory import Selection
from evermem_cli.store import Store
try:
    Store(Path(sys.argv[1]), 0.1).forget(Selection(user_id="default", person="Ann"))
except StoreBusy as busy:
    sys.exit(busy.exit_code)
"""
    with store.read() as reader:
        assert subprocess.run([sys.executable, "-c", body, str(store.path)], check=False).returncode == 5
        assert len(reader.topics.memcells()) == 3


def test_the_new_file_is_private_and_a_link_to_it_stays_one(
    store: Store, topics: list[list[Message]], tmp_path: Path
) -> None:
    link = tmp_path / "link.duckdb"
    link.symlink_to(store.path)
    Store(link, 0.3).forget(by_words(SECRET))
    assert link.is_symlink()
    assert store.path.stat().st_mode & 0o777 == 0o600
    assert count(store, "messages") == 3


def test_a_process_killed_while_forgetting_leaves_the_memory_as_it_was(
    store: Store, topics: list[list[Message]], tmp_path: Path
) -> None:
    body = f"""
import sys, time
from pathlib import Path
from evermem_cli.memory import Selection
from evermem_cli.store.lifecycle.forget import Forgetter
from evermem_cli.store.file.keys import Keys
from evermem_cli.store.file.renewal import renewed
with renewed(Path(sys.argv[1]), 1.0, Keys(), None) as opened:
    forgetter = Forgetter(opened)
    selection = Selection(user_id="default", words=("{SECRET}",))
    forgetter.select(selection)
    forgetter.carry_over(selection)
    print("ready", flush=True)
    time.sleep(60)
"""
    victim = subprocess.Popen([sys.executable, "-c", body, str(store.path)], stdout=subprocess.PIPE, text=True)
    assert victim.stdout is not None
    assert victim.stdout.readline() == "ready\n"
    os.kill(victim.pid, signal.SIGKILL)
    victim.communicate()
    assert count(store, "messages") == 5
    store.forget(by_words(SECRET))
    assert [path.name for path in tmp_path.iterdir()] == ["memory.duckdb"]


def test_a_file_of_the_first_schema_gets_the_same_tables(tmp_path: Path) -> None:
    old, new = tmp_path / "old.duckdb", Store(tmp_path / "new.duckdb", 0.3)
    with duckdb.connect(str(old)) as opened:
        opened.execute((Path(__file__).parents[1] / "schemas" / "1.sql").read_text(encoding="utf-8"))
        opened.execute("insert into meta values ('schema_version', '1'), ('dimension', '384')")
        opened.execute("""
            insert into messages select 'msg-1', 'conv-1', 1, '1', 'Ann', 'Ann', 'user', 'My cat is ill.',
                                        now()::timestamp, 0, 'explicit', null, now()::timestamp;
            insert into documents select 1, 1, 'message', 'msg-1', 'conv-1', 'Ann', now()::timestamp, null, null,
                                         'my cat is ill', list_resize([1.0], 384, 0.0)::float[384]""")
    new.create(EMBEDDER.name, EMBEDDER.dimension)
    described = []
    for path in (old, new.path):
        with connection.connected(path, write=True, timeout=1) as opened:
            described.append(
                opened.execute("""
                    select table_name, column_name, data_type, is_nullable, column_default from duckdb_columns()
                    where database_name = 'evermem' and schema_name = 'main' order by all""").fetchall()
            )
    assert described[0] == described[1]
    with connection.connected(old, write=False, timeout=1) as opened:
        assert opened.execute("select number, length, embedding[1] from documents").fetchall() == [(1, 4, 1.0)]
        assert opened.execute("select sum(times) from postings").fetchall() == [(4,)]
