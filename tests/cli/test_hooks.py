"""What the end of an assistant's session does to memory."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest
from filelock import FileLock

from evermem_cli.cli.actions import hooks
from evermem_cli.cli.shared.engines import Engines
from evermem_cli.cli.shared.session import Session
from evermem_cli.config.values import MemoryFile
from evermem_cli.engines import Llm
from evermem_cli.engines.catalog import DEFAULT_EMBEDDER
from evermem_cli.engines.embedder import PassageEmbedder
from tests.mcp.test_connect import EVENT, SAID
from tests.support.fakes import WordEmbedder
from tests.support.scripted import ScriptedLlm
from tests.test_ingest import CHAT, Memory, a_narrator


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


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """A memory with a chat whose memories the user has put off."""
    memory = Memory(tmp_path)
    memory.ingest(memory.file(CHAT))
    return memory


def end(memory: Memory) -> Callable[[], None]:
    """What ends a session of Claude Code."""
    path = memory.file(json.dumps(EVENT | {"message": SAID}) + "\n", "session.jsonl")
    settings = replace(memory.settings, db=MemoryFile(memory.store.path), models_dir=memory.folder)

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
