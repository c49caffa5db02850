"""Whether another process could write into a file at this moment."""

import subprocess
import sys
from pathlib import Path

ASKED = """
import fcntl, sys
with open(sys.argv[1], "rb+") as opened:
    fcntl.lockf(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
"""


def can_be_written(path: Path) -> bool:
    """Whether another process gets the lock that DuckDB takes for writing."""
    asked = subprocess.run([sys.executable, "-c", ASKED, str(path)], capture_output=True, text=True, check=False)
    assert asked.returncode == 0 or "BlockingIOError" in asked.stderr, asked.stderr
    return asked.returncode == 0
