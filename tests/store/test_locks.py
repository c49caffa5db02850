import os
import subprocess
import sys
from pathlib import Path

from evermem_cli.store.file import locks

TAKES_IT = """
import os, sys
from evermem_cli.store.file import locks
print(locks.is_locked_now(os.open(sys.argv[1], os.O_RDWR)))
"""


def test_a_lock_keeps_others_out_until_its_file_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "note"
    opened = os.open(path, os.O_RDWR | os.O_CREAT)
    locks.lock(opened)
    assert _other_process_takes(path) == "False"
    os.close(opened)
    assert _other_process_takes(path) == "True"


def _other_process_takes(path: Path) -> str:
    return subprocess.run([sys.executable, "-c", TAKES_IT, str(path)], capture_output=True, text=True).stdout.strip()
