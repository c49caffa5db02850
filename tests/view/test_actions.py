"""What the served page does, without a browser."""

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evermem_cli.cli.shared.session import Session
from evermem_cli.errors import UsageError
from evermem_cli.view.server import PageBackend
from tests.cli.test_main import Shell
from tests.support.served import Served, serving

CHAT = """[2025-03-01 09:00] Ann: I live in Leeds and I am 32 years old.
[2025-03-02 09:01] Bob: The kettle that I ordered has still not arrived.
"""
PATIENCE = 60.0  # seconds


@pytest.fixture
def shell(tmp_path: Path, minilm: Path) -> Shell:
    made = Shell(tmp_path / "memory.duckdb")
    assert made("ingest", "--no-llm", "--me", "Ann", "-", stdin=CHAT).returncode == 0
    return made


def backend(shell: Shell, llm: str = "") -> PageBackend:
    owner = Session.open(db=shell.db)
    owner = Session(replace(owner.settings, llm=llm or owner.settings.llm), "view")
    return PageBackend(owner, owner.without_private())


def do(desk: PageBackend, name: str, **request: str | bool) -> dict[str, Any]:
    return desk.do(name, json.dumps(request).encode())


def assertion_id(shell: Shell, attribute: str) -> str:
    known = shell.json("list", "assertions")["assertions"]
    return str(next(each["id"] for each in known if each["attribute"] == attribute))


def test_a_correction_says_what_was_understood_and_from_when_it_holds(shell: Shell) -> None:
    desk = backend(shell)
    done = do(desk, "correct", id=assertion_id(shell, "location"), text="I live in York.")
    assert done["told"].splitlines() == [
        "Leeds → I live in York. (evermem undo takes it back)",
        "understood: Ann, location: York, since 1 Mar 2025",
    ]
    with pytest.raises(UsageError, match="nothing about “age” was understood"):
        do(desk, "correct", id=assertion_id(shell, "age"), text="bananas <b>x</b>")


def test_what_is_forgotten_names_the_corrections_that_go_with_it(shell: Shell) -> None:
    desk = backend(shell)
    do(desk, "correct", id=assertion_id(shell, "location"), text="I live in York.")
    [message] = [each["id"] for each in shell.json("search", "Leeds")["results"] if "I live in Leeds" in each["text"]]
    words = 'with your own words "I live in York." (`evermem remember` keeps them)'
    assert words in do(desk, "preview", id=message)["told"]
    assert words in shell("forget", message, "--dry-run").stdout
    assert shell.json("forget", message, "--dry-run")["stated"] == ["I live in York."]
    assert words in do(desk, "forget", id=message)["told"]
    assert b"York" not in shell.db.read_bytes()


def test_a_chat_is_told_by_its_people_and_days_and_how_it_is_shown_again(shell: Shell) -> None:
    [chat] = shell.json("list", "conversations")["conversations"]
    desk = backend(shell)
    looked = do(desk, "look", id=chat["id"])
    assert chat["id"] not in looked["text"]
    assert looked["status"] == "chat; 2 messages, 1 Mar 2025 to 2 Mar 2025; as private as its messages"
    done = do(desk, "privacy", id=chat["id"], tier="private")
    assert done["told"].endswith(f"evermem privacy {chat['id']} default shows it again.")
    assert "default" not in do(desk, "privacy", id=chat["id"], tier="default")["told"]


def test_memory_can_be_changed_while_a_question_is_answered(shell: Shell) -> None:
    asked, released = threading.Event(), threading.Event()

    def answer(_: dict[str, Any]) -> str:
        asked.set()
        released.wait(PATIENCE)
        return "Memory does not say."

    with serving(Served(reply=answer)) as served:
        desk = backend(shell, f"{served.url}#small")
        question = threading.Thread(target=lambda: do(desk, "ask", question="What did Bob order?"), daemon=True)
        question.start()
        assert asked.wait(PATIENCE)
        look = threading.Thread(target=lambda: do(desk, "look", id=assertion_id(shell, "age")), daemon=True)
        look.start()
        look.join(PATIENCE / 2)
        assert question.is_alive()
        assert not look.is_alive()
        released.set()
        question.join(PATIENCE)


def test_an_action_says_how_the_memory_is_afterwards(shell: Shell) -> None:
    desk = backend(shell)
    (message, *_) = shell.json("search", "kettle", "-k", "1")["results"]
    done = do(desk, "privacy", id=message["id"], tier="private")
    assert done["known"]["status"].startswith("message; private")
    assert do(desk, "forget", id=message["id"])["known"] is None
