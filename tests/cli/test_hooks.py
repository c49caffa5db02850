"""What the end of an assistant's session does to memory."""

import json
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest
from filelock import FileLock

from evermem_cli.cli.actions import hooks
from evermem_cli.cli.shared import hook_failure
from evermem_cli.cli.shared.engines import Engines
from evermem_cli.cli.shared.forming import form_with_model
from evermem_cli.cli.shared.session import Session
from evermem_cli.config import Doer, TaskName
from evermem_cli.config.values import MemoryFile
from evermem_cli.engines import Llm
from evermem_cli.engines.catalog import DEFAULT_EMBEDDER
from evermem_cli.engines.embedder import PassageEmbedder
from evermem_cli.errors import ModelError, StoreBusy
from tests.cli.test_main import Shell
from tests.mcp.test_connect import EVENT, SAID
from tests.support.fakes import WordEmbedder
from tests.support.scripted import ScriptedLlm
from tests.test_ingest import CHAT, Memory, a_narrator

SECRET = "My cat is called Biscuit"


@dataclass
class FakeEngines(Engines):
    """The models of a machine that has a scripted language model."""

    @property
    def has_llm(self) -> bool:
        return True

    @property
    def llm(self) -> Llm:
        return ScriptedLlm(a_narrator)

    @property
    def embedder(self) -> PassageEmbedder:
        return cast(PassageEmbedder, WordEmbedder(DEFAULT_EMBEDDER))


@dataclass
class BrokenEngines(FakeEngines):
    """Models of which the language model fails with words of a chat, as a server may."""

    @property
    def llm(self) -> Llm:
        raise ModelError(f"the server refused: {SECRET}")


WRITES: dict[TaskName, Doer] = {"titles": "model"}


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """A memory with a chat whose memories the user has put off."""
    memory = Memory(tmp_path)
    memory.ingest(memory.file(CHAT))
    return memory


def end(memory: Memory) -> Callable[[], None]:
    """What ends a session of Claude Code."""
    path = memory.file(json.dumps(EVENT | {"message": SAID}) + "\n", "session.jsonl")
    settings = replace(memory.settings, db=MemoryFile(memory.store.path), models_dir=memory.folder, tasks=WRITES)

    def no_console() -> None:
        raise AssertionError("nothing is downloaded")

    engines = FakeEngines(settings, console=no_console, note=lambda line: None)  # type: ignore[arg-type]
    return lambda: hooks.ingest(Session(settings, lent=engines), path)


def waiting(memory: Memory) -> list[str]:
    """The topics that wait for the language model."""
    with memory.store.read() as reader:
        return reader.topics.pending_ids()


def test_the_end_of_a_session_forms_memories_of_this_session_alone(memory: Memory) -> None:
    put_off = waiting(memory)
    end(memory)()
    assert waiting(memory) == put_off
    assert memory.counts()["facts"] > 0


def test_one_ended_session_at_a_time_has_a_language_model(memory: Memory) -> None:
    ending = threading.Thread(target=end(memory))
    with FileLock(memory.folder / hooks.LOCK):
        ending.start()
        deadline = time.monotonic() + 60
        while len(waiting(memory)) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert len(waiting(memory)) == 2
        assert ending.is_alive()
    ending.join(60)
    assert len(waiting(memory)) == 1


def ending(shell: Shell, transcript: Path) -> subprocess.CompletedProcess[str]:
    """What `hook session-end` starts, here without leaving this process behind."""
    return shell("hook", "ingest", str(transcript), EVERMEM_OFFLINE="1")


@pytest.fixture
def shell(tmp_path: Path, minilm: Path) -> Shell:
    """A memory with a chat."""
    shell = Shell(tmp_path / "memory.duckdb")
    assert shell("ingest", "--no-llm", "-", stdin=CHAT).returncode == 0
    assert shell.json("status")["hook_failure"] is None
    return shell


def test_a_session_that_cannot_be_ingested_is_told_by_status_and_doctor(shell: Shell, tmp_path: Path) -> None:
    damaged = tmp_path / "odd name.jsonl"
    damaged.write_text(f"{SECRET} {{\n")
    assert ending(shell, damaged).returncode == 1
    kept = hook_failure.beside(shell.db)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert "Biscuit" not in kept.read_text()
    failure = shell.json("status")["hook_failure"]
    assert failure["reason"] == f"{damaged}: no message of it could be read"
    assert failure["advice"] == f"`evermem ingest '{damaged}'` tries again"
    [line] = [line for line in shell("status").stdout.splitlines() if "was not ingested" in line]
    assert failure["reason"] in line and failure["advice"] in line and str(datetime.now(UTC).year) in line
    [check] = [check for check in json.loads(shell("doctor", "--json").stdout)["checks"] if check["name"] == "hooks"]
    assert not check["ok"]
    assert failure["reason"] in check["found"]
    assert "hook_failure" not in shell("status", "--as", "tester").stdout
    assert "was not ingested" not in shell("status", "--as", "tester").stdout


def test_a_later_session_clears_the_failure_of_one_that_is_gone_and_of_no_other(memory: Memory) -> None:
    settings = replace(memory.settings, db=MemoryFile(memory.store.path))
    earlier = memory.file("{", "earlier.jsonl")
    hook_failure.keep(settings.db, StoreBusy("m.duckdb is locked"), str(earlier))
    end(memory)()
    failure = hook_failure.last(settings)
    assert failure is not None
    assert failure.settled_by == str(earlier)
    earlier.unlink()
    end(memory)()
    assert hook_failure.last(settings) is None


