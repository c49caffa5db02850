"""Forgetting on the command line, as a script and as a person at a terminal meet it."""

import json
import os
import pty
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evermem_cli.engines.catalog import DEFAULT_EMBEDDER
from evermem_cli.memory import Selection
from evermem_cli.store import Store
from tests.cli.test_main import Shell
from tests.support.lives import conversation, live, messages
from tests.support.tables import execute

CHAT = conversation("music")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    store = Store(tmp_path / "memory.duckdb", 1)
    said = messages(CHAT, "I bought a xylophone.", "It rains.", "My cat is Miso.")
    live(store, CHAT, said[:2], said[2:])
    with store.write() as writer:  # as if the command itself had embedded them
        execute(writer, "update meta set value = $name where key = 'embedder'", name=DEFAULT_EMBEDDER)
    return Shell(store.path)


def test_a_dry_run_counts_and_changes_nothing(shell: Shell) -> None:
    counted = shell.json("forget", "--matching", "xylophone", "--dry-run")
    assert set(counted) >= {"dry_run", "messages", "memcells", "facts", "episodes", "foresights", "scenes_changed"}
    assert (counted["dry_run"], counted["messages"], counted["memcells_pending"]) == (True, 1, 1)
    assert shell.json("status")["counts"]["messages"] == 3


def test_a_month_without_its_year_is_the_last_and_the_day_is_told(shell: Shell) -> None:
    now = datetime.now(UTC)
    month, name = (now + timedelta(days=31)).replace(day=1), f"{now + timedelta(days=31):%B}"
    last = month.replace(year=month.year - 1)
    done = shell("forget", "--before", name, "--dry-run", EVERMEM_TZ="UTC")
    assert done.stdout.endswith(f"(before 1 {last:%B %Y})\n")
    assert shell.json("forget", "--before", name, "--dry-run")["before"] < now.isoformat()


def test_where_nobody_can_be_asked_it_takes_a_yes(shell: Shell) -> None:
    done = shell("forget", "--matching", "xylophone")
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert shell.json("status")["counts"]["messages"] == 3
    done = shell("forget", "--matching", "xylophone", "--yes")
    assert done.returncode == 0
    assert done.stdout.startswith("forgotten: 1 message, 1 topic,")
    assert "formed anew from what stays: 1 topic" in done.stdout
    assert shell.json("status")["counts"]["messages"] == 2


def test_forgetting_again_ends_what_was_killed(shell: Shell) -> None:
    Store(shell.db, 1).forget(Selection(user_id="default", words=("xylophone",)))
    assert shell.json("status")["counts"]["scenes"] == 0
    assert shell("forget", "--matching", "xylophone", "--yes").returncode == 0
    assert shell.json("status")["counts"]["scenes"] > 0


def test_what_the_other_messages_of_a_topic_say_stays_without_the_language_model(tmp_path: Path, minilm: Path) -> None:
    chat, shell = tmp_path / "chat.txt", Shell(tmp_path / "memory.duckdb")
    chat.write_text("[2025-03-01 09:00] Ann: I live in Leeds.\n[2025-03-01 09:01] Ann: I bought a xylophone.\n")
    shell.json("ingest", str(chat), "--me", "Ann", "--no-llm")
    before = shell.json("profile")["explicit_facts"]["location"]
    assert before["value"] == "Leeds"
    assert shell("forget", "--matching", "xylophone", "--yes").returncode == 0
    after = shell.json("profile")["explicit_facts"]["location"]
    assert after | {"source_scenes": []} == before | {"source_scenes": []}
    assert after["source_scenes"]


def test_what_cannot_be_formed_anew_yet_is_left_to_enrich(tmp_path: Path, minilm: Path) -> None:
    chat, shell = tmp_path / "chat.txt", Shell(tmp_path / "memory.duckdb")
    chat.write_text("[2025-03-01 09:00] Ann: I live in Leeds.\n[2025-03-01 09:01] Ann: I bought a xylophone.\n")
    shell.json("ingest", str(chat), "--me", "Ann")
    lacking = {"EVERMEM_MODELS_DIR": str(tmp_path), "EVERMEM_OFFLINE": "1"}
    done = shell("forget", "--matching", "xylophone", "--yes", **lacking)
    assert (done.returncode, done.stdout.startswith("forgotten: 1 message")) == (0, True)
    assert "what stays is formed anew by `evermem enrich`" in done.stderr
    assert shell("enrich").returncode == 0
    assert [fact["atomic_fact"] for fact in shell.json("list", "facts")["facts"]] == ["Ann lives in Leeds."]


@pytest.mark.parametrize(("reply", "left"), [(b"n\n", 3), (b"y\n", 0)])
def test_a_person_at_a_terminal_is_asked(shell: Shell, reply: bytes, left: int) -> None:
    person, terminal = pty.openpty()
    command = [sys.executable, "-m", "evermem_cli", "forget", "--person", "Ann"]
    os.write(person, reply)
    done = subprocess.run(
        command, stdin=terminal, capture_output=True, text=True, env=os.environ | {"EVERMEM_DB": str(shell.db)}
    )
    os.close(person)
    os.close(terminal)
    assert "Forget 1 conversation, 3 messages" in done.stderr
    assert done.returncode == (0 if left == 0 else 1)
    assert shell.json("status")["counts"]["messages"] == left


