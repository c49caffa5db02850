"""How memories fade, are strengthened by being shown, are archived and come back."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evermem_cli.memory import AccessEntry, Fading, Filter, Kind, Selection, Strength
from evermem_cli.recollection.search.find import look_up
from evermem_cli.store import Store
from evermem_cli.store.file.journal import LONG, Journal
from tests.cli.test_main import Shell
from tests.recollection.searching import search
from tests.support.lives import EMBEDDER, START, conversation, live, messages

CHAT = conversation("chat")
CAT, RAIN = "My cat is called Miso", "It rains in Leeds today"
WEEK, YEAR = timedelta(weeks=1), timedelta(days=365)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Two messages said in March 2025, with a fact of each, written just now."""
    made = Store(tmp_path / "memory.duckdb", timeout=1)
    live(made, CHAT, messages(CHAT, CAT, RAIN))
    return made


def fact(store: Store, word: str = "Miso") -> str:
    with store.read() as reader:
        return next(fact.id for fact in reader.topics.facts() if word in fact.atomic_fact)


def strength(store: Store, memory_id: str, clock: datetime) -> Strength:
    with store.read() as reader:
        return reader.strengths.at([memory_id], clock)[memory_id]


def later(time: timedelta) -> datetime:
    return datetime.now(UTC) + time


def found(store: Store, where: Filter) -> set[str]:
    return {evidence.id for evidence in look_up("cat Miso", store, EMBEDDER, where, 20).items}


def test_a_new_memory_fades_by_a_twentieth_a_week(store: Store) -> None:
    miso = fact(store)
    assert strength(store, miso, later(timedelta())).strength == pytest.approx(1, abs=1e-4)
    assert strength(store, miso, later(4 * WEEK)).strength == pytest.approx(0.8145, abs=1e-4)
    assert not strength(store, miso, later(44 * WEEK)).archived
    assert strength(store, miso, later(45 * WEEK)).archived


def test_at_a_moment_before_it_was_written_a_memory_has_faded_since_it_was_said(store: Store) -> None:
    assert strength(store, fact(store), START + timedelta(minutes=1) + 4 * WEEK).strength == pytest.approx(
        0.8145, abs=1e-4
    )


def test_an_old_chat_that_is_read_today_is_not_archived(store: Store) -> None:
    assert look_up("Miso", store, EMBEDDER, Filter(), 5).archived == 0
    assert fact(store) in {each.id for each in search("Miso", store, EMBEDDER, Filter(kinds=(Kind.FACT,)), 5)}


def test_asking_about_the_past_archives_nothing(store: Store) -> None:
    assert found(store, Filter(as_of=START + YEAR))


def test_what_is_archived_is_found_only_if_asked_for(store: Store) -> None:
    late = later(YEAR)
    looked = look_up("Miso", store, EMBEDDER, Filter(as_of=late), 20)
    assert looked.items == ()
    assert looked.archived == 7  # two messages, two facts, two foresights, one episode
    assert found(store, Filter(as_of=late, archived=True))


def test_shown_memories_are_stronger_and_stay(store: Store) -> None:
    miso = fact(store)
    store.note_access([miso])
    store.note_access([miso])
    now = strength(store, miso, datetime.now(UTC))
    assert now.strength == pytest.approx(1.4, abs=1e-3)
    assert now.access_count == 2
    assert now.last_accessed is not None
    assert found(store, Filter(as_of=later(50 * WEEK))) == {miso}


def test_what_was_shown_is_found_in_the_same_order_again(store: Store) -> None:
    before = look_up("cat Miso", store, EMBEDDER, Filter(), 20).items
    assert len(before) > 1
    store.note_access([before[-1].id] * 40)
    after = look_up("cat Miso", store, EMBEDDER, Filter(), 20).items
    assert [(item.id, item.score) for item in after] == [(item.id, item.score) for item in before]


def test_a_search_does_not_fail_where_a_long_journal_cannot_be_merged(store: Store) -> None:
    miso = fact(store)
    store.path.write_bytes(b"damaged")
    while not store.journal.is_long:
        store.note_access([miso] * 100)
    store.note_access([miso])
    assert store.journal.is_long


def test_the_next_who_writes_takes_the_journal_in(store: Store) -> None:
    miso = fact(store)
    store.note_access([miso])
    before = strength(store, miso, later(WEEK))
    with store.write():
        pass
    assert store.journal.read() == b""
    after = strength(store, miso, later(WEEK))
    assert after.strength == pytest.approx(before.strength, abs=1e-4)
    assert (after.access_count, after.last_accessed) == (1, before.last_accessed)
    assert found(store, Filter(as_of=later(46 * WEEK))) == {miso}


def test_a_journal_is_kept_when_the_write_fails(store: Store) -> None:
    store.note_access([fact(store)])
    with pytest.raises(ZeroDivisionError), store.write():
        raise ZeroDivisionError
    assert strength(store, fact(store), datetime.now(UTC)).access_count == 1


def test_the_greatest_strength_is_five(store: Store) -> None:
    miso = fact(store)
    for _ in range(40):
        store.note_access([miso])
    assert strength(store, miso, datetime.now(UTC)).strength == pytest.approx(5, abs=1e-3)


