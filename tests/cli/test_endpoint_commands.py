"""A model behind an address as the settings and commands know it: who may be asked, and what is said of it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evermem_cli.cli.shared.engines import Engines
from evermem_cli.config import Settings
from evermem_cli.engines.endpoint.llm import Endpoint
from evermem_cli.errors import ModelError, UsageError
from tests.support.served import Failure, Served, serving

KEY = "sk-very-secret-1234567890"


@pytest.fixture
def served() -> Iterator[Served]:
    with serving(Served()) as server:
        yield server


@pytest.mark.parametrize("llm", ["http://me:secret@h/v1#x", "https://h/v1?key=secret#x"])
def test_a_secret_in_an_address_is_refused_and_not_shown(llm: str) -> None:
    with pytest.raises(UsageError, match="EVERMEM_API_KEY") as caught:
        Settings.load(llm=llm)
    assert "secret" not in caught.value.message


def engines(notes: list[str], **settings: Any) -> Engines:
    return Engines(replace(Settings(), **settings), console=_no_console, note=notes.append)


def _no_console() -> Any:
    raise AssertionError("nothing is fetched")


def test_the_settings_name_it_and_offline_allows_this_machine(served: Served) -> None:
    notes: list[str] = []
    llm = engines(notes, llm=f"{served.url}#small", offline=True).llm
    assert isinstance(llm, Endpoint)
    assert llm.name == f"{served.url}#small"
    assert notes == []
    llm.close()


def test_another_machine_needs_leave_and_is_named_before_anything_is_sent() -> None:
    notes: list[str] = []
    remote = "http://192.0.2.1:8000/v1#x"
    with pytest.raises(UsageError, match=r"192\.0\.2\.1:8000/v1 is not on this machine") as caught:
        _ = engines(notes, llm=remote).llm
    assert "allow_remote = true" in caught.value.hint
    with pytest.raises(ModelError, match="evermem is offline"):
        _ = engines(notes, llm=remote, allow_remote=True, offline=True).llm
    assert notes == []

    def refuse(line: str) -> None:
        notes.append(line)
        raise InterruptedError  # whatever comes after the note would be sent

    with pytest.raises(InterruptedError):
        _ = Engines(replace(Settings(), llm=remote, allow_remote=True), console=_no_console, note=refuse).llm
    assert notes == [
        "requests to the language model go to http://192.0.2.1:8000/v1 on another machine, unencrypted: "
        "anyone on the way can read them"
    ]


# Runs the command line in a process that tells each socket.
WATCHED = """
import sys
def tell(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        print("socket:", event, arguments, file=sys.stderr)
sys.addaudithook(tell)
from evermem_cli.cli.main import main
main()
"""
CHAT_TEXT = """[2025-03-03 18:00] Ann: We have adopted a cat from the shelter in Leeds.
[2025-03-03 18:01] Bob: How lovely!
[2025-03-03 18:02] Ann: She is called Miso and she is three years old.
"""


def evermem(db: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    given = os.environ | {"EVERMEM_DB": str(db), "EVERMEM_API_KEY": KEY} | environment
    return subprocess.run([sys.executable, "-c", WATCHED, *arguments], capture_output=True, text=True, env=given)


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    (tmp_path / "chat.txt").write_text(CHAT_TEXT)
    return tmp_path / "chat.txt"


def said_by_a_model(body: dict[str, Any]) -> str:
    """A title, or facts of an unclear sentence."""
    system = body["messages"][0]["content"]
    return (
        "Title: A cat from the shelter" if "title" in system else "- Ann's cat is called Miso and is three years old."
    )


def test_a_chat_goes_through_a_model_behind_an_address(
    served: Served, chat: Path, tmp_path: Path, minilm: Path
) -> None:
    served.reply = said_by_a_model
    llm = f"{served.url}#small"
    done = evermem(tmp_path / "m.duckdb", "ingest", str(chat), "--llm", llm, "--json", EVERMEM_OFFLINE="1")
    assert done.returncode == 0, done.stderr
    totals = json.loads(done.stdout)["totals"]
    assert (totals["failed_memcells"], totals["episodes"]) == (0, 1)
    assert served.chats()
    port = served.url.split(":")[-1].removesuffix("/v1")
    sockets = [line for line in done.stderr.splitlines() if line.startswith("socket:")]
    assert sockets
    assert all("127.0.0.1" in line and port in line for line in sockets)
    assert KEY not in done.stdout + done.stderr
    assert KEY.encode() not in (tmp_path / "m.duckdb").read_bytes()


def test_replies_that_do_not_match_fail_their_memcell_alone(
    served: Served, chat: Path, tmp_path: Path, minilm: Path
) -> None:
    served.reply = "I am happy to help!"
    done = evermem(tmp_path / "m.duckdb", "ingest", str(chat), "--llm", f"{served.url}#small", "--json")
    assert done.returncode == 6, done.stderr
    assert "the model gave no usable reply" in done.stderr
    assert json.loads(done.stdout)["totals"]["messages"] == 3


def test_doctor_names_the_endpoint_and_whether_it_answers(served: Served, tmp_path: Path, minilm: Path) -> None:
    llm = f"{served.url}#small"
    done = evermem(tmp_path / "m.duckdb", "doctor", "--json", "--llm", llm)
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert checks[llm]["ok"] is True
    assert "answers with small" in checks[llm]["found"]
    gone = evermem(tmp_path / "m.duckdb", "doctor", "--llm", f"{served.url}#large")
    assert gone.returncode == 3
    assert "has no model large" in gone.stdout
    assert not served.chats()
    assert KEY not in done.stdout + done.stderr + gone.stdout + gone.stderr


def test_the_key_of_a_server_may_be_in_the_keyring_under_its_address(served: Served, tmp_path: Path) -> None:
    served.wants = KEY
    keyring = {"PYTHON_KEYRING_BACKEND": "keyrings.alt.file.PlaintextKeyring", "XDG_DATA_HOME": str(tmp_path / "home")}

    def doctor(**environment: str) -> tuple[dict[str, Any], str]:
        done = evermem(
            tmp_path / "m.duckdb", "doctor", "--json", "--llm", f"{served.url}#small", EVERMEM_API_KEY="", **environment
        )
        checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
        return checks[f"{served.url}#small"], done.stdout + done.stderr

    assert doctor(**keyring)[0]["ok"] is False
    for address, is_right in (("http://192.0.2.1/v1", False), (served.url, True)):
        subprocess.run(
            [sys.executable, "-m", "keyring", "set", "evermem", address],
            input=KEY,
            text=True,
            check=True,
            env=os.environ | keyring,
        )
        check, printed = doctor(**keyring)
        assert check["ok"] is is_right
        assert KEY not in printed
    check, _ = doctor(PYTHON_KEYRING_BACKEND="keyring.backends.fail.Keyring")
    assert check["ok"] is False


def test_what_asks_no_model_opens_no_socket(chat: Path, tmp_path: Path, minilm: Path) -> None:
    for llm in ("", "http://192.0.2.1/v1#x"):
        for command in (["ingest", str(chat), "--no-llm"], ["search", "cat"], ["config"]):
            done = evermem(tmp_path / "m.duckdb", *command, EVERMEM_LLM=llm)
            assert done.returncode == 0, done.stderr
            assert "socket:" not in done.stderr
            assert KEY not in done.stdout


def test_what_is_wrong_is_told_in_a_line_with_its_exit_code(chat: Path, tmp_path: Path, minilm: Path) -> None:
    evermem(tmp_path / "m.duckdb", "ingest", str(chat), "--no-llm")
    done = evermem(tmp_path / "m.duckdb", "enrich", "--llm", "http://192.0.2.1/v1#x")
    assert done.returncode == 2
    assert "socket:" not in done.stderr
    with serving(Served()) as served:
        served.failures["/v1/models"] = [Failure(200, "<html>")]
        done = evermem(tmp_path / "m.duckdb", "enrich", "--llm", f"{served.url}#x")
    assert done.returncode == 3
    lines = [line for line in done.stderr.splitlines() if not line.startswith("socket:")]
    assert any("does not answer in JSON" in line for line in lines)
    assert "Traceback" not in done.stderr