def test_a_selection_is_needed_and_must_be_one(shell: Shell) -> None:
    for arguments in ([], ["msg-1", "--person", "Ann"], ["nonsense"], ["--before", "someday"]):
        done = shell("forget", "--yes", *arguments)
        assert done.returncode == 2, arguments
        assert len(done.stderr.strip().splitlines()) == 1


def test_a_day_that_may_be_two_deletes_nothing(shell: Shell) -> None:
    done = shell("forget", "--after", "03/04/2025", "--yes")
    assert (done.returncode, done.stdout) == (2, "")
    assert "write 2025-03-04 or 2025-04-03" in done.stderr
    assert shell("forget", "--after", "13/04/2025", "--dry-run").returncode == 0
    assert shell.json("status")["counts"]["messages"] == 3


def test_a_time_that_ends_before_it_begins_deletes_nothing(shell: Shell) -> None:
    done = shell("forget", "--after", "2025-03-20T10:00", "--before", "2025-03-20", "--yes")
    assert (done.returncode, done.stdout) == (2, "")
    assert "after 2025-03-20T10:00 is later than before 2025-03-20" in done.stderr


def test_a_person_is_found_by_the_names_that_search_takes(shell: Shell) -> None:
    store = Store(shell.db, 1)
    said = [(name, messages(conversation(name), f"{name} is in.", speaker=name)) for name in ("Felix Ek", "Felix Ohm")]
    for name, told in said[:1]:
        live(store, conversation(name), told)
    for name in ("Felix", "felix ek"):
        counted = shell.json("forget", "--person", name, "--dry-run")
        assert (counted["messages"], counted["people"]) == (1, ["Felix Ek"]), name
    assert "(messages of Felix Ek)" in shell("forget", "--person", "Felix", "--dry-run").stdout
    live(store, conversation("Felix Ohm"), said[1][1])
    for command in (("forget", "--dry-run"), ("search", "in")):
        done = shell(*command, "--person", "Felix")
        assert (done.returncode, "Felix Ek, Felix Ohm" in done.stderr) == (2, True)
        done = shell(*command, "--person", "Sam")
        assert (done.returncode, "nobody called Sam speaks" in done.stderr) == (2, True)
    assert shell("forget", "--person", "", "--dry-run").returncode == 2


def test_all_names_of_a_person_select_the_same_messages(shell: Shell) -> None:
    store = Store(shell.db, 1)
    for name in ("Annie Ek", "Mum", "Felix Ek"):
        live(store, conversation(name), messages(conversation(name), f"{name} is in.", speaker=name))
    with store.write() as writer:  # as `evermem me Ann "Annie Ek"` does
        execute(writer, "update messages set user_id = 'default' where speaker = 'Annie Ek'")
        execute(writer, "update documents set user_id = 'default' where user_id = 'Annie Ek'")
        execute(writer, "insert into merged select 'default', 'Mum', 'Felix Ek', now()")
    for one, other, count in (("Ann", "Annie Ek", 4), ("Mum", "Felix", 2)):
        counted = [shell.json("forget", "--person", name, "--dry-run") for name in (one, other)]
        assert counted[0] == counted[1]
        assert (counted[0]["messages"], len(counted[0]["people"])) == (count, 2)


def test_forgetting_what_is_not_there_is_no_error(shell: Shell) -> None:
    done = shell("forget", "--matching", "trombone")
    assert (done.returncode, done.stdout.strip()) == (0, "no memory matches")
    assert json.loads(shell("forget", "--matching", "trombone", "--json").stdout)["messages"] == 0


def test_an_export_goes_to_stdout_or_to_a_file_of_ones_own(shell: Shell, tmp_path: Path) -> None:
    lines = shell("export").stdout
    assert [json.loads(line)["type"] for line in lines.splitlines()][:2] == ["memory", "conversation"]
    written = tmp_path / "memory.jsonl"
    assert shell("export", "-o", str(written)).stdout == ""
    assert written.read_text(encoding="utf-8") == lines
    assert written.stat().st_mode & 0o777 == 0o600
    done = shell("export", "-o", str(written))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert shell("export", "-o", str(written), "--force").returncode == 0
    assert shell("export", "-o", str(tmp_path / "nowhere" / "x")).returncode == 2


def test_an_export_is_imported_or_its_wrong_line_named(shell: Shell, tmp_path: Path, minilm: Path) -> None:
    (tmp_path / "memory.jsonl").write_text(shell("export").stdout, encoding="utf-8")
    new = Shell(tmp_path / "new.duckdb")
    done = new("import", str(tmp_path / "wrong.jsonl"))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    done = new("import", "-", stdin=(tmp_path / "memory.jsonl").read_text(encoding="utf-8").replace("It rains.", "\\x"))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "not JSON" in done.stderr
    assert new.json("import", str(tmp_path / "memory.jsonl"))["imported"]["message"] == 3
    assert new.json("search", "cat")["results"][0]["text"] == "My cat is Miso."


def test_a_backup_is_used_like_any_memory(shell: Shell, tmp_path: Path) -> None:
    done = shell.json("backup", str(tmp_path / "copy.duckdb"))
    assert done["rows"]["messages"] == 3
    assert Shell(tmp_path / "copy.duckdb")("export").stdout == shell("export").stdout
    assert shell("backup", str(tmp_path / "copy.duckdb")).returncode == 2
