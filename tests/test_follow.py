"""Chats as they happen: lines of a pipe, files that grow, and every way to stop."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from evermem_cli.config import Settings
from evermem_cli.errors import InputError
from evermem_cli.follow import Following, Watch, arrivals
from evermem_cli.ingest import Ingestion
from evermem_cli.intake.chosen import NOT_CHOSEN
from evermem_cli.intake.reports import Choice
from evermem_cli.memory import Transcript
from evermem_cli.transcripts import ReadOptions
from tests.intake.test_overlap import LINES, cells, said, session, texts
from tests.test_ingest import Memory

OPTIONS = ReadOptions(tz=UTC)


def ingestion(memory: Memory) -> Ingestion:
    made = Ingestion(memory.store, memory.embedder, memory.settings, lambda *_: None)
    made.prepare()
    return made


def as_given(settings: Settings, chats: Iterable[Transcript]) -> Settings:
    return settings


def fed(memory: Memory, *batches: str) -> Following:
    following = Following(ingestion(memory), OPTIONS, as_given)
    for batch in batches:
        following.take(batch.encode().splitlines(keepends=True))
    following.take([], ended=True)
    return following


def test_a_chat_that_comes_line_by_line_is_as_one_read_whole(tmp_path: Path) -> None:
    whole, stream = Memory(tmp_path / "a"), Memory(tmp_path / "b")
    for memory in (whole, stream):
        memory.folder.mkdir()
    whole.ingest(whole.file("".join(LINES)))
    report = fed(stream, *LINES).report
    assert (report.messages, report.new_messages, report.problems) == (24, 24, [])
    assert cells(stream) == cells(whole)
    assert fed(stream, "".join(LINES[:5]), "".join(LINES[5:])).report.new_messages == 0


@pytest.mark.parametrize(
    "first",
    [
        said(0, "I moved to Leeds"),
        "[2025-03-01 09:00] Ann: I moved to Leeds\n",
        "14/02/2026, 10:04 - Ann: I moved to Leeds\n",
        session("s", "Leeds"),
    ],
)
def test_the_first_message_is_found_before_another_comes(tmp_path: Path, first: str) -> None:
    memory = Memory(tmp_path)
    following = Following(ingestion(memory), OPTIONS, as_given)
    following.take([first.encode()])
    assert [text.split()[-1] for chat in texts(memory) for text in chat] == ["Leeds"]


def test_equal_messages_without_times_are_all_kept_and_read_once(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    lines = ["Ann: ok\n", "Bo: ok\n", "Ann: ok\n", "Ann: ok\n"]
    fed(memory, *lines)
    assert texts(memory) == [["ok"] * 4]
    assert fed(memory, *lines).report.new_messages == 0


@pytest.mark.parametrize("lines", [LINES[:3], ["Ann: ok\n", "Bo: ok\n", "Ann: ok\n"]])
def test_what_a_stream_tells_of_chats_that_were_not_chosen_is_left_out(tmp_path: Path, lines: list[str]) -> None:
    memory = Memory(tmp_path)
    chosen = replace(ingestion(memory), choice=Choice(only=("holiday",)))
    following = Following(chosen, OPTIONS, as_given)
    for line in lines:
        following.take([line.encode()])
    following.take([], ended=True)
    assert texts(memory) == []
    assert following.report.skipped == {NOT_CHOSEN: 3}


def test_a_message_of_several_lines_may_come_in_pieces(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    pieces = (LINES[0] + "[2025-03-01 09:01] Bo: I bring\n", "- the boat\n", "- the food\n" + LINES[2])
    report = fed(memory, *pieces).report
    assert (report.messages, report.new_messages, report.edited_messages, report.removed_messages) == (3, 3, 0, 0)
    assert texts(memory) == [["note 1 0", "I bring\n- the boat\n- the food", "note 1 2"]]


def test_a_message_known_by_its_beginning_is_edited_when_the_rest_comes(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    fed(memory, LINES[0], "[2025-03-01 09:01] Bo: I bring\n")
    report = fed(memory, LINES[0], "[2025-03-01 09:01] Bo: I bring\n", "- the boat\n").report
    assert (report.messages, report.new_messages, report.edited_messages, report.unchanged_messages) == (2, 0, 1, 1)
    assert texts(memory) == [["note 1 0", "I bring\n- the boat"]]


def test_a_chat_without_times_counts_a_message_in_pieces_once(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    report = fed(memory, "Ann: hi\nBo: I bring\n", "- the boat\n", "Ann: ok\n").report
    assert (report.messages, report.new_messages, report.edited_messages, report.removed_messages) == (3, 3, 0, 0)


def test_chats_mixed_in_one_stream_are_told_apart_and_an_edit_is_taken(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    other = said(1, "elsewhere", conversation_id="c2")
    report = fed(memory, said(1, "at six"), other, said(2, "fine"), said(2, "not fine"), other).report
    assert sorted(texts(memory)) == [["at six", "not fine"], ["elsewhere"]]
    assert report.edited_messages == 1


def test_a_broken_line_is_reported_once_with_its_number(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    report = fed(memory, said(1, "a"), '{"content": \n', said(2, "b"), said(3, "c")).report
    assert [problem.line for problem in report.problems] == [2]
    assert texts(memory) == [["a", "b", "c"]]


def test_what_is_no_chat_is_an_error_when_it_ends(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        fed(Memory(tmp_path), "just prose\n")


def looked(watch: Watch) -> int:
    """New messages of two looks: a file is read when it is at rest."""
    return sum(report.new_messages for _ in range(2) for report in watch.look())


def test_a_directory_is_watched_for_new_and_grown_files(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    chats = tmp_path / "chats"
    chats.mkdir()
    watch = Watch(ingestion(memory), OPTIONS, [chats], as_given)
    assert looked(watch) == 0
    (chats / "a.txt").write_text("".join(LINES[:3]))
    assert looked(watch) == 3
    with (chats / "a.txt").open("a") as file:
        file.write(LINES[3] + LINES[4][:-5])
    assert looked(watch) == 0  # the last line has no end
    with (chats / "a.txt").open("a") as file:
        file.write(LINES[4][-5:])
    (chats / "b.jsonl").write_text(said(1, "another"))
    assert looked(watch) == 3
    assert looked(watch) == 0
    assert looked(Watch(ingestion(memory), OPTIONS, [chats], as_given)) == 0
    assert memory.counts()["messages"] == 6


def test_a_look_at_which_nothing_is_new_leaves_the_memory_alone(tmp_path: Path) -> None:
    chats = tmp_path / "chats"
    chats.mkdir()
    memory = Memory(tmp_path)
    watch = Watch(ingestion(memory), OPTIONS, [chats], as_given)
    memory.store.path.unlink(missing_ok=True)
    assert watch.look() == []
    assert not memory.store.exists


def test_a_link_to_itself_is_watched_as_what_is_not_there_yet(tmp_path: Path) -> None:
    memory, chats, loop = Memory(tmp_path), tmp_path / "chats", tmp_path / "loop.txt"
    chats.mkdir()
    (chats / "loop").symlink_to(chats)
    (chats / "a.txt").write_text("[2025-03-01 09:00] Ann: I bought a xylophone.\n")
    loop.symlink_to(loop)
    watch = Watch(ingestion(memory), OPTIONS, [chats, loop], as_given)
    assert looked(watch) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_a_pipe_is_not_watched_in_vain(environment: dict[str, str], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    command = [sys.executable, "-m", "evermem_cli", "watch", "--no-llm", str(tmp_path / "pipe.txt")]
    refused = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert refused.returncode == 2
    assert "pipe.txt: neither a file nor a folder" in refused.stderr


def test_what_waits_in_the_pipe_at_a_stop_is_taken_but_for_half_a_line() -> None:
    reader, writer = os.pipe()
    os.write(writer, "".join(LINES[:2]).encode() + b"[2025-03-01 09:02] A")
    with os.fdopen(reader, "rb") as stream, os.fdopen(writer, "wb"):
        batches = list(arrivals(stream, lambda: True))
    assert [line.decode() for batch in batches for line in batch] == LINES[:2]


def test_a_topic_that_has_ended_is_ready_for_the_model_while_the_next_one_goes_on(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    following = Following(ingestion(memory), OPTIONS, as_given)
    days = [f"[2025-03-0{day} 09:0{minute}] Ann: note {day} {minute}\n" for day in (1, 8) for minute in range(3)]
    for line in days:
        following.take([line.encode()])
    with memory.store.read() as reader:
        closed, waiting = reader.topics.pending_ids(closed=True), reader.topics.pending_ids()
        (ended,) = reader.topics.memcells(closed)
    assert [message.text for message in ended.messages] == ["note 1 0", "note 1 1", "note 1 2"]
    assert len(waiting) == 2


@pytest.fixture
def environment(tmp_path: Path, minilm: Path) -> dict[str, str]:
    return {**os.environ, "EVERMEM_DB": str(tmp_path / "memory.duckdb"), "NO_COLOR": "1"}


@pytest.fixture
def following(environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "evermem_cli", "ingest", "-", "--follow", "--no-llm"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    started = {"preexec_fn": _heed_signals, **pipes}
    with subprocess.Popen(command, text=True, env=environment, **started) as process:  # type: ignore[call-overload]
        yield process
        process.kill()


def _heed_signals() -> None:
    """A job in the background ignores SIGINT, one of nohup SIGHUP, and so would what they start."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def stored(environment: dict[str, str], count: int) -> None:
    """Waits until so many messages are stored."""
    command = [sys.executable, "-m", "evermem_cli", "status", "--json"]
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode == 0 and json.loads(done.stdout)["counts"]["messages"] == count:
            return
    raise AssertionError(done.stderr or done.stdout)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_pipe_is_followed_until_a_stop_which_says_what_was_done(
    following: subprocess.Popen[str], environment: dict[str, str], how: signal.Signals
) -> None:
    assert following.stdin
    following.stdin.write(LINES[0] + LINES[1])
    following.stdin.flush()
    stored(environment, 2)
    following.stdin.write("[2025-03-01 09:02] Ann: the quixotry of it\n")
    following.stdin.flush()
    stored(environment, 3)
    following.send_signal(how)
    out, err = following.communicate(timeout=30)
    assert (following.returncode, err) == (130, "")
    assert out == "stopped; 3 messages read: 3 new; nothing that was read is lost, and `evermem enrich` does the rest\n"


def test_a_kill_leaves_a_valid_file_and_the_whole_stream_again_adds_the_rest(
    following: subprocess.Popen[str], environment: dict[str, str]
) -> None:
    assert following.stdin
    following.stdin.write(LINES[0] + LINES[1] + LINES[2][:20])
    following.stdin.flush()
    stored(environment, 2)
    following.kill()
    following.wait()
    command = [sys.executable, "-m", "evermem_cli", "ingest", "-", "--follow", "--no-llm"]
    done = subprocess.run(command, input="".join(LINES[:4]), env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "4 messages read: 2 new, 2 unchanged" in done.stdout
    stored(environment, 4)
