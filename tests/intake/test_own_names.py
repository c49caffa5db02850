"""Who is meant by a first name that the user gives as an own name."""

import itertools
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evermem_cli.errors import UsageError
from evermem_cli.intake.own_names import meant_speakers
from evermem_cli.memory import ChatKind, Role, Transcript, Turn
from tests.cli.test_main import Shell

MAIL = """\
From {address} Mon Mar  3 09:00:00 2025
From: {name} <{address}>
Subject: Flat
Date: Mon, 3 Mar 2025 09:00:00 +0000
Message-ID: <{address}>

I live in Leeds.

"""


def chat(*speakers: str, role: Role = Role.PARTICIPANT) -> Transcript:
    at = datetime(2025, 3, 3, tzinfo=UTC)
    turns = tuple(
        Turn(speaker=speaker, role=role, text="Hello.", sent_at=at + timedelta(minutes=n))
        for n, speaker in enumerate(speakers)
    )
    return Transcript(format="mail", kind=ChatKind.GROUP, turns=turns)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("Nora", ["Nora Lindqvist"]),
        ("nora", ["Nora Lindqvist"]),
        ("nora lindqvist", ["Nora Lindqvist"]),
        ("Tom", []),  # somebody is called exactly that
        ("Ann", ["ann.lee@example.org"]),
        ("Lindqvist", []),
        ("No", []),
        ("…", []),
    ],
)
def test_a_name_is_completed_if_it_begins_the_name_or_address_of_one_speaker(given: str, meant: list[str]) -> None:
    chats = [chat("Nora Lindqvist", "Tom"), chat("Tom Berg", "ann.lee@example.org")]
    assert meant_speakers([given], chats) == meant


def test_two_speakers_that_may_be_meant_are_named_wherever_they_speak() -> None:
    with pytest.raises(UsageError, match="Nora may be Nora Lindqvist or Nora Berg"):
        meant_speakers(["Nora"], [chat("Nora Lindqvist", "Tom"), chat("Nora Berg", "Tom")])


def test_an_assistant_is_nobody_and_a_name_that_is_found_ends_the_reading() -> None:
    assert meant_speakers(["Nora"], [chat("Nora Helper", role=Role.ASSISTANT)]) == []
    endless = itertools.chain([chat("Nora")], itertools.repeat(chat("Nora Lindqvist")))
    assert meant_speakers(["Nora"], endless) == []


def test_the_writer_of_mails_is_known_by_a_first_name_and_stays_so(tmp_path: Path, minilm: Path) -> None:
    shell, box = Shell(tmp_path / "memory.duckdb"), tmp_path / "one.mbox"
    mails = [
        MAIL.format(name=name, address=name.split()[0].lower() + "@example.org") for name in ("Nora Lee", "Tom Lee")
    ]
    box.write_text("".join(mails))
    for _ in range(2):
        done = shell("ingest", str(box), "--me", "Nora", "--no-llm")
        assert (done.returncode, done.stderr) == (0, "")
        assert shell.json("me")["names"] == {"Nora Lee": 1}
    assert shell.json("profile")["explicit_facts"]["location"]["value"] == "Leeds"
    assert shell.json("me", "Tom")["names"] == {"Tom Lee": 1}


def box(*names: str) -> str:
    return "".join(MAIL.format(name=name, address=f"{'.'.join(name.split())}@example.org".lower()) for name in names)


def watched(shell: Shell, folder: Path) -> subprocess.CompletedProcess[str]:
    """A watch of the folder, which is stopped once it has read something, or ends by itself."""
    command = [sys.executable, "-m", "evermem_cli", "watch", str(folder), "--me", "Nora", "--no-llm"]
    environment = os.environ | {"EVERMEM_DB": str(shell.db), "NO_COLOR": "1"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, env=environment, **pipes) as process:  # type: ignore[call-overload]
        try:
            while process.poll() is None and shell("status").returncode:
                time.sleep(0.1)
            while process.poll() is None and not shell.json("status")["counts"]["messages"]:
                time.sleep(0.1)
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)  # a job in the background is deaf to SIGINT
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()  # a failure would otherwise wait for a process that waits for files
    return subprocess.CompletedProcess(command, process.returncode, out, err)


@pytest.mark.parametrize("options", [[], ["--follow"]])
def test_a_first_name_is_completed_on_standard_input_and_told_once(
    tmp_path: Path, minilm: Path, options: list[str]
) -> None:
    shell = Shell(tmp_path / "memory.duckdb")
    shell("ingest", "-", "--me", "Maya", "--no-llm", stdin=box("Maya", "Tom Lee"))
    done = shell("ingest", "-", "--me", "Nora", "--no-llm", *options, stdin=box("Nora Lee", "Tom Lee"))
    assert (done.returncode, done.stderr.count("in these chats you are Nora Lee as well as")) == (0, 1), done.stderr
    assert shell.json("me")["names"] == {"Maya": 1, "Nora Lee": 1}


def test_a_first_name_is_completed_in_files_that_are_watched(tmp_path: Path, minilm: Path) -> None:
    shell, folder = Shell(tmp_path / "memory.duckdb"), tmp_path / "chats"
    folder.mkdir()
    (folder / "one.mbox").write_text(box("Nora Lee", "Tom Lee"))
    assert watched(shell, folder).returncode == 130
    assert shell.json("me")["names"] == {"Nora Lee": 1}


def test_two_that_may_be_meant_are_refused_on_standard_input_and_in_watched_files(tmp_path: Path, minilm: Path) -> None:
    shell, folder = Shell(tmp_path / "memory.duckdb"), tmp_path / "chats"
    folder.mkdir()
    two = box("Nora Lee", "Nora Berg")
    (folder / "two.mbox").write_text(two)
    lines = [["ingest", "-", *options, "--me", "Nora", "--no-llm"] for options in ([], ["--dry-run"], ["--follow"])]
    for done in (*(shell(*line, stdin=two) for line in lines), watched(shell, folder)):
        assert (done.returncode, done.stderr.count("Nora may be Nora Lee or Nora Berg")) == (2, 1)
    assert shell.json("status")["counts"]["messages"] == 0


def test_nothing_is_stored_where_two_may_be_meant(tmp_path: Path, minilm: Path) -> None:
    shell, box = Shell(tmp_path / "memory.duckdb"), tmp_path / "two.mbox"
    box.write_text("".join(MAIL.format(name=f"Nora {name}", address=f"{name}@example.org") for name in ("Lee", "Berg")))
    for options in ([], ["--dry-run"]):
        done = shell("ingest", str(box), "--me", "Nora", "--no-llm", *options)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "Nora may be Nora Lee or Nora Berg" in done.stderr
    assert not shell.db.exists()
