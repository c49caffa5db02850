"""Systems that the tests do not run on: nothing is called there that Python does not have there."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_every_call_exists_there(platform: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--platform", platform, "--cache-dir", str(tmp_path), "-p", "evermem_cli"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
