"""The command as a shell runs it: with streams closed, full or odd, and with text that would steer the terminal."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.cli.test_main import CHAT, Shell

EVIL = "\x1b]0;owned\x07\x1b[2Jx\x9b31my\u202ez\u2066\U000e0041"
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
COLOURS = re.compile(r"\x1b\[[\d;]*m")
BYTES = (
    [b"when", b"tomorrow \xff"],
    [b"search", b"Leeds \xff"],
    [b"search", b"x", b"--as", b"a\xff"],
    [b"ingest", b"/\xff"],
    [b"show", b"\xff"],
    [b"list", b"\xff"],
    [b"profile", b"\xff"],
    [b"when", b"tomorrow", b"--at", b"\xff"],
    [b"forget", b"--matching", b"\xff", b"--dry-run"],
)
HALVES = (
    b'{"phrase": "tomorrow \\ud800"}',
    b"tomorrow \xff",
    b'{"phrase": "x", "tz": "\\ud800"}',
    b'{"phrase": "x", "at": "\\ud800"}',
    b"\xed\xa0\x80 tomorrow",
)
READING = (
    "search moved",
    "search moved --explain",
    "ask --no-llm moved",
    "list conversations",
    "list memcells",
    "people",
    "show msg",
    "scenes",
    "timeline",
    "status",
    "conflicts",
    "profile",
    "entities",
    "export --include-private",
)


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory, minilm: Path) -> Shell:
    """A memory whose title, speaker and text would steer the terminal."""
    folder = tmp_path_factory.mktemp("evil")
    (folder / "moving.txt").write_text(CHAT)
    plain = Shell(folder / "plain.duckdb")
    assert plain("ingest", "--no-llm", str(folder / "moving.txt")).returncode == 0
    rows = [json.loads(line) for line in plain("export", "--include-private").stdout.splitlines()]
    for row in rows:
        row |= {name: f"{row[name]} {EVIL}" for name in ("title", "speaker", "text", "subject") if row.get(name)}
    shell = Shell(folder / "evil.duckdb")
    done = shell("import", "-", stdin="".join(f"{json.dumps(row)}\n" for row in rows))
    assert done.returncode == 0, done.stderr
    return shell


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, minilm: Path) -> Shell:
    folder = tmp_path_factory.mktemp("small")
    (folder / "moving.txt").write_text(CHAT)
    shell = Shell(folder / "memory.duckdb")
    assert shell("ingest", "--no-llm", str(folder / "moving.txt")).returncode == 0
    return shell


@pytest.mark.parametrize("command", READING)
def test_no_command_prints_what_steers_a_terminal(evil: Shell, command: str) -> None:
    for printed in (evil(*command.split()), evil(*command.split(), "--json")):
        assert STEERS.findall(printed.stdout + printed.stderr) == []
        assert "Traceback" not in printed.stderr


def test_json_keeps_what_is_escaped(evil: Shell) -> None:
    found = evil.json("search", "moved", "-k", "1")["results"][0]
    assert (found["text"].endswith(EVIL), found["speaker"].endswith(EVIL)) == (True, True)


def test_on_a_terminal_there_are_colours_and_nothing_else(evil: Shell) -> None:
    shown = "".join(_on_a_terminal("search moved", evil))
    assert COLOURS.search(shown)
    assert STEERS.findall(COLOURS.sub("", shown).replace("\r\n", "\n")) == []


def test_an_agents_name_and_reason_are_printed_as_text(small: Shell) -> None:
    small("search", "moved", "--as", f"agent{EVIL}", "--reason", f"because it is needed here {EVIL}")
    done = small("access-log")
    assert STEERS.findall(done.stdout) == []
    assert r"agent\x1b]0;owned\x07" in done.stdout


def test_errors_and_wrong_options_are_printed_as_text(small: Shell) -> None:
    for arguments in (
        ("show", EVIL),
        (f"--{EVIL}",),
        (EVIL,),
        ("ingest", f"/{EVIL}"),
        ("search", "x", "--as-of", EVIL),
    ):
        done = small(*arguments)
        assert done.returncode in (1, 2)
        assert (STEERS.findall(done.stderr), len(done.stderr.splitlines())) == ([], 1)


@pytest.mark.parametrize(
    ("redirected", "code"),
    [
        ("search Leeds >&-", 1),
        ("search Leeds --json >&-", 1),
        ("search Leeds --json > /dev/full", 1),
        ("status --json > /dev/full", 1),
        ("list dreams --json > /dev/full", 2),
        ("export > /dev/full", 1),
        ("search Leeds <&-", 0),
        ("search - <&-", 1),
        ("import - <&- --db /nowhere/x", 1),
        ("ingest --no-llm - <&-", 1),
        ("search Leeds 2>&-", 0),
        ("search Leeds <&- 2>&- >&-", 1),
        ("forget --matching Leeds <&-", 2),
        ("show nonsense 2> /dev/full", 2),
    ],
)
def test_a_stream_that_is_closed_or_full_is_at_most_a_line(small: Shell, redirected: str, code: int) -> None:
    environment = os.environ | {"EVERMEM_DB": str(small.db)}
    command = f"{sys.executable} -m evermem_cli {redirected}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment)
    lines = done.stderr.splitlines()
    assert (done.returncode, len(lines)) == (code, 0 if code == 0 or "2>" in redirected else 1), done.stderr
    assert all(line.startswith("evermem: ") for line in lines)


@pytest.mark.parametrize("command", ["export", "list memcells --json", "timeline", "show nonsense --json", "--help"])
def test_a_reader_that_closes_the_pipe_early_is_no_failure(small: Shell, command: str) -> None:
    environment = os.environ | {"EVERMEM_DB": str(small.db)}
    piped = f"{sys.executable} -m evermem_cli {command} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", piped], capture_output=True, text=True, env=environment)
    if command.startswith("show"):
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    else:
        assert (done.returncode, done.stderr) == (0, "")


def test_memory_is_never_written_to_in_the_place_of_a_closed_stdout(tmp_path: Path, minilm: Path) -> None:
    (tmp_path / "moving.txt").write_text(CHAT)
    shell = Shell(tmp_path / "memory.duckdb")
    environment = os.environ | {"EVERMEM_DB": str(shell.db)}
    command = f"{sys.executable} -m evermem_cli ingest --no-llm {tmp_path}/moving.txt <&- >&- 2>&-"
    subprocess.run(["bash", "-c", command], env=environment)
    assert shell.json("status")["counts"]["messages"] == 4


def test_bytes_that_are_no_text_are_at_most_a_line(small: Shell) -> None:
    environment = os.environb | {b"EVERMEM_DB": os.fsencode(small.db)}
    for arguments in BYTES:
        command = [os.fsencode(sys.executable), b"-m", b"evermem_cli", *arguments]
        done = subprocess.run(command, capture_output=True, env=environment)
        assert (done.returncode in (0, 1, 2), b"Traceback" in done.stderr) == (True, False), (arguments, done.stderr)


@pytest.mark.parametrize("line", HALVES)
def test_half_a_pair_on_stdin_is_at_most_a_line(small: Shell, line: bytes) -> None:
    for command in ("when", "search"):
        line = line.replace(b'"phrase"', b'"query"') if command == "search" else line
        done = subprocess.run(
            [sys.executable, "-m", "evermem_cli", command, "-"],
            input=line,
            capture_output=True,
            env=os.environ | {"EVERMEM_DB": str(small.db)},
        )
        assert (done.returncode in (0, 2), b"Traceback" in done.stderr) == (True, False), done.stderr
        assert done.returncode or json.loads(done.stdout)


def test_a_terminal_without_unicode_gets_json_that_can_be_read_back(small: Shell) -> None:
    done = small("when", "明天 é", "--json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout)["phrase"] == "明天 é"
    assert small("when", "明天 é", PYTHONIOENCODING="ascii").returncode == 0


def test_a_home_that_cannot_be_written_is_a_line(tmp_path: Path, minilm: Path) -> None:
    (tmp_path / "moving.txt").write_text(CHAT)
    (tmp_path / "file").touch()
    shell = Shell(tmp_path / "file" / "data" / "memory.duckdb")
    for command in (("ingest", "--no-llm", str(tmp_path / "moving.txt")), ("search", "x"), ("status",), ("doctor",)):
        done = shell(*command)
        assert (done.returncode in (0, 1, 4), "Traceback" in done.stderr) == (True, False), (command, done.stderr)


@pytest.mark.parametrize(
    "command", ["people", "search moved", "list memcells", "status", "--help", "profile", "timeline"]
)
def test_a_terminal_of_twenty_columns_is_written_to(small: Shell, command: str) -> None:
    shown = "".join(_on_a_terminal(command, small, columns=20))
    assert "Traceback" not in shown
    assert command == "--help" or all(cell_len(line) <= 20 for line in COLOURS.sub("", shown).splitlines())


def test_the_version_is_printed_and_a_bare_command_tells_what_there_is(small: Shell) -> None:
    from evermem_cli import __version__

    done = small("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{__version__}\n", "")
    for group in ((), ("models",)):
        bare, told = small(*group), small(*group, "--help")
        assert (bare.returncode, bare.stdout, bare.stderr) == (2, "", told.stdout)


def _on_a_terminal(command: str, shell: Shell, columns: int = 80) -> Iterator[str]:
    leader, follower = pty.openpty()
    environment = os.environ | {"EVERMEM_DB": str(shell.db), "TERM": "xterm", "COLUMNS": str(columns)}
    running = subprocess.Popen(
        [sys.executable, "-m", "evermem_cli", *command.split()],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=environment,
    )
    os.close(follower)
    with open(leader, "rb", buffering=0) as terminal:
        while piece := _read(terminal.fileno()):
            yield piece.decode("utf-8", "replace")
    assert running.wait() == 0


def _read(number: int) -> bytes:
    try:
        return os.read(number, 1 << 16)
    except OSError:  # the other end is closed
        return b""
