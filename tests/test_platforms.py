"""Systems that the tests do not run on: nothing is called there that Python does not have there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evermem_cli import locks

ROOT = Path(__file__).parents[1]
TAKES_IT = "import sys, os; from evermem_cli import locks; print(locks.is_locked_now(os.open(sys.argv[1], os.O_RDWR)))"


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_every_call_exists_there(platform: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--platform", platform, "--cache-dir", str(tmp_path), "-p", "evermem_cli"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_a_lock_keeps_others_out_until_its_file_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "note"
    opened = os.open(path, os.O_RDWR | os.O_CREAT)
    locks.lock(opened)
    assert _other_process_takes(path) == "False"
    os.close(opened)
    assert _other_process_takes(path) == "True"


def _other_process_takes(path: Path) -> str:
    return subprocess.run([sys.executable, "-c", TAKES_IT, str(path)], capture_output=True, text=True).stdout.strip()