SUMMARY = json.dumps({"type": "summary", "summary": "Naming the kraken", "leafUuid": "6c1e"}) + "\n"
SNAPSHOT = json.dumps({"type": "file-history-snapshot", "messageId": "a1", "snapshot": {}}) + "\n"
META = json.dumps(EVENT | {"isMeta": True, "message": SAID}) + "\n"


@pytest.mark.parametrize("said", ["", META, SUMMARY, SNAPSHOT, SUMMARY + SNAPSHOT])
def test_a_session_in_which_nothing_was_said_is_no_failure(said: str, shell: Shell, tmp_path: Path) -> None:
    session = tmp_path / "session.jsonl"
    session.write_text(said)
    assert ending(shell, session).returncode == 0
    assert shell.json("status")["hook_failure"] is None


def test_ingesting_the_session_by_hand_settles_its_failure_and_another_file_does_not(
    shell: Shell, tmp_path: Path
) -> None:
    session, other = tmp_path / "session.jsonl", tmp_path / "other.jsonl"
    session.write_text("{")
    other.write_text(json.dumps(EVENT | {"message": SAID}) + "\n")
    assert ending(shell, session).returncode == 1
    shell("ingest", "--no-llm", str(other))
    assert hook_failure.beside(shell.db).exists()
    shell("ingest", "--no-llm", str(session))
    assert hook_failure.beside(shell.db).exists(), "it is still damaged"
    session.write_text(json.dumps(EVENT | {"message": SAID}) + "\n")
    shell("ingest", "--no-llm", str(session))
    assert not hook_failure.beside(shell.db).exists()


def test_an_event_without_a_session_is_kept_and_does_not_fail_the_client(shell: Shell, tmp_path: Path) -> None:
    gone = tmp_path / "gone.jsonl"
    ended = shell("hook", "session-end", stdin=json.dumps({"transcript_path": str(gone)}))
    assert (ended.returncode, ended.stdout) == (0, "")
    failure = shell.json("status")["hook_failure"]
    assert failure["reason"] == f"{gone}: the transcript that the event names is not there"
    assert failure["advice"] == "`evermem ingest FILE` tries again"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KeyError(SECRET), "a fault of evermem (KeyError)"),
        (ValueError(SECRET), "a fault of evermem (ValueError)"),
        (OSError(28, "No space left on device", SECRET), "No space left on device"),
        (MemoryError(SECRET), "not enough memory"),
        (StoreBusy("m.duckdb is locked by another process"), "m.duckdb is locked by another process"),
    ],
)
def test_no_words_of_a_chat_are_kept_of_an_error(error: Exception, reason: str, memory: Memory) -> None:
    settings = replace(memory.settings, db=MemoryFile(memory.store.path))
    with pytest.raises(type(error)), hook_failure.kept(settings.db, "/session.jsonl"):
        raise error
    failure = hook_failure.last(settings)
    assert failure is not None
    assert failure.reason == reason
    assert SECRET not in hook_failure.beside(settings.db).read_text()


def test_a_model_that_fails_is_told_without_its_words_and_enriching_settles_it(memory: Memory) -> None:
    path = memory.file(json.dumps(EVENT | {"message": SAID}) + "\n", "session.jsonl")
    settings = replace(memory.settings, db=MemoryFile(memory.store.path), models_dir=memory.folder, tasks=WRITES)

    def no_console() -> None:
        raise AssertionError("nothing is downloaded")

    engines = BrokenEngines(settings, console=no_console, note=lambda line: None)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="the language model failed"):
        hooks.ingest(Session(settings, lent=engines), path)
    failure = hook_failure.last(settings)
    assert failure is not None
    assert failure.what.endswith("is remembered, but the language model did not do its part")
    assert failure.advice == "`evermem enrich` tries again"
    assert SECRET not in hook_failure.beside(settings.db).read_text()
    mended = FakeEngines(settings, console=no_console, note=lambda line: None)  # type: ignore[arg-type]
    form_with_model(Session(settings, lent=mended))
    assert hook_failure.last(settings) is None


def test_beside_an_encrypted_memory_no_word_and_no_title_of_the_session_is_kept_and_forgetting_removes_it(
    shell: Shell, tmp_path: Path
) -> None:
    key = str(tmp_path / "key")
    assert shell("encrypt", "--new-key", key).returncode == 0
    session = tmp_path / "session.jsonl"
    titled = {"type": "summary", "summary": "Naming the kraken", "leafUuid": "1"}
    session.write_text(f"{json.dumps(titled)}\n{SECRET} {{\n")
    kept = hook_failure.beside(shell.db)
    kept.write_text("")
    kept.chmod(0o644)
    for environment, reason in (({}, "encrypted"), ({"EVERMEM_KEY_FILE": key}, "no message of it could be read")):
        done = shell("hook", "ingest", str(session), EVERMEM_OFFLINE="1", **environment)
        assert done.returncode != 0
        assert kept.stat().st_mode & 0o777 == 0o600
        text = kept.read_text()
        assert reason in text
        assert not [word for word in ("biscuit", "cat", "naming", "kraken", "miso") if word in text.casefold()]
    done = shell("forget", "--matching", "Miso", "--yes", EVERMEM_KEY_FILE=key)
    assert (done.returncode, kept.exists()) == (0, False)
    assert "no message of it could be read" in done.stderr


@pytest.mark.parametrize("text", ["", "{", "[]", '{"at": 3}', '{"what": "", "at": "x", "reason": "", "advice": ""}'])
def test_what_is_no_failure_of_a_hook_is_not_told(text: str, shell: Shell) -> None:
    hook_failure.beside(shell.db).write_text(text)
    assert shell.json("status")["hook_failure"] is None
