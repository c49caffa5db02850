"""A log beside a memory file, as a process of an earlier version left it when it was killed."""

import subprocess
import sys
from pathlib import Path

BODY = """
import os, sys
from pathlib import Path
from evermem_cli.store.file import database
from evermem_cli.store.file.keys import Keys
key = next(iter(Keys(Path(sys.argv[3])).of(Path(sys.argv[1]), bool)), None) if len(sys.argv) > 3 else None
opened = database.started(ciphers=bool(key))
database.load_stemmer(opened)
database.attach(opened, Path(sys.argv[1]), "evermem", "row_group_size 10240", key)
opened.execute("use evermem")
opened.execute(sys.argv[2])
os._exit(0)
"""


def left_in_log(statement: str, path: Path, key: Path | None = None) -> Path:
    """Has the statement be in the log alone; returns the log."""
    subprocess.run([sys.executable, "-c", BODY, str(path), statement, *([str(key)] if key else [])], check=True)
    return Path(f"{path}.wal")