def test_an_access_is_noted_while_another_process_has_the_file(store: Store) -> None:
    """Also by a journal that is long enough to be taken in: who was shown something does not wait for it."""
    miso = fact(store)
    writing = "import sys; from pathlib import Path; from evermem_cli.store import Store\n"
    writing += "with Store(Path(sys.argv[1]), 1).write(): print('holds it', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", writing, str(store.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout
        other.stdout.readline()
        store.note_access([miso] * (LONG // len(miso)))
    assert len(store.journal.accesses(store.journal.read())) == LONG // len(miso)


def test_a_long_journal_is_taken_in_by_who_reads(store: Store) -> None:
    miso = fact(store)
    store.note_access([miso] * (LONG // len(miso)))
    assert store.journal.read() == b""
    assert strength(store, miso, datetime.now(UTC)).access_count == LONG // len(miso)


def test_a_line_that_was_cut_off_counts_for_nothing() -> None:
    assert Journal(Path("none")).accesses(b"2026-01-01T00:00:00.5 a b\n2026-01-01T00:0") == [
        ("a", datetime(2026, 1, 1, 0, 0, 0, 500000)),
        ("b", datetime(2026, 1, 1, 0, 0, 0, 500000)),
    ]


@pytest.mark.parametrize(
    "told",
    [
        '"x"',
        '{"agent": "x"}',
        '{"agent": 1, "reason": "", "command": "", "sensitive": true}',
        '{"agent": "\\udce9", "reason": "", "command": "", "sensitive": true}',
        '{"agent": "x", "reason": "", "command": "", "sensitive": 1}',
        "{",
    ],
)
def test_a_line_of_who_read_that_nobody_can_have_written_counts_for_nothing(told: str) -> None:
    assert Journal(Path("none")).logged(f"2026-01-01T00:00:00 {told}\n".encode()) == []


def test_the_journal_tells_who_read_as_they_said_it(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "accesses")
    entry = AccessEntry(
        read_at=datetime(2026, 1, 1, 0, 0, 0, 5, tzinfo=UTC),
        agent="a b",
        reason="two\nlines \x85\u2028 of {}",
        command="search",
        sensitive=True,
    )
    journal.append(["msg-1", "msg-2"])
    journal.log(entry)
    held = journal.read()
    assert journal.logged(held) == [entry]
    assert [memory for memory, _ in journal.accesses(held)] == ["msg-1", "msg-2"]


def test_the_journal_is_its_owners_and_a_folder_without_it_can_be_read(store: Store) -> None:
    store.note_access([fact(store)])
    assert store.journal.path.stat().st_mode & 0o777 == 0o600
    elsewhere = Store(Path("/proc/memory.duckdb"), timeout=0)
    elsewhere.note_access(["nobody"])


def test_forgetting_leaves_no_access_behind(store: Store) -> None:
    miso, rain = fact(store), fact(store, "rains")
    store.note_access([miso, rain])
    store.forget(Selection(user_id="default", words=("miso",)))
    assert store.journal.read() == b""
    with store.read() as reader:
        assert list(reader.strengths.at([miso, rain], datetime.now(UTC))) == []  # what stays of the cell is formed anew


def test_restoring_brings_a_memory_back_with_its_messages(store: Store) -> None:
    soon = Store(store.path, 1, fading=Fading(decay=0.01, archive_below=1))
    assert found(soon, Filter()) == set()
    assert store.restore([fact(store)]) == 0  # where it has not faded
    assert soon.restore([fact(store)]) == 3  # its foresight too
    assert strength(store, fact(store), datetime.now(UTC)).access_count == 0


def test_nothing_fades_where_the_settings_say_so(store: Store) -> None:
    for fading in (Fading(decay=1), Fading(archive_below=0)):
        assert found(Store(store.path, 1, fading=fading), Filter(as_of=later(20 * YEAR)))


def test_the_command_line_lists_what_is_archived_and_restores_it(store: Store) -> None:
    shell = Shell(store.path)
    faded = later(timedelta(days=316)).isoformat()
    (miso,) = [each for each in shell.json("list", "facts")["facts"] if "Miso" in each["atomic_fact"]]
    assert (miso["strength"], miso["access_count"], miso["archived"]) == (1.0, 0, False)
    now = shell.json("list", "facts", "--as-of", faded)
    assert (now["facts"], now["archived"]) == ([], 2)
    archived = shell.json("list", "facts", "--as-of", faded, "--archived")["facts"]
    assert [each["archived"] for each in archived] == [True, True]
    assert "archived" in shell("list", "facts", "--as-of", faded, "--archived").stdout
    assert "2 memories are archived" in shell("list", "facts", "--as-of", faded).stderr
    assert shell("list", "scenes", "--archived").returncode == 2
    assert shell("restore", miso["id"]).stdout == f"not archived: {miso['id']}\n"
    done = shell("restore", miso["id"], EVERMEM_DECAY="0.01", EVERMEM_ARCHIVE_BELOW="1")
    assert done.stdout == "3 memories as strong as new\n"
    shown = json.dumps(shell.json("show", miso["id"]))
    assert '"strength": 1.0' in shown
