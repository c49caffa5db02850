"""What the command line asks on a terminal, and what follows from each answer and key."""

import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pytest

CTRL_C, CTRL_D = b"\x03", b"\x04"
UNCHANGED = "evermem: nothing was changed"
CONNECT = ("connect", "claude-desktop")


def typed(answer: bytes, home: Path, *arguments: str) -> tuple[int, list[str]]:
    """The exit code, and the lines after the question, where a user types this answer on a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "evermem_cli", *arguments],
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=os.environ | {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "EVERMEM_DB": str(home / "memory.duckdb")},
        start_new_session=True,
        preexec_fn=_take_terminal,
    )
    os.close(theirs)
    screen = b""
    while b"[y/N]: " not in screen:
        screen += os.read(ours, 1024)
    code = None
    while code is None:  # Python misses a Ctrl-C right before it reads; no user is so fast
        os.write(ours, answer)
        with suppress(subprocess.TimeoutExpired):
            code = process.wait(2)
    while part := _read(ours):
        screen += part
    os.close(ours)
    return code, screen.decode().partition("[y/N]: ")[2].splitlines()


def _take_terminal() -> None:
    """Makes stdin the terminal of this process, where Ctrl-C works even if the tests run in the background."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1024)
    except OSError:  # nobody has it open any more
        return b""


@pytest.mark.parametrize(("answer", "code"), [(b"n\n", 1), (b"\n", 1), (CTRL_D, 1), (CTRL_C, 130)])
def test_whoever_does_not_say_yes_is_told_in_one_line_that_nothing_changed(
    answer: bytes, code: int, tmp_path: Path
) -> None:
    exit_code, (_, *lines) = typed(answer, tmp_path, *CONNECT)
    assert (exit_code, lines) == (code, [UNCHANGED])
    assert [*tmp_path.iterdir()] == []


def test_an_answer_that_is_neither_yes_nor_no_is_asked_for_again(tmp_path: Path) -> None:
    exit_code, lines = typed(b"perhaps\nyes\n", tmp_path, *CONNECT)
    assert exit_code == 0
    assert any("answer y or n" in line for line in lines)
    assert [*tmp_path.rglob("*.json")] != []
